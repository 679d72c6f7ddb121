"""One line over the stack: what became of jobs while nobody was there, until it was read."""

from collections.abc import Sequence

from tui.keymap import BY_ID, key_name
from tui.show.fates import summary
from tui.show.results import MARK
from tui.signals.away import Away
from tui.widgets.line import Line, Piece, width_of

_CLICK = "do:view.away"


class AwayLine(Line):
    """There only while there is something new; a click or its key shows it in full."""

    def __init__(self, away: Away, above: Sequence[Line]) -> None:
        """Those ``above`` have no blank line below them while it is there."""
        super().__init__(id="away-line")
        self._away = away
        self._above = above
        self.display = False

    def tell(self) -> None:
        """Show it, or that there is nothing new."""
        self.display = self._away.fresh
        for line in self._above:
            line.set_class(self._away.fresh, "-news")
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """The words go where there is no room for them."""
        key = Piece(f"{key_name(BY_ID['view.away'].keys[0])} ", "bold $footer-key-foreground", _CLICK)
        for name, short in (("while you were away  ", False), ("away  ", False), ("", False), ("", True)):
            told = [
                Piece((" · " if number else "") + text, "bold $warning" if how == "bad" else "$quiet", _CLICK)
                for number, (text, how) in enumerate(summary(self._away, short=short))
            ]
            line = [Piece(f" {MARK} ", "$accent", _CLICK), Piece(name, "$foreground", _CLICK), *told, Piece(" ")]
            if width_of([*line, key]) < width:
                break
        return line, [key]
