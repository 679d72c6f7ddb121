"""Who is told what the engine says: consoles by events, owners by notices. Lives on the engine's loop alone."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from engine.clock import Clock
from engine.config import Settings
from engine.events import Event, Notice
from engine.notices.inbox import Inbox
from engine.notices.letter import Letter
from engine.notices.losses import Losses
from engine.notices.postbox import Postbox
from engine.registry.feed import Feed, Picture
from engine.spec import Caller

EventT = TypeVar("EventT", bound=Event)
NoticeT = TypeVar("NoticeT", bound=Notice)


class Broadcast:
    """Subscribers of events, receivers of notices, and the one sequence of numbers."""

    def __init__(
        self,
        clock: Clock,
        settings: Settings,
        *,
        trouble: Callable[[str, BaseException], None],
        warn: Callable[[str], None],
    ) -> None:
        self._clock = clock
        self._trouble = trouble
        self._feeds: list[Feed] = []
        self._sequence = 0
        self._losses = Losses(clock, settings.notices_lost_seconds, self._operator_listens, warn)
        self.postbox = Postbox(clock, settings, lost=self._lose, trouble=trouble)
        self.keep: Callable[[Letter], object] = lambda _letter: None
        """Told of each letter that waits to be taken; it may be told by `Letter.gone` when it waits no more."""

    @property
    def heard(self) -> bool:
        """Does anybody subscribe?"""
        return bool(self._feeds)

    def subscribe(self, feed: Feed, picture: Callable[[], Picture]) -> None:
        """Begin a feed with a snapshot of this moment; what is published from now on follows it.

        An operator's console also gets what was kept for the operator while there was none.
        """
        feed.begin(self._sequence, picture)
        self._feeds.append(feed)
        if not feed.caller.is_operator:
            return
        for letter in self.postbox.claim(feed.caller):
            self._sequence += 1  # later than the snapshot that it follows
            letter.notice = msgspec.structs.replace(letter.notice, sequence=self._sequence)
            if not self._put(feed, letter.notice, letter):
                self.postbox.put_back([letter])
        self._losses.tell()

    def unsubscribe(self, feed: Feed) -> None:
        """Tell this feed nothing more; what it was still to tell its owner is kept, unless another tells it too."""
        if feed not in self._feeds:
            return
        self._feeds.remove(feed)
        # In this order: what another feed no longer holds, it has taken.
        left = [letter for letter in feed.give_back() if not any(other.holds(letter) for other in self._feeds)]
        self.postbox.put_back([letter for letter in left if not letter.taken])

    def receive(self, inbox: Inbox) -> None:
        """Hand out to this inbox what is addressed to its caller, beginning with what was kept."""
        self.postbox.connect(inbox)
        self._losses.tell()

    def publish(self, make: Callable[[int, float], Event], concerns: Callable[[Event], str | None]) -> None:
        """Tell one event, made with the next sequence number and the time, to consoles and to whom it concerns."""
        event = self._numbered(make)
        owner = concerns(event)
        for feed in tuple(self._feeds):
            if feed.caller.is_operator or feed.caller.owner == owner:
                self._put(feed, event)

    def notify(self, owner: str, make: Callable[[int, float], NoticeT], *, except_for: Sequence[Caller] = ()) -> Letter:
        """Tell consoles one event, and its owner as a notice: exactly once, kept until it is taken.

        Where the operator is the owner, an open console has it by the event.

        Args:
            owner: Whom it is addressed to; empty is the operator.
            make: Makes it from the next sequence number and the time.
            except_for: Who knows already.
        """
        letter = Letter(owner, self._numbered(make), self._clock.wall())
        self._show(letter.notice, letter, except_for)
        if not any(self.postbox.concerns(owner, caller) for caller in except_for):
            self._send(letter)
        return letter

    def send(self, owner: str, make: Callable[[int, float], NoticeT]) -> None:
        """Tell its owner alone: consoles know it in another way."""
        self._send(Letter(owner, self._numbered(make), self._clock.wall()))

    def notify_all(self, owners: Iterable[str], make: Callable[[int, float], NoticeT]) -> None:
        """As `notify`, with one event for all of these owners."""
        notice = self._numbered(make)
        letters = {owner: Letter(owner, notice, self._clock.wall()) for owner in owners}
        self._show(notice, letters.get(""))
        for letter in letters.values():
            self._send(letter)

    def _show(self, notice: Notice, letter: Letter | None, except_for: Sequence[Caller] = ()) -> None:
        """To the consoles, apart from those who know."""
        knowing = {caller.owner for caller in except_for}
        for feed in tuple(self._feeds):
            if feed.caller.is_operator and feed.caller.owner not in knowing:
                self._put(feed, notice, letter)

    def _send(self, letter: Letter) -> None:
        """To its owner. The operator has it by a console, if there is one."""
        self.keep(letter)
        # In this order: what a console no longer holds, it has taken.
        told = any(feed.caller.owner == letter.owner and feed.holds(letter) for feed in self._feeds) or letter.taken
        if not told or self.postbox.connected(letter.owner):
            self.postbox.post(letter)

    def withdraw(self, letter: Letter, reader: Caller | None = None) -> None:
        """Take back a notice that hasn't been taken: from everybody, or where it waits for this reader."""
        for feed in self._feeds:
            if reader is None or feed.caller.owner == reader.owner:
                feed.withdraw(letter)
        self.postbox.withdraw(letter, reader)
        if reader is None or self.postbox.concerns(letter.owner, reader):
            letter.gone()

    def adopt(self, letters: Iterable[Letter]) -> None:
        """Letters of dead engines: they are told as if they came now, and count from when they were sent.

        Consoles are told what is the operator's; the rest was shown when it came.
        """
        for letter in letters:
            self._sequence += 1
            letter.notice = msgspec.structs.replace(letter.notice, sequence=self._sequence)
            if not letter.owner:
                self._show(letter.notice, letter)
            self._send(letter)

    def _lose(self, letters: list[Letter], why: str) -> None:
        for letter in letters:
            letter.gone()
        self._losses.add(letters, why)

    def _numbered(self, make: Callable[[int, float], EventT]) -> EventT:
        self._sequence += 1
        return make(self._sequence, self._clock.wall())

    def _put(self, feed: Feed, event: Event, letter: Letter | None = None) -> bool:
        """False if the feed takes nothing more. What a broken one holds is given back."""
        try:
            return feed.put(event, letter)
        except Exception as error:  # noqa: BLE001  a broken subscriber must not cost a job or another anything
            self.unsubscribe(feed)
            self._trouble("a subscriber of events failed and was dropped", error)
            return True

    def _operator_listens(self) -> bool:
        return any(feed.caller.is_operator for feed in self._feeds) or self.postbox.connected("")
