"""The bottom line: the keys that work here and now."""

from collections.abc import Callable, Iterable

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
        self._arrange()

    def say(self, *pieces: Piece) -> None:
        """Show this instead of keys."""
        self._keys = ()
        self.put(pieces)

    def on_resize(self) -> None:
        """Another width: other keys fit."""
        if self._keys:
            self._arrange()

    def _arrange(self) -> None:
        entries = [(key, self._entry(key)) for key in self._keys]
        # Drop from the right, but never the way to help and out.
        while sum(width_of(entry) for _, entry in entries) > self.size.width - 1:
            droppable = [at for at, (key, _) in enumerate(entries) if key.footer < _ALWAYS]
            if not droppable:
                break
            del entries[droppable[-1]]
        self.put([Piece(" "), *(piece for _, entry in entries for piece in entry)])

    @staticmethod
    def _entry(key: Key) -> list[Piece]:
        return [
            Piece(keymap.short_name(key.keys[0]), "bold $footer-key-foreground", key.id),
            Piece(f" {key.label}", "$quiet", key.id),
            Piece("  "),
        ]
