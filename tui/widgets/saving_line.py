"""One line over the stack while nothing can be saved; a click says what is wrong and what to do."""

from collections.abc import Sequence

from tui.signals.saving import Saving
from tui.widgets.line import Line, Piece

_CLICK = "do:view.saving"
_LEAST = 34


class SavingLine(Line):
    """There only while there is trouble."""

    def __init__(self, saving: Saving, above: Sequence[Line]) -> None:
        """Those ``above`` have no blank line below them while it is there."""
        super().__init__(id="saving-line")
        self._saving = saving
        self._above = above
        self.display = False

    def tell(self) -> None:
        """Show it, or that all is well."""
        self.display = len(self._saving) > 0
        for line in self._above:  # a class of the screen would have it style every widget anew
            line.set_class(self.display, "-unsaved")
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """What it means, and that there is more to read."""
        what = "results can't be saved" if width >= _LEAST else "can't be saved"
        return [Piece(" ✗ ", "bold $error", _CLICK), Piece(what, "$error", _CLICK)], [Piece("why ", "$quiet", _CLICK)]
