"""A holder: the small process that has a job's pipe or terminal, so that the job outlives its engine (spec 3.4).

Started by `engine.ownership.calling`, orphaned at once, in a session of its own. It keeps the job's output in a log,
its exit in a file, and speaks with one engine at a time, over a private socket in its folder. Standard library only,
and little of it: there is one of these a job.
"""

import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable

from engine.ownership.holding import frames
from engine.ownership.holding.child import Child, NoScope, ignore_what_is_not_meant_for_us, runs, start_of
from engine.ownership.holding.folder import SOCKET, remove_folder, write_exit, write_holder
from engine.ownership.holding.frames import Garbage, Line, frame, peer
from engine.ownership.holding.log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.output.questions import Responder

_BEHIND_BYTES = 1 << 20
"""So far may an engine be behind: then the job waits, as it would for any reader."""
_DRAIN_BYTES = 1 << 20
_KEPT_SECONDS = 7 * 24 * 3600.0
"""How long the end of a job waits for an engine."""
_REOPEN_SECONDS = 0.1
_DISK_SECONDS = 1.0
_MOST_CALLERS = 8
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Holder:
    """One job, and whoever asks for it."""

    def __init__(self, born_with: socket.socket) -> None:
        self._selector = selectors.DefaultSelector()
        self._done = False
        self._line: Line | None = Line(born_with)
        """The engine's."""
        self._engine = (0, 0.0)
        self._callers: list[Line] = []
        self._child: Child | None = None
        self._running = False
        self._log = Log(0, 0)
        self._story = b""
        self._seen = 0
        """Up to here an engine has taken in the output."""
        self._looked = -1
        self._announced = 0
        self._in_flight = False
        self._exited_at = 0.0
        self._due: dict[Callable[[], None], float] = {}
        self._questions: Responder | None = None
        self._trouble = ""
        self._watch(self._line, _READ, self._engine_ready)
        self._woken = self._hear_of_children()

    def run(self) -> None:
        """Until nobody needs it any more."""
        while not self._done:
            now = time.monotonic()
            patience = max(0.0, min(self._due.values()) - now) if self._due else None
            for key, events in self._selector.select(patience):
                if self._selector.get_map().get(key.fd) is key:  # not if what came before has changed it
                    key.data(events)
            now = time.monotonic()
            for act in [act for act, when in self._due.items() if when <= now]:
                self._due.pop(act, None)
                act()

    # -- the engine ---------------------------------------------------------------------------------------------------

    def _engine_ready(self, events: int) -> None:
        line = self._line
        if line is None:
            return
        if events & _WRITE and line.flush():
            self._watch(line, _READ, self._engine_ready)
        if not events & _READ:
            return
        try:
            found = line.receive()
        except Garbage:
            found = None
        if found is None:
            self._alone()
            return
        for kind, fields in found:
            try:
                self._obey(kind, fields)
            except (ValueError, IndexError):
                self._alone()  # nobody of ours talks like that
            if self._line is not line or self._done:
                return

    def _obey(self, kind: bytes, fields: list[bytes]) -> None:
        child = self._child
        if kind == frames.START:
            self._start(fields)
        elif child is None:
            raise ValueError("there is no job yet")
        elif kind == frames.RUN:
            self._running = True
            child.run()
            if child.look():  # somebody has ended it at its gate
                self._exited(child)
        elif kind == frames.STORY:
            self._story = fields[0]
        elif kind == frames.INPUT and child.input is not None:
            self._took(child.input.add(fields[0]))
        elif kind == frames.END_INPUT and child.input is not None:
            child.input.end()
            self._took(0)
        elif kind == frames.RESIZE:
            self._resize(child, int(fields[0]), int(fields[1]))
        elif kind == frames.SEEN:
            self._looked = int(fields[1])
            self._saw(int(fields[0]))
        elif kind == frames.FLUSH:
            self._read_output(_DRAIN_BYTES)
            self._hand_over_unwritten()
            self._say(frame(frames.FLUSHED, self._log.end))
        elif kind == frames.CLOSE:
            self._close_output()
        elif kind == frames.COLLECTED:
            self._end()

    def _say(self, data: bytes, descriptors: tuple[int, ...] = ()) -> None:
        line = self._line
        if line is not None:
            line.send(data, descriptors)
            if line.waits:
                self._watch(line, _READ | _WRITE, self._engine_ready)

    def _alone(self) -> None:
        """The engine is gone, or none of ours. Before the gate was opened nothing has run, and nothing shall."""
        line, self._line = self._line, None
        if line is not None:
            self._unwatch(line)
            line.close()
        self._in_flight = False
        self._log.guard(None)
        child = self._child
        if child is None or not self._running:
            if child is not None:
                child.abandon()
                self._child = None
            self._end()
        elif child.status is not None:
            self._close_output()
        else:
            if child.slave_name and self._seen < self._log.end:
                self._answer(self._log.read(self._seen, self._log.end).decode("utf-8", "replace"))
            self._listen_to_output()

    # -- callers ------------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o077)  # for a moment: the job shall have what its engine has
        listening.bind(SOCKET)  # relative: the path of a socket may not be long
        os.umask(before)
        os.chmod(SOCKET, 0o600)  # noqa: PTH101  no pathlib here
        listening.listen(_MOST_CALLERS)
        listening.setblocking(False)

        def called(_events: int) -> None:
            try:
                sock, _address = listening.accept()
            except OSError:
                return
            if peer(sock)[1] != os.geteuid():
                sock.close()
                return
            line = Line(sock)
            self._callers.append(line)
            self._watch(line, _READ, lambda _events: self._caller_ready(line))
            if len(self._callers) > _MOST_CALLERS:
                self._hang_up(self._callers[0])

        self._watch(listening, _READ, called)

    def _caller_ready(self, line: Line) -> None:
        try:
            found = line.receive()
            if found == []:
                return
            if not found or found[0][0] != frames.HELLO or self._child is None or not self._running:
                raise Garbage("not one of ours")
            caller = int(found[0][1][0]), float(found[0][1][1])
            if peer(line.sock)[0] not in (0, caller[0]):
                raise Garbage("it says it is another process")
        except (ValueError, IndexError):
            self._hang_up(line)
            return
        if self._line is not None and runs(*self._engine):
            line.send(frame(frames.BUSY, *self._engine))
            self._hang_up(line)
            return
        if self._line is not None:
            self._alone()
        self._callers.remove(line)
        self._line, self._engine = line, caller
        self._watch(line, _READ, self._engine_ready)
        self._tell_standing(frames.HELD)
        self._announced = self._log.written
        self._in_flight = True  # until it says where it begins to read
        self._log.guard(self._log.start)
        for kind, fields in found[1:]:
            self._obey(kind, fields)

    def _hang_up(self, line: Line) -> None:
        self._unwatch(line)
        self._callers.remove(line)
        line.close()

    # -- the job ------------------------------------------------------------------------------------------------------

    def _start(self, fields: list[bytes]) -> None:
        cwd, size, stdin, boot, self._story, seconds, leading, count = fields[:8]
        words_at, pairs_at = 8 + int(leading), 8 + int(leading) + int(count)
        way_in, words, pairs = fields[8:words_at], fields[words_at:pairs_at], fields[pairs_at:]
        env = dict(pair.split(b"=", 1) for pair in pairs)
        cols, rows = map(int, size.split()) if size else (0, 0)
        line = self._line
        if self._child is not None or line is None:
            raise ValueError("it has a job already")
        self._engine = (peer(line.sock)[0], start_of(peer(line.sock)[0]))
        try:
            self._log = Log(cols, rows)
            child = Child(
                words,
                cwd,
                env,
                size=(cols, rows) if size else None,
                stdin_pipe=bool(stdin),
                way_in=way_in,
                seconds=float(seconds),
            )
            self._child = child
            self._listen()
            write_holder(os.getpid(), start_of(os.getpid()), child.pid, child.started, boot)
        except (OSError, NoScope) as error:
            if isinstance(error, NoScope):
                self._say(frame(frames.NO_SCOPE, str(error).encode()))
            else:
                self._say(frame(frames.FAILED, error.errno or 0, (error.strerror or str(error)).encode()))
            self._alone()
            return
        self._tell_standing(frames.STARTED)
        self._listen_to_output()

    def _tell_standing(self, kind: bytes) -> None:
        child, log = self._child, self._log
        if child is None:
            return
        written = log.at_written()
        open_input = "none" if child.input is None else "closed" if child.input.ending else "open"
        values: dict[str, bytes | int | float] = {
            "pid": child.pid,
            "started": child.started,
            "holder_pid": os.getpid(),
            "holder_started": start_of(os.getpid()),
            "output_name": child.output_name.encode(),
            "cols": log.cols,
            "rows": log.rows,
            "end": log.written,
            "end_char": written.char,
            "end_feeds": written.feeds,
            "end_pending": written.pending,
            "seen": self._seen,
            "looked": self._looked,
            "input": open_input.encode(),
            "input_waiting": child.input.size if child.input is not None else 0,
            "status": b"" if child.status is None else child.status,
            "exited_at": self._exited_at,
            "story": self._story,
        }
        master = (child.output,) if child.slave_name and child.output >= 0 else ()
        self._say(frame(kind, *(values[name] for name in frames.STANDING)), master)

    def _resize(self, child: Child, cols: int, rows: int) -> None:
        try:
            child.resize(cols, rows)
        except OSError:
            return  # its terminal is gone
        self._log.resize(cols, rows)

    def _hear_of_children(self) -> socket.socket:
        hears, tells = socket.socketpair()
        hears.setblocking(False)
        tells.setblocking(False)
        signal.set_wakeup_fd(tells.detach(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

        def woken(_events: int) -> None:
            hears.recv(4096)
            if self._child is not None and self._running and self._child.status is None and self._child.look():
                self._exited(self._child)

        self._watch(hears, _READ, woken)
        return hears

    def _exited(self, child: Child) -> None:
        self._exited_at = time.time()
        self._read_output(_DRAIN_BYTES)
        if self._line is not None:
            self._hand_over_unwritten()
            self._say(frame(frames.EXIT, child.status or 0, self._exited_at, self._log.end))
        else:
            self._close_output()
        self._due[self._end] = time.monotonic() + _KEPT_SECONDS
        try:
            write_exit(child.status or 0, self._exited_at)
        except OSError as error:
            self._tell_trouble(f"a job's exit can't be recorded: {error.strerror}")

    def _end(self) -> None:
        """Nobody needs to know any more."""
        self._done = True
        if self._child is not None:
            self._child.close_output()
            if self._child.status is not None:
                self._child.reap()
        remove_folder()

    # -- its input ----------------------------------------------------------------------------------------------------

    def _took(self, count: int) -> None:
        """So much input is written; what waits is written when the job reads."""
        child = self._child
        if child is None or child.input is None:
            return
        waits = child.input
        if count:
            self._say(frame(frames.TAKEN, count))
        if waits.closed:
            self._say(frame(frames.INPUT_CLOSED))
            if waits.descriptor != child.output:
                self._unwatch(waits.descriptor)
        self._watch_child(child)

    # -- its output ---------------------------------------------------------------------------------------------------

    def _listen_to_output(self) -> None:
        if self._child is not None:
            self._watch_child(self._child)

    def _watch_child(self, child: Child) -> None:
        """Be told when it has written, unless the engine is too far behind, and when it takes the input that waits."""
        behind = self._line is not None and self._log.end - self._seen >= _BEHIND_BYTES
        resting = behind or self._listen_to_output in self._due
        reads = 0 if resting or child.output < 0 else _READ
        waits = child.input
        writes = _WRITE if waits is not None and waits.size and not waits.closed else 0
        if waits is not None and waits.descriptor != child.output and not waits.closed:
            self._watch(waits.descriptor, writes, lambda _events: self._took(waits.flush()))
            writes = 0
        if child.output >= 0:
            self._watch(child.output, reads | writes, self._child_ready)

    def _child_ready(self, events: int) -> None:
        child = self._child
        if events & _WRITE and child is not None and child.input is not None:
            self._took(child.input.flush())
        if events & _READ:
            self._read_output()

    def _read_output(self, most: int = 65_536) -> None:
        """Into the log, and on to the engine."""
        child = self._child
        if child is None or child.output < 0:
            return
        try:
            data = child.read(most)
        except OSError:  # nobody has the terminal open: of its being opened again no readiness tells
            data = b""
            if child.status is None:
                self._due[self._listen_to_output] = time.monotonic() + _REOPEN_SECONDS
            else:
                self._unwatch(child.output)
                return
        if data is None:
            self._unwatch(child.output)
            if child.input is None or child.input.descriptor != child.output:
                os.close(child.output)
                child.output = -1
            return
        if data:
            text = self._log.append(data, time.time())
            if self._log.failure:
                self._tell_trouble(f"a job's output can't be kept: {self._log.failure}")
                self._due[self._retry_disk] = time.monotonic() + _DISK_SECONDS
            else:
                self._trouble = ""
            if self._line is None:
                self._answer(text)
            self._announce()
        self._watch_child(child)

    def _retry_disk(self) -> None:
        self._log.retry(time.time())
        if self._log.failure:
            self._due[self._retry_disk] = time.monotonic() + _DISK_SECONDS

    def _announce(self) -> None:
        """Tell the engine of what there is, unless it still reads what it was told of."""
        log = self._log
        if self._line is None or self._in_flight or log.end <= self._announced:
            return
        self._in_flight = True
        if self._announced < log.written:
            self._announced = log.written
            self._say(frame(frames.MORE, log.written))
        else:
            self._hand_over_unwritten()

    def _hand_over_unwritten(self) -> None:
        log = self._log
        start = max(self._announced, log.written)
        if start < log.end:
            self._announced = log.end
            self._say(frame(frames.DATA, start, bytes(log.unwritten[start - log.written :])))

    def _saw(self, byte: int) -> None:
        self._seen = min(max(byte, 0), self._log.end)
        self._log.guard(self._seen)
        self._in_flight = False
        self._announced = max(self._announced, self._seen)
        self._announce()
        self._listen_to_output()

    def _close_output(self) -> None:
        child = self._child
        if child is not None:
            for descriptor in {child.output, child.input.descriptor if child.input is not None else -1} - {-1}:
                self._unwatch(descriptor)
            child.close_output()

    def _answer(self, text: str) -> None:
        """Nobody else is there to answer what a program asks its terminal: what needs no state is answered here."""
        child = self._child
        if child is None or not child.slave_name or child.input is None:
            return
        if self._questions is None:
            if "\x1b" not in text:
                return
            from engine.output.questions import Responder

            self._questions = Responder()
        answers = self._questions.feed(text, self._log.cols, self._log.rows)
        if answers:
            child.input.add(answers.encode())
            self._watch_child(child)

    # -- what it waits for --------------------------------------------------------------------------------------------

    def _tell_trouble(self, text: str) -> None:
        if text != self._trouble:
            self._trouble = text
            self._say(frame(frames.TROUBLE, text.encode()))

    def _watch(self, what: "Line | socket.socket | int", events: int, then: Callable[[int], None]) -> None:
        number = what if isinstance(what, int) else what.fileno()
        known = self._selector.get_map().get(number)
        if not events:
            self._unwatch(number)
        elif known is None:
            self._selector.register(number, events, then)
        elif known.events != events or known.data != then:
            self._selector.modify(number, events, then)

    def _unwatch(self, what: "Line | socket.socket | int") -> None:
        number = what if isinstance(what, int) else what.fileno()
        if number in self._selector.get_map():
            self._selector.unregister(number)


def main(folder: str) -> None:
    """Hold the job that the engine at descriptor 3 asks for, in ``folder``."""
    os.chdir(folder)
    os.setsid()  # detached-spawn: ok, a holder outlives its engine, and ends when its job's end is collected
    ignore_what_is_not_meant_for_us()
    os.set_inheritable(3, False)
    Holder(socket.socket(fileno=3)).run()


if __name__ == "__main__":
    main(sys.argv[1])
