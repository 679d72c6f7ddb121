"""A holder: the small process that has a job's pipe or terminal, so that the job outlives its engine (spec 3.4).

Started by `engine.ownership.calling`, orphaned at once, in a session of its own. It keeps the job's output in a log,
its exit in a file, and speaks with one engine at a time, over a private socket in its folder. Standard library only,
and little of it: there is one of these a job.
"""

import os
import signal
import socket
import sys
import time

from engine.ownership.holding import frames
from engine.ownership.holding.callers import Callers
from engine.ownership.holding.child import Child, NoScope, ignore_what_is_not_meant_for_us, runs, start_of
from engine.ownership.holding.folder import remove_folder, write_exit, write_holder
from engine.ownership.holding.frames import Frame, Garbage, Line, frame, peer
from engine.ownership.holding.log import Log
from engine.ownership.holding.loop import READ, WRITE, Loop
from engine.ownership.holding.streams import Streams

_KEPT_SECONDS = 7 * 24 * 3600.0
"""How long the end of a job waits for an engine."""


class Holder:
    """One job, and the engine that has it, if any."""

    def __init__(self, born_with: socket.socket) -> None:
        self._loop = Loop()
        self._line: Line | None = Line(born_with)
        """The engine's."""
        self._engine = (0, 0.0)
        self._job: tuple[Child, Streams] | None = None
        self._callers: Callers | None = None
        self._running = False
        self._story = b""
        self._exited_at = 0.0
        self._loop.watch(self._line, READ, self._ready)
        self._hear_of_children()

    def run(self) -> None:
        """Until nobody needs it any more."""
        self._loop.run()

    # -- the engine ---------------------------------------------------------------------------------------------------

    def _ready(self, events: int) -> None:
        line = self._line
        if line is None:
            return
        if events & WRITE and line.flush():
            self._loop.watch(line, READ, self._ready)
        if not events & READ:
            return
        try:
            found = line.receive()
        except Garbage:
            found = None
        if found is None:
            self._alone()
        else:
            self._hear(line, found)

    def _hear(self, line: Line, found: list[Frame]) -> None:
        for kind, fields in found:
            try:
                self._obey(kind, fields)
            except (ValueError, IndexError):
                self._alone()  # nobody of ours talks like that
            if self._line is not line or self._loop.stopped:
                return

    def _obey(self, kind: bytes, fields: list[bytes]) -> None:
        if kind == frames.START:
            self._start(fields)
            return
        if self._job is None:
            raise ValueError("there is no job yet")
        child, streams = self._job
        if kind == frames.RUN:
            self._running = True
            child.run()
            self._look()  # somebody may have ended it at its gate
        elif kind == frames.STORY:
            self._story = fields[0]
        elif kind == frames.INPUT:
            streams.give(fields[0])
        elif kind == frames.END_INPUT:
            streams.end_input()
        elif kind == frames.RESIZE:
            streams.resize(int(fields[0]), int(fields[1]))
        elif kind == frames.SEEN:
            streams.saw(int(fields[0]), int(fields[1]))
        elif kind == frames.FLUSH:
            streams.drain()
            self._say(frame(frames.FLUSHED, streams.log.end))
        elif kind == frames.CLOSE:
            streams.close()
        elif kind == frames.COLLECTED:
            self._end()

    def _say(self, data: bytes, descriptors: tuple[int, ...] = ()) -> None:
        line = self._line
        if line is not None:
            line.send(data, descriptors)
            if line.waits:
                self._loop.watch(line, READ | WRITE, self._ready)

    def _alone(self) -> None:
        """The engine is gone, or none of ours. Before the gate was opened nothing has run, and nothing shall."""
        line, self._line = self._line, None
        if line is not None:
            self._loop.unwatch(line)
            line.close()
        if self._job is not None and self._running:
            self._job[1].leave()
            return
        if self._job is not None:
            self._job[0].abandon()
            self._job = None
        self._end()

    def _called(self, line: Line, engine: tuple[int, float], found: list[Frame]) -> None:
        """Another engine: it may have the job if the one that had it is dead."""
        if self._job is None or not self._running:
            line.close()
            return
        if self._line is not None and runs(*self._engine):
            line.send(frame(frames.BUSY, *self._engine))
            line.close()
            return
        if self._line is not None:
            self._alone()
        self._line, self._engine = line, engine
        self._loop.watch(line, READ, self._ready)
        self._tell_standing(frames.HELD, *self._job)
        self._job[1].attend()
        self._hear(line, found)

    # -- the job ------------------------------------------------------------------------------------------------------

    def _start(self, fields: list[bytes]) -> None:
        cwd, size, stdin, boot, self._story, seconds, leading, count = fields[:8]
        words_at, pairs_at = 8 + int(leading), 8 + int(leading) + int(count)
        way_in, words, pairs = fields[8:words_at], fields[words_at:pairs_at], fields[pairs_at:]
        env = dict(pair.split(b"=", 1) for pair in pairs)
        cols, rows = map(int, size.split()) if size else (0, 0)
        line = self._line
        if self._job is not None or line is None:
            raise ValueError("it has a job already")
        self._engine = (peer(line.sock)[0], start_of(peer(line.sock)[0]))
        try:
            child = Child(
                words,
                cwd,
                env,
                size=(cols, rows) if size else None,
                stdin_pipe=bool(stdin),
                way_in=way_in,
                seconds=float(seconds),
            )
            self._job = child, Streams(self._loop, child, Log(cols, rows), self._say)
            self._callers = Callers(self._loop, self._called)
            write_holder(os.getpid(), start_of(os.getpid()), child.pid, child.started, boot)
        except (OSError, NoScope) as error:
            if isinstance(error, NoScope):
                self._say(frame(frames.NO_SCOPE, str(error).encode()))
            else:
                self._say(frame(frames.FAILED, error.errno or 0, (error.strerror or str(error)).encode()))
            self._alone()
            return
        self._tell_standing(frames.STARTED, *self._job)

    def _tell_standing(self, kind: bytes, child: Child, streams: Streams) -> None:
        log = streams.log
        written = log.at_written()
        takes_input = "none" if child.input is None else "closed" if child.input.ending else "open"
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
            "seen": streams.seen,
            "looked": streams.looked,
            "input": takes_input.encode(),
            "input_waiting": child.input.size if child.input is not None else 0,
            "status": b"" if child.status is None else child.status,
            "exited_at": self._exited_at,
            "story": self._story,
        }
        master = (child.output,) if child.slave_name and child.output >= 0 else ()
        self._say(frame(kind, *(values[name] for name in frames.STANDING)), master)

    def _hear_of_children(self) -> None:
        hears, tells = socket.socketpair()
        hears.setblocking(False)
        tells.setblocking(False)
        signal.set_wakeup_fd(tells.detach(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

        def woken(_events: int) -> None:
            hears.recv(4096)
            self._look()

        self._loop.watch(hears, READ, woken)

    def _look(self) -> None:
        """Has the job's child exited?"""
        if self._job is None or not self._running:
            return
        child, streams = self._job
        if child.status is not None or not child.look():
            return
        self._exited_at = time.time()
        streams.drain()
        if self._line is not None:
            self._say(frame(frames.EXIT, child.status or 0, self._exited_at, streams.log.end))
        else:
            streams.close()
        self._loop.later(_KEPT_SECONDS, self._end)
        try:
            write_exit(child.status or 0, self._exited_at)
        except OSError as error:
            streams.tell_trouble(f"a job's exit can't be recorded: {error.strerror}")

    def _end(self) -> None:
        """Nobody needs to know any more."""
        self._loop.stopped = True
        if self._job is not None:
            child, streams = self._job
            streams.close()
            if child.status is not None:
                child.reap()
        remove_folder()


def main(folder: str) -> None:
    """Hold the job that the engine at descriptor 3 asks for, in ``folder``."""
    os.chdir(folder)
    os.setsid()  # detached-spawn: ok, a holder outlives its engine, and ends when its job's end is collected
    ignore_what_is_not_meant_for_us()
    os.set_inheritable(3, False)
    Holder(socket.socket(fileno=3)).run()


if __name__ == "__main__":
    main(sys.argv[1])
