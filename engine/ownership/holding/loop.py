"""What a holder waits for: descriptors, and times. Standard library only."""

import selectors
import socket
import time
from collections.abc import Callable

from engine.ownership.holding.frames import Line

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
Ready = Callable[[int], None]
"""Called with what a descriptor is ready for."""


class Loop:
    """Calls who waits, one after another, until it is stopped."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._due: dict[Callable[[], None], float] = {}
        self.stopped = False

    def run(self) -> None:
        """Until it is stopped."""
        while not self.stopped:
            patience = max(0.0, min(self._due.values()) - time.monotonic()) if self._due else None
            for key, events in self._selector.select(patience):
                if self._selector.get_map().get(key.fd) is key:  # not if what came before has changed it
                    key.data(events)
            now = time.monotonic()
            for act in [act for act, when in self._due.items() if when <= now]:
                del self._due[act]
                act()

    def watch(self, what: "Line | socket.socket | int", events: int, then: Ready) -> None:
        """Call ``then`` when it is ready for any of these; none: as `unwatch`."""
        number = _number(what)
        known = self._selector.get_map().get(number)
        if not events:
            self.unwatch(number)
        elif known is None:
            self._selector.register(number, events, then)
        elif known.events != events or known.data != then:
            self._selector.modify(number, events, then)

    def unwatch(self, what: "Line | socket.socket | int") -> None:
        """Wait for it no more. Before it is closed."""
        number = _number(what)
        if number in self._selector.get_map():
            self._selector.unregister(number)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Do this once, so long from now; of the same act only the latest counts."""
        self._due[act] = time.monotonic() + seconds

    def waits(self, act: Callable[[], None]) -> bool:
        """Is this yet to be done?"""
        return act in self._due


def _number(what: "Line | socket.socket | int") -> int:
    return what if isinstance(what, int) else what.fileno()
