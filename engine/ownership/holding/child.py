"""The job inside a holder: its start behind the gate, its output, its input, its exit. Standard library only."""

import os
import select
import signal
import termios
import time
from collections import deque
from collections.abc import Mapping, Sequence

from engine.process.descriptors import make_pipe
from engine.process.launch import IN_SCOPE, launch
from engine.process.terminal import open_terminal

_READ_BYTES = 65_536
_SAID_BYTES = 4_096


class NoScope(Exception):
    """The job couldn't be brought into its scope. Nothing of it has run."""


class Child:
    """The job's direct child. Raises OSError or NoScope when it can't be started: nothing is left then."""

    def __init__(
        self,
        words: Sequence[bytes],
        cwd: bytes,
        env: Mapping[bytes, bytes],
        *,
        size: tuple[int, int] | None,
        stdin_pipe: bool,
        way_in: Sequence[bytes] = (),
        seconds: float = 0.0,
    ) -> None:
        """``size``: columns and rows of its terminal; None: pipes. ``way_in``: see `launch`; it has ``seconds``."""
        self.slave_name = ""
        """The terminal's, empty for pipes."""
        self.output = -1
        """What is read from, -1 once that has been closed: the master or the pipe."""
        self.input: Input | None = None
        self.status: int | None = None
        """How it exited: the code, or -N."""
        theirs: list[int] = []
        stdin: int | None = None
        input_end = said = doorway = -1
        try:
            if size is not None:
                self.output, self.slave_name, slave = open_terminal(*size)
                theirs.append(slave)
                input_end = self.output
                stdio: tuple[int | None, ...] = ()
            else:
                self.output, write_end = make_pipe()
                theirs.append(write_end)
                if stdin_pipe:
                    stdin, input_end = make_pipe()
                    theirs.append(stdin)
                stdio = (stdin, write_end, write_end)
            if way_in:
                said, doorway = make_pipe()
                theirs.append(doorway)
            self.pid, self._gate = launch(
                words,
                cwd,
                env,
                terminal=self.slave_name,
                stdio=stdio,
                way_in=way_in,
                doorway=doorway if way_in else None,
            )
            while theirs:
                os.close(theirs.pop())
            if way_in:
                self._pass(said, seconds)
        except BaseException:
            for descriptor in {self.output, input_end} - {-1}:
                os.close(descriptor)
            raise
        finally:
            for descriptor in {*theirs, said} - {-1}:
                os.close(descriptor)
        self.started = start_of(self.pid)
        self._reaped = False
        self.output_name = self.slave_name or f"pipe:[{os.fstat(self.output).st_ino}]"
        """What ``/proc/PID/fd`` shows of it at whoever has it open."""
        os.set_blocking(self.output, False)
        if input_end >= 0:
            self.input = Input(input_end, owned=size is None)

    def _pass(self, said: int, seconds: float) -> None:
        """Wait until the launcher has been reached; else end it."""
        deadline = time.monotonic() + seconds
        text = b""
        why = ""
        while IN_SCOPE.encode() not in text and not why:
            if not select.select([said], [], [], max(0.0, deadline - time.monotonic()))[0]:
                why = f"systemd hasn't answered within {seconds:g} s"
            elif data := os.read(said, _SAID_BYTES):
                text = (text + data)[-_SAID_BYTES:]
            else:
                why = " ".join(text.decode("utf-8", "replace").split()) or "systemd-run ended and said nothing"
        if why:
            os.kill(self.pid, signal.SIGKILL)
            self.abandon()
            raise NoScope(why)

    def run(self) -> None:
        """Open the gate."""
        try:
            os.write(self._gate, b"go\n")
        except BrokenPipeError:
            pass  # somebody has ended it already, which its exit tells
        finally:
            os.close(self._gate)

    def abandon(self) -> None:
        """Nothing has run and nothing shall."""
        os.close(self._gate)
        os.waitpid(self.pid, 0)

    def read(self, most: int = _READ_BYTES) -> bytes | None:
        """What is ready, up to ``most`` bytes; None when nothing more can come.

        Raises:
            EIO: Nobody has the terminal open just now, and somebody may open it again.
        """
        gathered: list[bytes] = []
        size = 0
        while size < most:
            try:
                data = os.read(self.output, most - size)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                if gathered:
                    break
                if self.slave_name:
                    raise
                return None
            if not data:
                if gathered:
                    break
                return None
            gathered.append(data)
            size += len(data)
        return b"".join(gathered)

    def resize(self, cols: int, rows: int) -> None:
        """Set the terminal's size."""
        if self.slave_name and self.output >= 0:
            termios.tcsetwinsize(self.output, (rows, cols))

    def look(self) -> bool:
        """Has it exited? It stays a zombie until `reap`, so that its number can't become a stranger's."""
        if self.status is None:
            if hasattr(os, "waitid"):
                found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if found is not None:
                    exited = found.si_code == os.CLD_EXITED
                    self.status = found.si_status if exited else -found.si_status
            else:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.status, self._reaped = os.waitstatus_to_exitcode(status), True
        return self.status is not None

    def close_output(self) -> None:
        """Read no more, and take no more input: whoever has them open still gets a hang-up or a SIGPIPE."""
        if self.input is not None:
            self.input.discard()
        if self.output >= 0:
            os.close(self.output)
            self.output = -1

    def reap(self) -> None:
        """Let its number go."""
        if not self._reaped:
            self._reaped = True
            os.waitpid(self.pid, 0)


class Input:
    """What waits for the job to read it. It outlives the engine that sent it."""

    def __init__(self, descriptor: int, *, owned: bool) -> None:
        self.descriptor = descriptor
        self.size = 0
        """Bytes that wait."""
        self.closed = False
        self._owned = owned
        self._waiting: deque[bytes] = deque()
        self._close_when_empty = False
        os.set_blocking(descriptor, False)

    @property
    def ending(self) -> bool:
        """Closed, or about to be."""
        return self.closed or self._close_when_empty

    def add(self, part: bytes) -> int:
        """Write this, or let it wait; how much was written, of this and what waited."""
        if self.ending or not part:
            return len(part)
        self._waiting.append(part)
        self.size += len(part)
        return self.flush()

    def end(self) -> None:
        """Close it once all is written."""
        self._close_when_empty = True
        self.flush()

    def flush(self) -> int:
        """Write what goes; how much that was, with what is given up because nobody reads any more."""
        before = self.size
        while self._waiting:
            part = self._waiting[0]
            try:
                sent = os.write(self.descriptor, part)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                self.discard()
                break
            self.size -= sent
            self._waiting.popleft()
            if sent < len(part):
                self._waiting.appendleft(part[sent:])
        if self._close_when_empty and not self._waiting:
            self.discard()
        return before - self.size

    def discard(self) -> None:
        """Forget what waits, and close it. A terminal is closed with its output."""
        self._waiting.clear()
        self.size = 0
        if not self.closed:
            self.closed = True
            if self._owned:
                os.close(self.descriptor)


def start_of(pid: int) -> float:
    """The kernel's start time of a process, as the engine compares it; 0 where there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            raw = file.read(4096)
    except OSError:
        return 0.0
    return float(raw[raw.rfind(b")") + 2 :].split()[19])


def runs(pid: int, started: float) -> bool:
    """Does this very process run? Unknown counts as yes."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            raw = file.read(4096)
    except (FileNotFoundError, ProcessLookupError):
        return False if os.path.isdir("/proc/self") else _answers(pid)  # noqa: PTH112  no pathlib here
    except OSError:
        return True
    fields = raw[raw.rfind(b")") + 2 :].split()
    return fields[0] not in (b"Z", b"X") and float(fields[19]) == started


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def ignore_what_is_not_meant_for_us() -> None:
    """A terminal's hang-up and keys, and readers that are gone, are nothing to a holder."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
