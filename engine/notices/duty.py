"""Whether a job's end is still to be told, and to whom not: the rules of *consumed* and *observed* (spec 2.2)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from engine.spec import Caller


class Teller(Protocol):
    """Tells one job's completion, and takes it back where it still waits."""

    def tell(self, except_for: Sequence[Caller]) -> None:
        """Tell the owner and all who listen, apart from those who know already."""

    def withdraw(self, reader: Caller | None) -> None:
        """Take it back where nobody has taken it: from everybody (None), or from this reader."""


class CompletionDuty:
    """One job's completion: told at most once, and not at all if its owner learnt of the end by itself.

    A read of the owner that is under way when the end comes holds the completion back until the read has answered: if
    it saw the end the completion is consumed, if not (it was cancelled) it is told then. What is read before the end
    is recorded marks nothing.
    """

    def __init__(self) -> None:
        self._teller: Teller | None = None
        self._reads = 0
        self._ended = False
        self._told = False
        self._consumed = False
        self._observers: list[Caller] = []
        self._waiting: list[Callable[[], None]] = []

    @property
    def told(self) -> bool:
        """Has it been told?"""
        return self._told

    @property
    def asked(self) -> bool:
        """Has the job ended, and was its completion asked for?"""
        return self._teller is not None

    @property
    def settled(self) -> bool:
        """Has the job ended, and is nobody to be told who hasn't been?"""
        return self._ended and (self._teller is None or self._told or self._consumed)

    def when_settled(self, then: Callable[[], None]) -> None:
        """Call ``then`` once it is settled: at once, if it is."""
        self._waiting.append(then)
        self._release()

    def end(self, teller: Teller | None) -> None:
        """The end is recorded. ``teller`` is None when nobody asked to be told."""
        if not self._ended:
            self._ended = True
            self._teller = teller
            self._tell_if_due()
            self._release()

    def told_by(self, teller: Teller) -> None:
        """It was told before, by an earlier engine, and waits to be taken: ``teller`` takes it back."""
        self._teller, self._told = teller, True

    @contextmanager
    def owner_read(self) -> Iterator[None]:
        """A read of the owner's that will answer with the end, if it comes meanwhile."""
        self._reads += 1
        try:
            yield
        finally:
            self._reads -= 1
            self._tell_if_due()

    def consume(self) -> None:
        """The owner has read the end: no further notice anywhere."""
        if self._ended and not self._consumed:
            self._consumed = True
            if self._told and self._teller is not None:
                self._teller.withdraw(None)
            self._release()

    def observe(self, reader: Caller) -> None:
        """This caller has read the end: it isn't told again, others are."""
        if self._ended and not self._consumed:
            self._observers.append(reader)
            if self._told and self._teller is not None:
                self._teller.withdraw(reader)

    def _tell_if_due(self) -> None:
        if self._ended and self._teller is not None and not (self._told or self._consumed or self._reads):
            self._told = True
            self._teller.tell(self._observers)
            self._release()

    def _release(self) -> None:
        while self._waiting and self.settled:
            self._waiting.pop(0)()
