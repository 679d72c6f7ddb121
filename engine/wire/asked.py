"""What one client has asked and isn't answered yet, and when that is enough (spec 4.2)."""

from typing import Any, NamedTuple

from engine.api.call import Call
from engine.wire.messages import LONGEST_LINE

_MOST_CALLS = 256
_MOST_READS = 16
"""Of them, those whose answers may be long: they are written however much is unsent by then."""
READS = frozenset({"list", "poll", "log", "screen", "search", "results", "recall", "inspect"})
_MOST_BYTES = LONGEST_LINE
"""What they may hold; the one that passes it is still taken."""


class _One(NamedTuple):
    call: Call[Any]
    size: int
    is_read: bool


class Asked:
    """One client's unanswered calls by their ids; what it sends above the bounds waits in its socket."""

    def __init__(self) -> None:
        self._calls: dict[int | str, _One] = {}
        self._reads = 0
        self._bytes = 0

    def __contains__(self, id: object) -> bool:
        return id in self._calls

    @property
    def has_room(self) -> bool:
        """May more be asked?"""
        return len(self._calls) < _MOST_CALLS and self._reads < _MOST_READS and self._bytes < _MOST_BYTES

    def add(self, id: int | str, call: Call[Any], size: int, *, is_read: bool) -> None:
        """A call was made by a line of ``size`` bytes."""
        self._calls[id] = _One(call, size, is_read)
        self._reads += is_read
        self._bytes += size

    def get(self, id: int | str) -> Call[Any] | None:
        """The call of this id, if it is unanswered."""
        one = self._calls.get(id)
        return one.call if one is not None else None

    def answered(self, id: int | str) -> bool:
        """Its answer is there; False if nobody waits for it any more."""
        one = self._calls.pop(id, None)
        if one is None:
            return False
        self._reads -= one.is_read
        self._bytes -= one.size
        return True

    def leave(self) -> None:
        """Nobody waits for any of them any more."""
        calls = [one.call for one in self._calls.values()]
        self._calls.clear()
        for call in calls:
            call.leave()
