"""One pane's stream: attached while the pane is seen, detached with its position kept while it is hidden."""

import asyncio
from typing import TYPE_CHECKING, Protocol

from engine import Attachment
from engine.replay import StreamItem
from engine.results import Refused
from tui.bridge.feed import Feed, Terminal

if TYPE_CHECKING:
    from tui.bridge.bridge import Bridge


CALM_SECONDS = 0.1
"""After this long without output a picture that a flood made approximate is made exact."""


class PaneTerminal(Terminal, Protocol):
    """A pane's emulator together with what paints it."""

    def show(self) -> None:
        """A frame has been fed: paint what changed."""

    def held(self) -> None:
        """There is more, which waits until nobody reads what is shown."""

    def refused(self, why: str) -> None:
        """The engine can't show this job's output."""


class PaneStream:
    """The way of one job's output into one pane. All on the loop's thread.

    Hiding detaches and keeps the position; showing attaches at it. So a hidden pane costs nothing, and the pane
    sees each character once and in order.
    """

    def __init__(self, bridge: "Bridge", terminal: PaneTerminal) -> None:
        self._bridge = bridge
        self._terminal = terminal
        self._feed = Feed(terminal)
        self._attachment: Attachment | None = None
        self._owed = 0
        self._round = 0
        self._session_id = ""
        self._wanted = False
        self._calm: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> bool:
        """Has something come that isn't taken in yet?"""
        return self._feed.waiting

    @property
    def held(self) -> bool:
        """Does what comes next wait until nobody reads, because it begins with a fresh start?"""
        return self._feed.held

    @property
    def behind(self) -> bool:
        """Does the job write more than the engine keeps from one frame to the next?"""
        return self._feed.behind

    @property
    def attached(self) -> bool:
        """Does the engine send to this pane (or has been asked to)?"""
        return self._wanted

    @property
    def position(self) -> int | None:
        """The position after the last character taken in; None before the first replay."""
        return self._feed.position

    @property
    def session_id(self) -> str:
        """Whose output it is; empty before `follow`."""
        return self._session_id

    @property
    def rebuilding(self) -> bool:
        """Is an exact picture being made? Until it is whole, nothing of it is worth painting."""
        return self._feed.patient and self._feed.position is not None

    @property
    def passed_over(self) -> bool:
        """Has something been passed over that is kept, and so can be made exact?"""
        return self._feed.approximate

    def follow(self, session_id: str) -> None:
        """Show this job's output from the start of what is kept: a new pane, or a job that was restarted."""
        self.forget()
        self._session_id = session_id
        self.resume()

    def forget(self) -> None:
        """Detach for good from the job: another one takes its place."""
        self.pause()
        self._session_id = ""
        self._feed = Feed(self._terminal)

    def resume(self) -> None:
        """The pane is seen: attach where it left off."""
        if self._wanted or not self._session_id:
            return
        self._wanted = True
        self._round += 1
        self._owed = 0
        round_ = self._round
        self._bridge.attach(
            self._session_id,
            self._feed.position,
            lambda item: self._arrived(round_, item),
            lambda answer: self._answered(round_, answer),
        )

    def pause(self) -> None:
        """The pane is hidden or closed: detach, drop what waits, keep the position."""
        self._wanted = False
        self._round += 1
        self._feed.clear()
        if self._attachment is not None:
            self._attachment.detach()
            self._attachment = None

    def anew(self) -> None:
        """Take in from the start again what is kept: the engine shows it otherwise from now on."""
        seen = self._wanted
        self.pause()
        self._feed = Feed(self._terminal)
        if seen:
            self.resume()

    def rebuild(self) -> None:
        """Make an approximate picture exact: everything that is kept, from its base on."""
        if self._feed.approximate and self._wanted:
            self.pause()
            self._feed = Feed(self._terminal, patient=True)
            self.resume()

    def step(self, limit: int) -> int:
        """Take in one slice; the next item is asked for only when one has been taken in whole."""
        before = self._feed.position or 0
        if self._feed.step(limit):
            if self._attachment is None:
                # The first item has overtaken the answer that brings the attachment.
                self._owed += 1
            else:
                self._attachment.grant()
        return (self._feed.position or 0) - before

    def show(self) -> None:
        """Paint what changed; after a flood, make it exact once there is calm."""
        if not self.rebuilding:
            self._terminal.show()
        if self._feed.approximate:
            if self._calm is not None:
                self._calm.cancel()
            self._calm = asyncio.get_running_loop().call_later(CALM_SECONDS, self._rebuild_if_calm)

    def _rebuild_if_calm(self) -> None:
        self._calm = None
        if not self._feed.waiting and not self._terminal.being_read():
            self.rebuild()

    def go_on(self) -> None:
        """Take in what waits, unless it would take away what is being read."""
        if self._feed.held:
            self._terminal.held()
        elif self._feed.waiting:
            self._bridge.pump.wake()

    def _arrived(self, round_: int, item: StreamItem) -> None:
        if round_ == self._round:
            self._feed.put(item)
            self.go_on()

    def _answered(self, round_: int, answer: Attachment | Refused) -> None:
        if isinstance(answer, Refused):
            if round_ == self._round:
                self._wanted = False
                self._terminal.refused(answer.error)
        elif round_ != self._round:
            answer.detach()
        else:
            self._attachment = answer
            for _ in range(self._owed):
                answer.grant()
            self._owed = 0
