"""The bottom line: the keys that work here and now."""

from collections.abc import Callable, Iterable, Sequence

from tui import keymap
from tui.keymap import Key
from tui.widgets.line import Line, Piece, width_of

_ALWAYS = 20
"""From this place on an entry stays when there is little room."""


class Footer(Line):
    """Made from the table of keys; a click does what the key does."""

    def __init__(self) -> None:
        super().__init__(id="footer")
        self._keys: tuple[Key, ...] = ()

    def show(self, places: Iterable[str], can: Callable[[str], bool]) -> None:
        """Show the keys of these places whose actions can be done now."""
        wanted = set(places)
        keys = (key for key in keymap.TABLE if key.footer and key.where in wanted and can(key.id))
        self._keys = tuple(sorted(keys, key=lambda key: key.footer))
        self.renew()

    def say(self, *pieces: Piece) -> None:
        """Show this instead of keys."""
        self._keys = ()
        self.put(pieces)

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """As many keys as there is room for, but never without the way to help and out."""
        if not self._keys:
            return super().pieces(width)
        entries = [(key, self._entry(key)) for key in self._keys]
        wide = sum(width_of(entry) for _, entry in entries)
        for at in range(len(entries) - 1, -1, -1):
            if wide > width - 1 and entries[at][0].footer < _ALWAYS:
                wide -= width_of(entries[at][1])
                del entries[at]
        return [Piece(" "), *(piece for _, entry in entries for piece in entry)], ()

    @staticmethod
    def _entry(key: Key) -> list[Piece]:
        return [
            Piece(keymap.short_name(key.keys[0]), "bold $footer-key-foreground", key.id),
            Piece(f" {key.label}", "$quiet", key.id),
            Piece("  "),
        ]
