"""A feed at the client's end of the wire (spec 4.2)."""

from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import Any


class Taker:
    """A feed at this end: what has come and wasn't taken. The next batch comes once this one is taken."""

    def __init__(self, on_ready: Callable[[], None] | None, taken: Callable[[int], None]) -> None:
        self._on_ready = on_ready
        self._taken = taken
        self._changed = Condition()
        self._waiting: deque[Any] = deque()
        self._closed = False

    def put(self, items: list[Any]) -> None:
        """A batch came, on the wire's thread."""
        with self._changed:
            if self._closed:
                return
            was_empty = not self._waiting
            self._waiting.extend(items)
            self._changed.notify_all()
        if was_empty and items and self._on_ready is not None:
            self._on_ready()

    def take(self) -> list[Any]:
        """See `EventFeed`, `NoticeFeed`."""
        with self._changed:
            items = list(self._waiting)
            self._waiting.clear()
        if items:
            self._taken(items[-1].sequence)
        return items

    def next(self, timeout: float | None = None) -> Any:
        """See `EventFeed`, `NoticeFeed`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting or self._closed, timeout):
                raise TimeoutError(f"nothing came in {timeout} s")
            if not self._waiting:
                raise TimeoutError("the feed is closed")
            item = self._waiting.popleft()
            last = not self._waiting
        if last:
            self._taken(item.sequence)
        return item

    def close(self) -> None:
        """See `EventFeed`, `NoticeFeed`."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
