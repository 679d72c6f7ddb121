"""A text field of one line that may stand for several: what is pasted is all there and can be seen."""

import re
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.show.cleaning import clean

LINE_BREAK, TAB = "⏎", "⇥"
_BREAKS = re.compile("\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """The lines of what was pasted; an end of line at its end begins no other."""
    lines = _BREAKS.split(text)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def as_one_line(text: str) -> str:
    """Text as a field shows it: ``⏎`` for each line break within, ``⇥`` for a tab."""
    return clean(LINE_BREAK.join(lines_of(text)).replace("\t", TAB))


class TextLine(Input):
    """Keeps the line breaks of what is pasted; up and down recall what was entered before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "recall(-1)", "Earlier", show=False),
        Binding("down", "recall(1)", "Later", show=False),
    ]

    def __init__(self, value: str = "", *, placeholder: str, id: str, earlier: Sequence[str] = ()) -> None:
        super().__init__(as_one_line(value), placeholder=placeholder, id=id, compact=True)
        self._earlier = [as_one_line(text) for text in earlier]
        self._place = len(self._earlier)
        self._typed = ""

    @property
    def text(self) -> str:
        """What is meant, with real line breaks."""
        return self.value.replace(LINE_BREAK, "\n").replace(TAB, "\t")

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's own takes the first line and drops the others.
        event.stop()
        event.prevent_default()
        self.replace(as_one_line(event.text), *sorted(self.selection))

    def action_recall(self, by: int) -> None:
        """Bring back what was entered before, or what was being typed."""
        if self._place == len(self._earlier):
            self._typed = self.value
        self._place = max(0, min(self._place + by, len(self._earlier)))
        self.value = self._earlier[self._place] if self._place < len(self._earlier) else self._typed
        self.cursor_position = len(self.value)
