"""Hits that nobody has taken from a feed, put together so that they can't grow without end; not one goes uncounted."""

from collections.abc import Iterable

import msgspec

from engine.events import Event, WatchHit

_MOST_WAITING = 2_048


class HitCount:
    """How many hits wait in a feed that were told to nobody, and when it is time to put them together."""

    def __init__(self) -> None:
        self._waiting = 0
        self._most = _MOST_WAITING

    def came(self, event: Event) -> bool:
        """One event more waits; True: `gathered` is due."""
        self._waiting += _is_held(event)
        return self._waiting > self._most

    def gone(self, event: Event) -> None:
        """One event has been taken."""
        self._waiting -= _is_held(event)

    def all_gone(self) -> None:
        """All events have been taken."""
        self._waiting, self._most = 0, _MOST_WAITING

    def gathered(self, events: Iterable[Event]) -> list[Event]:
        """The same events with one for all held hits of each watch, at the place of the newest of them."""
        waiting: dict[object, Event] = {}
        held = 0
        for event in events:
            key: object = event.sequence
            if isinstance(event, WatchHit) and not event.delivered:
                key = (event.session_id, event.owner, event.held_by)
                older = waiting.pop(key, None)
                held += older is None
                if isinstance(older, WatchHit):
                    event = msgspec.structs.replace(  # noqa: PLW2901  the first line, and the count of all
                        older, sequence=event.sequence, at=event.at, count=older.count + event.count
                    )
            waiting[key] = event
        self._waiting, self._most = held, max(_MOST_WAITING, 2 * held)
        return list(waiting.values())


def _is_held(event: Event) -> bool:
    return isinstance(event, WatchHit) and not event.delivered
