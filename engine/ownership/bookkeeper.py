"""Keeps the ledger, on a thread of its own: it may have to wait for another process, and no other file shall."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

import msgspec

from engine.ownership.ledger import Ledger, Row

_AGAIN_SECONDS = 1.0

Once = Callable[[Callable[[], None]], None]
"""Calls what it is given once that may happen: at once or later, on any thread."""


def at_once(then: Callable[[], None]) -> None:
    """See `Once`."""
    then()


class Bookkeeper:
    """Puts rows in and strikes them out, all that wait in one go; used from the engine's loop.

    What can't be done now (a lock that is held, a full disk) is kept and tried again. The thread starts with the first
    row and sleeps while there is nothing to do.
    """

    def __init__(self, ledger: Ledger, wait: float, report: Callable[[str, BaseException | None], object]) -> None:
        self._ledger = ledger
        self._wait = wait
        self._report = report
        self._changed = threading.Condition()
        self._add: dict[int, Row] = {}
        self._strike: set[Row] = set()
        self._over: set[Row] = set()
        """Nothing of these runs; they are to be struck out once they may."""
        self._there: set[tuple[int, float, str]] = set()
        """Which of ours have a row in the file."""
        self._own: dict[int, Row] = {}
        """Ours that are in the ledger or on their way, by group."""
        self._waiting: list[Future[None]] = []
        self._busy = False
        self._failing = False
        self._closing = False
        self._thread: threading.Thread | None = None

    def record(self, row: Row) -> "Future[None]":
        """Put a row in; the future is done when it is."""
        future: Future[None] = Future()
        with self._changed:
            self._own[row.pgid] = self._add[row.pgid] = row
            self._waiting.append(future)
            self._wake()
        return future

    def keep(self, row: Row) -> None:
        """This row is in the ledger already, put in by another engine, and is ours to strike now."""
        with self._changed:
            self._own[row.pgid] = row
            self._there.add(row.key)

    def settle(self, pgid: int, once: Once = at_once) -> None:
        """The end of this group's job is recorded, though somebody is still in it: say so in its row, ``once`` that
        may be said."""
        with self._changed:
            row = self._own.get(pgid)
        if row is not None and not row.settled:
            once(lambda: self._settle_row(row))

    def _settle_row(self, row: Row) -> None:
        with self._changed:
            if self._own.get(row.pgid) is row:
                self._own[row.pgid] = self._add[row.pgid] = msgspec.structs.replace(row, settled=True)
                self._wake()

    def unsettled(self) -> set[str]:
        """Jobs of which a row may be in the ledger that says they run; for any thread."""
        with self._changed:
            rows = [*self._own.values(), *self._over, *self._strike]
            amended = [row for row in self._add.values() if row.key in self._there]
        return {row.session_id for row in rows if not row.settled} | {row.session_id for row in amended}

    def strike(self, pgid: int, once: Once = at_once) -> None:
        """Nothing of this group runs any more: its row goes, ``once`` it may."""
        with self._changed:
            row = self._own.pop(pgid, None)
            if row is None:
                return
            self._over.add(row)
        once(lambda: self._strike_row(row))

    def _strike_row(self, row: Row) -> None:
        with self._changed:
            self._over.discard(row)
            coming = self._add.get(row.pgid) is row
            if coming:
                del self._add[row.pgid]
            if not coming or row.key in self._there:
                self._strike.add(row)
            self._there.discard(row.key)
            self._wake()

    @property
    def groups(self) -> tuple[int, ...]:
        """The groups of ours that have a row, or soon will."""
        with self._changed:
            return tuple(self._own)

    def close(self, timeout: float) -> None:
        """Do what is left, at most so long, then end the thread."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._add or self._strike or self._busy), timeout)
            self._closing = True
            self._changed.notify_all()

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="jobdeck-ledger", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                if self._failing:
                    self._changed.wait(_AGAIN_SECONDS)
                self._changed.wait_for(lambda: self._add or self._strike or self._waiting or self._closing)
                if self._closing:
                    return
                self._busy = True
                add, strike, waiting = tuple(self._add.values()), frozenset(self._strike), tuple(self._waiting)
            if self._write(add, strike):
                self._settle(add, strike, waiting)

    def _write(self, add: tuple[Row, ...], strike: frozenset[Row]) -> bool:
        error: OSError | None = None
        try:
            over = {row.key for row in (*strike, *add)}
            done = self._ledger.change(lambda rows: [*(row for row in rows if row.key not in over), *add], self._wait)
        except OSError as failure:
            done, error = False, failure
        if not done and not self._failing:
            self._report("the ledger of started processes can't be written; it is tried again", error)
        self._failing = not done
        return done

    def _settle(self, add: tuple[Row, ...], strike: frozenset[Row], waiting: tuple["Future[None]", ...]) -> None:
        with self._changed:
            for row in add:
                if self._add.get(row.pgid) is row:
                    del self._add[row.pgid]
                    self._there.add(row.key)
                else:
                    self._strike.add(row)  # it was struck out, or amended, while it was being put in
            self._strike -= strike
            self._waiting = [future for future in self._waiting if future not in waiting]
        for future in waiting:
            if not future.done():
                future.set_result(None)
