"""The engine's side of the supervisor: the pipe whose end means that the engine is dead (spec 3.3)."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from engine.config import Settings
from engine.process.descriptors import make_pipe

SCRIPT = Path(__file__).with_name("supervisor.sh")
_SHELL = "/bin/sh"
_SLACK_SECONDS = 2.0
_LOOK_SECONDS = 0.002


class Supervisor:
    """Keeps the registered groups; starts the script with the first. Used from the engine's loop alone."""

    def __init__(self, settings: Settings, on_trouble: Callable[[str], None]) -> None:
        self._tenths = str(max(1, round(settings.supervisor_kill_seconds * 10)))
        self._on_trouble = on_trouble
        self._groups: dict[int, str] = {}
        self._pipe: int | None = None
        self._pid: int | None = None

    @property
    def pid(self) -> int | None:
        """The script's process while it runs."""
        return self._pid

    def register(self, group: int, session_id: str) -> None:
        """End this process group when the engine dies. Call before its job's gate opens.

        Raises:
            OSError: The script can't be started; the job must not run.
        """
        self._groups[group] = session_id
        if self._pipe is None:
            self._start()
        else:
            self._tell(f"register {group} {session_id}\n")

    def unregister(self, group: int) -> None:
        """The group is empty: its number may become somebody else's."""
        if self._groups.pop(group, None) is not None and self._pipe is not None:
            self._tell(f"unregister {group}\n")

    def forked(self) -> None:
        """In a forked child of ours: let go of the pipe, so that our end is seen though the child lives on."""
        if self._pipe is not None:
            os.close(self._pipe)
        self._pipe = self._pid = None
        self._groups.clear()

    def close(self, meanwhile: Callable[[], None]) -> None:
        """Let the script go: it ends what is still registered, then exits and is reaped.

        ``meanwhile`` is called again and again until then, to reap what it ends.
        """
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        if self._pid is not None:
            deadline = time.monotonic() + int(self._tenths) / 10 + _SLACK_SECONDS
            while not self._reaped() and time.monotonic() < deadline:
                meanwhile()
                time.sleep(_LOOK_SECONDS)
            self._pid = None

    def _tell(self, line: str) -> None:
        try:
            os.write(self._pipe if self._pipe is not None else -1, line.encode())
        except BlockingIOError:
            self._on_trouble("the supervisor does not read; jobs may outlive a crash of this engine")
        except OSError:
            self._restart()

    def _reaped(self) -> bool:
        try:
            return os.waitpid(self._pid or 0, os.WNOHANG) != (0, 0)
        except ChildProcessError:
            return True  # somebody else did, or SIGCHLD is ignored in this process

    def _restart(self) -> None:
        """It was killed: a new one learns all groups."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        if self._pid is not None:
            self._reaped()
            self._pid = None
        if self._groups:
            try:
                self._start()
            except OSError as error:
                self._on_trouble(f"the supervisor can't be restarted ({error}); jobs may outlive this engine")

    def _start(self) -> None:
        read_end, write_end = make_pipe()
        try:
            self._pid = os.posix_spawn(
                _SHELL,
                ["sh", str(SCRIPT), str(os.getpgrp()), self._tenths],
                {"PATH": os.environ.get("PATH", os.defpath)},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, read_end, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                ],
                setsid=True,  # detached-spawn: ok, it must outlive us and dies by our pipe's end
                setsigmask=[],
            )
        except BaseException:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        os.set_blocking(write_end, False)
        self._pipe = write_end
        for group, session_id in self._groups.items():
            self._tell(f"register {group} {session_id}\n")
