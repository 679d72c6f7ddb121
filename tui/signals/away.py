"""What became of the jobs that an earlier jobdeck left: told once by the engine, kept to be read again."""

from collections.abc import Sequence

from engine.events import Event, Fate, Recovered

_ORDER = ("lost", "detached", "finished", "readopted")
"""What asks for something first."""


class Away:
    """The fates, by what asks for attention first; of each job the last that was told."""

    def __init__(self) -> None:
        self._fates: dict[str, Fate] = {}
        self.fresh = False
        """Has nobody read them yet?"""

    def __len__(self) -> int:
        return len(self._fates)

    @property
    def fates(self) -> tuple[Fate, ...]:
        """What asks for something first, then by when it ended."""
        return tuple(sorted(self._fates.values(), key=lambda fate: (_rank(fate), -(fate.exited_at or 0.0))))

    def apply(self, events: Sequence[Event]) -> bool:
        """Take in what the engine said. True: there is something new."""
        told = [fate for event in events if isinstance(event, Recovered) for fate in event.fates]
        for fate in told:
            self._fates[fate.session_id] = fate
        self.fresh = self.fresh or bool(told)
        return bool(told)

    def count(self, *kinds: str) -> int:
        """How many had one of these fates."""
        return sum(fate.fate in kinds for fate in self._fates.values())


def _rank(fate: Fate) -> int:
    return _ORDER.index(fate.fate) if fate.fate in _ORDER else len(_ORDER)
