"""Whether what happens can be saved: many files tell of one disk, and are told as one trouble."""

from collections.abc import Sequence

from engine.events import EngineNotice, Event

_MOST = 6
_SAYS = ("can't be saved", "can't be made", "can't be written")
_SAME_DISK = ("the ledger",)
"""What is told of files in the home without naming them."""


class Saving:
    """What the engine said of files in the home, until it says that they are saved again."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.troubles: list[str] = []
        """In the engine's words, which say what to do; the first of them."""
        self._told = False

    def __len__(self) -> int:
        return len(self.troubles)

    def apply(self, events: Sequence[Event]) -> bool:
        """Take in what the engine said. True: it stands otherwise now."""
        before = len(self.troubles)
        for event in events:
            if isinstance(event, EngineNotice) and self.home and self.home in event.text:
                if event.severity == "information":
                    self.troubles.clear()
                    self._told = False
                elif _is_trouble(event) and event.text not in self.troubles and len(self.troubles) < _MOST:
                    self.troubles.append(event.text)
        return len(self.troubles) != before

    def is_known(self, event: Event) -> bool:
        """Is this one more word of a trouble that was told? The feed has it; once is enough for a toast."""
        if not (isinstance(event, EngineNotice) and self.home and _is_trouble(event)):
            return False
        if self.home not in event.text and not event.text.startswith(_SAME_DISK):
            return False
        known, self._told = self._told, True
        return known


def _is_trouble(event: EngineNotice) -> bool:
    return event.severity != "information" and any(words in event.text for words in _SAYS)
