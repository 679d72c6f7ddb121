"""One job's far side: from the words that start it to what is known of its end."""

import os
from collections.abc import Callable, Mapping
from enum import StrEnum

from engine.hosts.host import Host
from engine.hosts.marks import Marks
from engine.hosts.quoting import script_words
from engine.hosts.run_script import environment_lines, run_script
from engine.hosts.runners import shells_on_the_way, slurm_of, way
from engine.place import Place
from engine.process.marks import JOB_VARIABLE
from engine.spec import JobSpec

_KEY_BYTES = 16
_SAID_BYTES = 400


class LinkState(StrEnum):
    """How the link to a job's far side stands."""

    CONNECTING = "connecting"
    """Nothing has been heard from over there, and nothing of the job runs."""
    UP = "up"
    """The job was let run over there."""
    OVER = "over"
    """Its end was told from over there, or nothing of it is left there."""


class FarSide:
    """What is known of a job over there. On the engine's loop alone."""

    def __init__(self, host: Host, spec: JobSpec, session_id: str) -> None:
        self.host = host
        self.state = LinkState.CONNECTING
        self.place: Place | None = None
        """Known from the moment before it was let run."""
        self.shut = False
        """Has the far side said that it got no word to let the job run, so that it hasn't?"""
        self.exit_code: int | None = None
        """The job's own, as the far side told it: 128+N for its death by signal N."""
        self.trouble = ""
        """Why it couldn't be ended or asked over there, the last time it was tried."""
        self.link_said = b""
        """What the link has said since its job runs, the end of it."""
        self.on_begin: Callable[[], None] = lambda: None
        """Who it is over there is known, and the job waits for `key`: who sends that says that the link is up."""
        self.on_end: Callable[[], None] = lambda: None
        self._token = os.urandom(_KEY_BYTES).hex()
        self._secret = os.urandom(_KEY_BYTES).hex()
        self._marks = Marks(self._token, self._secret, self._marked)
        self._spec = spec
        self._env = far_environment(session_id, spec.env, pty=spec.pty)

    @property
    def key(self) -> bytes:
        """The lines that let the job run, with its environment; before them an end of what was typed at the link and
        not taken."""
        return f"\n{self._secret}\n{environment_lines(self._env)}".encode()

    @property
    def never_ran(self) -> bool:
        """Is it sure that nothing of it ever ran?"""
        return self.state is LinkState.CONNECTING

    @property
    def may_live(self) -> bool:
        """Was it let run, and not heard or proved to have ended?"""
        return self.state is LinkState.UP

    def words(self) -> tuple[str, ...]:
        """The arguments that start it from here."""
        spec = self._spec
        script = run_script(
            self._token,
            spec.command,
            spec.argv or (),
            spec.cwd,
            self._env,
            joined=not spec.pty,
            by_pipe=not spec.pty and slurm_of(self.host) is not None,  # which makes a terminal for unbuffered output
        )
        return (*way(self.host, pty=spec.pty), *script_words(script, shells_on_the_way(self.host)))

    def strip(self, data: bytes) -> bytes:
        """What of the link's bytes is the job's output."""
        return self._marks.strip(data)

    def hear(self, data: bytes) -> bytes:
        """What of the link's own words, on its standard error, is output: all until its job runs."""
        if self.state is LinkState.CONNECTING:
            return data
        self.link_said = (self.link_said + data)[-_SAID_BYTES:]
        return b""

    def flush(self) -> bytes:
        """The link has ended: what was held back of its bytes."""
        return self._marks.flush()

    def _marked(self, what: str, fields: list[str]) -> None:
        if what == "begin":
            self.place = _parse_place(fields)
            if self.place is not None:  # else its gate stays closed
                self.on_begin()
        elif what == "shut":
            self.shut, self.state = True, LinkState.CONNECTING
        elif what == "end":
            if fields and fields[0].isdigit():
                self.exit_code = int(fields[0])
                self.state = LinkState.OVER
            self.on_end()


def found_again(host: Host, spec: JobSpec, session_id: str, place: Place) -> FarSide:
    """The far side of a job whose link is dead, as an earlier engine or a result on the disk knows it."""
    far = FarSide(host, spec, session_id)
    far.place, far.state = place, LinkState.UP
    return far


def _parse_place(fields: list[str]) -> Place | None:
    """From what the far side says of itself (`engine.hosts.run_script`); None if that is nonsense."""
    if len(fields) != 5 or not fields[0].isdigit() or int(fields[0]) <= 1:
        return None
    pid, start, node, job, step = fields
    return Place(node=node[:255], pid=int(pid), start=start, slurm_job=job, slurm_step=step)


def far_environment(session_id: str, additions: Mapping[str, str | None], *, pty: bool) -> dict[str, str | None]:
    """What is set over there; all else is as one finds it there."""
    env: dict[str, str | None] = {"PYTHONUNBUFFERED": "1"}
    if pty:
        env.update(TERM="xterm-256color", COLORTERM="truecolor", PAGER="cat", GIT_PAGER="cat")
    return {**env, **additions, JOB_VARIABLE: session_id}
