"""A list of one-line entries that the keys of a text field move."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from tui.widgets.line import Piece
from tui.widgets.rows import Key, Rows

T = TypeVar("T")


class Picked(Rows, Generic[T], can_focus=False):
    """Entries are known by their numbers; one is always selected, and seen to be."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._entries: Sequence[T] = ()

    def fill(self, entries: Sequence[T], select: int) -> None:
        """Hold these, with the one of that number selected."""
        self._entries = entries
        self.selected = None
        self.changed()
        self.select(select)

    @property
    def chosen(self) -> T | None:
        """The one that is selected."""
        return self._entries[self.selected] if isinstance(self.selected, int) and self._entries else None

    @property
    def end(self) -> int:
        """How many there are."""
        return len(self._entries)

    @property
    def marks_selected(self) -> bool:
        """The keys of the text field move it."""
        return True

    def key_at(self, number: int) -> Key | None:
        """An entry's number."""
        return number if 0 <= number < len(self._entries) else None

    def lines_of(self, key: Key) -> range:
        """Its one row."""
        return range(key, key + 1) if isinstance(key, int) and 0 <= key < len(self._entries) else range(0)

    def pieces(self, number: int, width: int) -> list[Piece]:
        """A row."""
        return self.row(self._entries[number], width)

    @abstractmethod
    def row(self, entry: T, width: int) -> list[Piece]:
        """An entry in pieces, whose styles are tones."""
