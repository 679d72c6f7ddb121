"""``jobdeck run``: one job in the foreground, as transparent as a shell's."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue

import msgspec

from engine.api.host import Engine
from engine.config import Configuration
from engine.events import Event, JobExited, JobView
from engine.process.descriptors import seal_inherited
from engine.registry.start import StartError
from engine.registry.tap import RawTap
from engine.spec import JobSpec, SpecError
from tui.cli.own_terminal import OwnTerminal

_INTERRUPT_GRACE_SECONDS = 2.0
_LOOK_SECONDS = 0.05
_COULD_NOT_START = 1
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP, signal.SIGWINCH)

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def run_foreground(spec: JobSpec, configuration: Configuration | None = None) -> int:
    """Run the job to its end; the exit code for the shell: its own, or 128+N for death by signal N."""
    seal_inherited()  # before anything of ours could get the number of a closed standard descriptor
    waiting: SimpleQueue[int | None] = SimpleQueue()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would take the job's exit code from us
    _hear_signals(waiting)
    tap = RawTap(_stdin() if not spec.pty else None, 1, 2)
    if spec.pty:
        cols, rows = OwnTerminal.size()
        spec = msgspec.structs.replace(spec, cols=cols, rows=rows)
    with Engine(configuration=configuration, recovers=False) as engine:
        feed = engine.events(on_ready=lambda: waiting.put(None))
        try:
            session_id = engine.foreground(spec, tap).result().session_id
        except (StartError, SpecError) as error:
            sys.stderr.write(f"jobdeck run: {error}\n")
            return (error.exit_code if isinstance(error, StartError) else None) or _COULD_NOT_START
        with OwnTerminal(engine, session_id, active=spec.pty):
            ended, asked = _follow(engine, session_id, feed.take, waiting)
            tap.finish()
            while not tap.wait_written(_LOOK_SECONDS):  # a reader that has stalled holds us, as it holds any program
                asked = next((n for n in _taken(waiting) if n in _ENDING), 0)
                if asked:
                    return 128 + asked
    code = _exit_code(ended, asked)
    if tap.failure:
        sys.stderr.write(f"jobdeck run: {tap.failure}\n")
        return code or _COULD_NOT_START
    return code


def _hear_signals(waiting: "SimpleQueue[int | None]") -> None:
    """Put the signals that are forwarded into the queue, by a pipe that Python's own handler writes their numbers to.

    A handler in Python would run only once the main thread is awake: a signal that comes just before it falls asleep
    would be heard when something else wakes it, or never.
    """
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end)

    def hear() -> None:
        while True:
            for number in os.read(read_end, 64):
                waiting.put(number)

    threading.Thread(target=hear, name="jobdeck-signals", daemon=True).start()
    for number in _FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, lambda _number, _frame: None)


def _taken(waiting: "SimpleQueue[int | None]") -> Iterator[int]:
    while not waiting.empty():
        item = waiting.get()
        if item is not None:
            yield item


def _stdin() -> int | None:
    """Our stdin for the job; none where it is closed, or a terminal that another program has (``run … &``)."""
    try:
        if os.isatty(0) and os.tcgetpgrp(0) != os.getpgrp():
            return None
        os.fstat(0)
    except OSError:
        return None
    return 0


class _Interrupts:
    """What a signal to us does to the job: Ctrl-C first asks it, then ends its tree."""

    def __init__(self, engine: Engine, session_id: str) -> None:
        self._engine = engine
        self._session_id = session_id
        self.asked = 0
        """The signal that began its end, 0 if none did."""
        self._kill_at = float("inf")

    def take(self, number: int) -> None:
        """Act on one signal."""
        engine, session_id = self._engine, self._session_id
        if number == signal.SIGWINCH:
            engine.resize(session_id, *OwnTerminal.size())
        elif number == signal.SIGTSTP:
            engine.signal(session_id, "STOP").result()
            os.kill(os.getpid(), signal.SIGSTOP)
            engine.signal(session_id, "CONT").result()
        elif number in (signal.SIGINT, signal.SIGQUIT) and not self.asked:
            engine.signal(session_id, signal.Signals(number).name)
            self._kill_at = time.monotonic() + _INTERRUPT_GRACE_SECONDS
            self.asked = number
        else:
            engine.kill(session_id, now=bool(self.asked))
            self.asked = self.asked or number

    @property
    def patience(self) -> float | None:
        """Seconds until an asked job is ended; None while there is nothing to wait for."""
        left = self._kill_at - time.monotonic()
        return None if left == float("inf") else max(0.0, left)

    def out_of_patience(self) -> None:
        """It was asked and is still there: end its tree."""
        self._kill_at = float("inf")
        self._engine.kill(self._session_id)


def _follow(
    engine: Engine,
    session_id: str,
    take: Callable[[], list[Event]],
    waiting: "SimpleQueue[int | None]",
) -> tuple[JobView, int]:
    """Wait for the job's end and pass signals on; its last view and the signal that began its end."""
    interrupts = _Interrupts(engine, session_id)
    while True:
        try:
            item = waiting.get(timeout=interrupts.patience)
        except Empty:
            interrupts.out_of_patience()
            continue
        if item is not None:
            interrupts.take(item)
            continue
        for event in take():
            if isinstance(event, JobExited) and event.job.session_id == session_id:
                return event.job, interrupts.asked


def _exit_code(job: JobView, asked: int) -> int:
    if asked and job.completion_reason == "killed":
        return 128 + asked
    code = job.exit_code if job.exit_code is not None else _COULD_NOT_START
    return code if code >= 0 else 128 - code
