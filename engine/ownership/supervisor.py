"""The engine's side of the supervisor: the pipe whose end means that the engine is dead (spec 3.3)."""

import asyncio
import errno
import time
from collections.abc import Callable
from pathlib import Path

from engine.config import Settings
from engine.ownership.script import Script

SCRIPT = Path(__file__).with_name("supervisor.sh")
_SLACK_SECONDS = 2.0
_LOOK_SECONDS = 0.002
_EARLY_KILLS = 3


class Supervisor:
    """Keeps what is guarded; the script runs while there is something. Used from the engine's loop alone."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: Settings,
        on_trouble: Callable[[str], None],
        script: Path = SCRIPT,
    ) -> None:
        self._loop = loop
        self._settings = settings
        self._on_trouble = on_trouble
        self._path = script
        self._groups: dict[int, str] = {}
        """What to tell of each registered group: the job's id and its leader's start time."""
        self._sought: set[str] = set()
        self._script: Script | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._not_before = 0.0
        self._early = 0
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The script's process while it runs."""
        return self._script.pid if self._script is not None else None

    def guards(self, group: int) -> bool:
        """Is this group registered?"""
        return group in self._groups

    def register(self, group: int, session_id: str, start_time: float) -> None:
        """End this group, and the session of that number, when the engine dies. Call before its job's gate opens.

        Raises:
            OSError: The script can't be started, or was let go for good; the job must not run.
        """
        if self._closed:
            raise OSError(errno.ESHUTDOWN, "the engine has ended")
        about = f"{session_id} {start_time:.0f}" if start_time == int(start_time) else session_id
        self._groups[group] = about
        try:
            self._tell(f"register {group} {about}\n")
        except OSError:
            del self._groups[group]
            raise

    def unregister(self, group: int) -> None:
        """The group is empty: its number may become somebody else's."""
        if self._groups.pop(group, None) is not None:
            self._change(f"unregister {group}\n")

    def seek(self, session_id: str) -> None:
        """End, when the engine dies, who carries this job's id though its group is gone."""
        if session_id not in self._sought:
            self._sought.add(session_id)
            self._change(f"seek {session_id}\n")

    def forget(self, session_id: str) -> None:
        """Nobody carries this id any more."""
        if session_id in self._sought:
            self._sought.discard(session_id)
            self._change(f"forget {session_id}\n")

    def forked(self) -> None:
        """In a forked child of ours: let go of the pipe, so that our end is seen though the child lives on."""
        if self._script is not None:
            self._script.forked()
        self._script = None
        self._groups.clear()
        self._sought.clear()

    def close(self, meanwhile: Callable[[], None]) -> None:
        """Let the script go: it ends what is still registered, then exits and is reaped.

        ``meanwhile`` is called again and again until then, to reap what it ends.
        """
        self._closed = True
        self._stay()
        script, self._script = self._script, None
        if script is None:
            return
        script.let_go()
        deadline = time.monotonic() + self._settings.supervisor_kill_seconds + _SLACK_SECONDS
        while script.reap() is None and time.monotonic() < deadline:
            meanwhile()
            time.sleep(_LOOK_SECONDS)

    # -- the script ---------------------------------------------------------------------------------------------------

    def _change(self, line: str) -> None:
        try:
            self._tell(line)
        except OSError as error:
            self._on_trouble(f"the supervisor can't be started ({error}); jobs may outlive a crash of this engine")

    def _tell(self, line: str) -> None:
        """Tell the script of a change; a new one that it needs learns all there is. None is begun once it was let go
        for good: starts that are cancelled then take back what they told it."""
        if self._closed:
            return
        if self._script is not None and not self._script.send(line):
            self._script.end()
            self._died(self._script)
        elif self._script is None and (self._groups or self._sought) and self._loop.time() >= self._not_before:
            self._start()
        if self._groups or self._sought:
            self._stay()
        elif self._script is not None and self._idle is None:
            self._idle = self._loop.call_later(self._settings.supervisor_idle_seconds, self._let_go)

    def _start(self) -> None:
        settings = self._settings
        self._script = Script(
            self._loop,
            self._path,
            max(1, round(settings.supervisor_kill_seconds * 10)),
            settings.escape_keep,
            self._died,
        )
        for group, about in self._groups.items():
            self._script.send(f"register {group} {about}\n")
        for session_id in self._sought:
            self._script.send(f"seek {session_id}\n")

    def _died(self, script: Script) -> None:
        """It has ended, in whatever way: guard on with a new one, unless that would go on for ever."""
        code = script.reap()
        script.let_go()
        if script is not self._script:
            return
        self._script = None
        if self._closed or not (self._groups or self._sought):
            return
        early = script.age < self._settings.supervisor_early_seconds
        self._early = self._early + 1 if early else 0
        if early and ((code or 0) >= 0 or self._early >= _EARLY_KILLS):
            self._not_before = self._loop.time() + self._settings.supervisor_early_seconds
            self._on_trouble(
                f"the supervisor ended {script.age:.1f} s after its start (exit {code}) and isn't started again at "
                "once: until it is, with the next change of jobs, they may outlive a crash of jobdeck"
            )
            return
        try:
            self._start()
        except OSError as error:
            self._on_trouble(f"the supervisor can't be restarted ({error}); jobs may outlive a crash of this engine")

    def _let_go(self) -> None:
        """Nothing has been guarded for a while."""
        self._idle = None
        if self._script is not None:
            self._script.let_go()

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
