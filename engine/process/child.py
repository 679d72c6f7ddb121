"""A job's processes as the registry sees them: one link with output, input, size and exit."""

import asyncio
import contextlib
import functools
import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import msgspec

from engine.config import Settings
from engine.process.descriptors import make_pipe
from engine.process.exit_watch import ExitWatch, watch_exit
from engine.process.identity import Identity
from engine.process.program import Program
from engine.process.reader import OutputReader
from engine.process.spawn import GatedChild, Stdio, spawn_gated
from engine.process.stdin import JobInput, StdinQueue
from engine.process.terminal import Terminal, open_terminal

if TYPE_CHECKING:
    from engine.process.doorway import Doorway
    from engine.process.scope import Scope


class ProcessLink(Protocol):
    """What a job needs of its processes, be they our own children or under a holder."""

    @property
    def identity(self) -> Identity:
        """The direct child."""

    @property
    def stdin(self) -> JobInput | None:
        """What it reads; None without input."""

    @property
    def terminal(self) -> Terminal | None:
        """Its terminal; None for pipes, and once it is closed."""

    @property
    def exited_at(self) -> float | None:
        """When the child exited, by the wall clock, where somebody saw that earlier than we."""

    def watch(self, on_bytes: Callable[[str, bytes], None], on_exit: Callable[[], None]) -> None:
        """Hand on from now on what it writes (and where), and tell when the direct child has exited.

        Raises:
            OSError: No descriptor is left.
        """

    def run(self) -> None:
        """Open the gate."""

    def cancel(self) -> None:
        """Nothing has run and nothing shall: leave no process and no descriptor."""

    async def catch_up(self) -> None:
        """Let `drain` find all that was written up to now."""

    def drain(self, most: int) -> None:
        """Read what is ready, at most ``most`` bytes a stream."""

    def reap(self) -> int:
        """Take the exit status of the dead child: its code, or -N for death by signal N."""

    def output_names(self) -> set[str]:
        """What the output is called in ``/proc/PID/fd`` of who holds it."""

    def remember(self, story: Callable[[], bytes], *, now: bool = False) -> None:
        """What the next engine is to know of the job has changed; ``now``: before anybody is told of it."""

    def close(self) -> None:
        """Close every descriptor of the job."""

    def collected(self) -> None:
        """The job's end is recorded where it lasts: nobody else need remember it."""

    def let_go(self) -> None:
        """The engine goes before the job: close all there is."""

    def forked(self) -> None:
        """In a forked child of ours: keep nothing open by which others would take us for alive."""

    def reap_if_dead(self) -> None:
        """The engine goes before the job's end was seen: leave no zombie."""


class Wanted(msgspec.Struct, frozen=True):
    """How a child's input and output are to be connected."""

    pty: bool = False
    cols: int = 0
    rows: int = 0
    stdin_pipe: bool = False
    apart: bool = False
    """Give stderr a pipe of its own."""
    stdin_descriptor: int | None = None
    """Let the child read this descriptor of ours."""


class DirectChild:
    """A child of this process, behind its gate until `run`."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        program: Program,
        env: dict[str, str],
        wanted: Wanted,
        settings: Settings,
        scope: "Scope | None" = None,
    ) -> None:
        self.stdin: StdinQueue | None = None
        self.terminal: Terminal | None = None
        self.exited_at: float | None = None
        self.readers: dict[str, OutputReader] = {}
        self.closed = False
        self._loop = loop
        self._settings = settings
        self._watch: ExitWatch | None = None
        self._outputs: dict[str, int] = {}
        self._kept: list[int] = []
        """Descriptors of ours that nobody else closes."""
        self._scope = scope
        self._doorway: Doorway | None = None
        self._child: GatedChild
        child_ends: list[int] = []
        try:
            stdio, input_end, master = self._connect(wanted, child_ends)
            if scope is None:
                self._child = spawn_gated(program.argv, program.cwd, env, stdio)
            else:
                lead, doorway = scope.lead_in(program.argv, env), self._open_doorway(child_ends)
                self._child = spawn_gated(lead.argv, program.cwd, lead.env, stdio, lead.way_in, doorway)
        except BaseException:
            self._close_kept()
            raise
        finally:
            for descriptor in child_ends:
                os.close(descriptor)
        self.identity = self._child.identity
        try:
            if master is not None:
                self.terminal = Terminal(self.identity.pid, master, stdio.terminal)
                self._kept.remove(master)
        except BaseException:
            self.cancel()
            raise
        if input_end is not None:
            self.stdin = StdinQueue(loop, input_end, settings.stdin_queue_bytes, owned=master is None)
            if master is None:
                self._kept.remove(input_end)

    def _connect(self, wanted: Wanted, child_ends: list[int]) -> tuple[Stdio, int | None, int | None]:
        """Make pipes or a terminal; what the child gets, our end of its stdin, the master."""
        if wanted.pty:
            master, name, slave = open_terminal(wanted.cols, wanted.rows)
            self._kept.append(master)
            child_ends.append(slave)
            self._outputs[""] = master
            return Stdio(terminal=name), master, master
        stdout = self._output("", child_ends)
        stderr = self._output("stderr", child_ends) if wanted.apart else stdout
        stdin, input_end = wanted.stdin_descriptor, None
        if wanted.stdin_pipe:
            stdin, input_end = make_pipe()
            child_ends.append(stdin)
            self._kept.append(input_end)
        return Stdio(stdin=stdin, stdout=stdout, stderr=stderr), input_end, None

    def _output(self, source: str, child_ends: list[int]) -> int:
        read_end, write_end = make_pipe()
        child_ends.append(write_end)
        self._kept.append(read_end)
        self._outputs[source] = read_end
        return write_end

    def watch(self, on_bytes: Callable[[str, bytes], None], on_exit: Callable[[], None]) -> None:
        """See `ProcessLink`. Call before `run`, so that not one byte is missed."""
        self._watch = watch_exit(self._loop, self.identity.pid, on_exit)
        for source, descriptor in self._outputs.items():
            hand_on = functools.partial(on_bytes, source)
            again = self.terminal is not None
            reader = OutputReader(self._loop, descriptor, self._settings.read_bytes, hand_on, reopens=again)
            self.readers[source] = reader
            reader.start()

    def _open_doorway(self, child_ends: list[int]) -> int:
        from engine.process.doorway import Doorway

        self._doorway = Doorway(self._loop)
        child_ends.append(self._doorway.write_end)
        return self._doorway.write_end

    async def stand(self) -> None:
        """Wait until it stands at the gate: at once, or in its scope.

        Raises:
            ScopeError: It couldn't be brought into its scope, or the bound isn't in force there.
        """
        if self._scope is not None and self._doorway is not None:
            await self._doorway.passed(self._settings.scope_seconds)
            self._doorway.close()
            self._scope.enter(self.identity.pid)

    def run(self) -> None:
        """See `ProcessLink`."""
        self._child.open_gate()

    def cancel(self) -> None:
        """See `ProcessLink`. The launcher exits behind its closed gate, unless it waits for systemd on its way in."""
        self._child.abandon()
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            if self._scope is not None:
                os.kill(self.identity.pid, signal.SIGKILL)  # nobody else reaps: the number is still its own
            os.waitpid(self.identity.pid, 0)
        self.close()

    def reap_if_dead(self) -> None:
        """See `ProcessLink`."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.identity.pid, os.WNOHANG)

    def drain(self, most: int) -> None:
        """See `ProcessLink`."""
        for reader in self.readers.values():
            reader.drain(most)

    def reap(self) -> int:
        """See `ProcessLink`."""
        status = self._watch.reap() if self._watch is not None else 0
        if self.terminal is not None:
            self.terminal.mark_reaped(status)
        return status

    def output_names(self) -> set[str]:
        """See `ProcessLink`."""
        if self.terminal is not None:
            return {self.terminal.slave_name}
        try:
            return {f"pipe:[{os.fstat(descriptor).st_ino}]" for descriptor in self._outputs.values()}
        except OSError:
            return set()

    def close_output(self, source: str) -> None:
        """Read this stream no more and close it: who writes to it gets SIGPIPE, or a hang-up from a terminal."""
        if self.terminal is not None:
            self.readers.pop(source).close()
            if self.stdin is not None:
                self.stdin.discard()
            self.terminal.close()
            self.terminal = None
            return
        descriptor = self._outputs.pop(source, None)
        if descriptor is not None and descriptor in self._kept:
            self.readers.pop(source).close()
            self._kept.remove(descriptor)
            os.close(descriptor)

    def collected(self) -> None:
        """See `ProcessLink`. Nobody else knew."""

    def remember(self, story: Callable[[], bytes], *, now: bool = False) -> None:
        """See `ProcessLink`. There is no next engine for our own child."""

    async def catch_up(self) -> None:
        """See `ProcessLink`. What was written is in the pipe."""

    def forked(self) -> None:
        """See `ProcessLink`. Its descriptors are its parent's, too."""

    def let_go(self) -> None:
        """See `ProcessLink`. The supervisor ends it."""
        self.close()

    def close(self) -> None:
        """See `ProcessLink`."""
        self.closed = True
        for reader in self.readers.values():
            reader.close()
        if self._watch is not None:
            self._watch.close()
        if self.stdin is not None:
            self.stdin.discard()
        if self.terminal is not None:
            self.terminal.close()
            self.terminal = None
        self._close_kept()

    def _close_kept(self) -> None:
        if self._doorway is not None:
            self._doorway.close()
        for descriptor in self._kept:
            os.close(descriptor)
        self._kept.clear()
