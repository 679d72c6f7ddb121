"""One line of styled pieces, some of which do something when they are clicked."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.content import Content
from textual.message import Message

from tui.show.cleaning import clean
from tui.widgets.sized import Sized


class Piece(NamedTuple):
    """Text of one style. A click on it says ``click``, unless that is empty."""

    text: str
    style: str = ""
    """A style as in a stylesheet, in theme variables: ``bold $primary``."""
    click: str = ""


def fitted(text: str, width: int) -> str:
    """``text`` in exactly ``width`` cells, with ``…`` where it was cut."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text + " " * (width - cell_len(text))
    return set_cell_size(text, width - 1) + "…"


def cut_middle(text: str, width: int) -> str:
    """``text`` in exactly ``width`` cells; what is too long loses its middle: names often differ at their ends.

    Of a text whose end was cut before there is none to show: it loses more of it.
    """
    if width < 4 or cell_len(text) <= width:
        return fitted(text, width)
    if text.endswith("…"):
        return fitted(text.rstrip("…"), width) if cell_len(text.rstrip("…")) > width else fitted(text, width)
    end = (width - 1) // 2
    start = len(text)
    while start > 0 and cell_len(text[start - 1 :]) <= end:
        start -= 1
    return fitted(set_cell_size(text, width - 1 - end) + "…" + text[start:], width)


def width_of(pieces: Sequence[Piece]) -> int:
    """The cells that the pieces take."""
    return sum(cell_len(piece.text) for piece in pieces)


def cut(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """The pieces that fit into ``width`` cells; the one that doesn't ends in ``…``."""
    shown: list[Piece] = []
    for piece in pieces:
        wide = cell_len(piece.text)
        if wide > width:
            shown.append(piece._replace(text=fitted(piece.text, width)))
            break
        shown.append(piece)
        width -= wide
    return shown


class Line(Sized):
    """A row of pieces at the left and some at the right; when there is no room, the left ones are cut."""

    class Clicked(Message):
        """A piece with a meaning was clicked."""

        def __init__(self, line: "Line", click: str) -> None:
            self.line = line
            self.click = click
            super().__init__()

        @property
        def control(self) -> "Line":
            """The line it happened on."""
            return self.line

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left: Sequence[Piece] = ()
        self._right: Sequence[Piece] = ()
        self._painted: list[Piece] = []

    def put(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Show these."""
        self._left, self._right = left, right
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:  # noqa: ARG002
        """What stands at the left and at the right when there are ``width`` cells. A line that chooses overrides it."""
        return self._left, self._right

    def renew(self) -> None:
        """What it shows may have changed; nothing is repainted when it hasn't."""
        if self._laid_out() != self._painted:
            self.refresh()

    @property
    def plain(self) -> str:
        """The line's text as it stands on the screen, trailing blanks gone."""
        return "".join(piece.text for piece in self._laid_out()).rstrip()

    def size_changed(self) -> None:
        """Other pieces may fit."""
        self.refresh()

    def render(self) -> Content:
        """The pieces, brackets and all, as text."""
        self._painted = self._laid_out()
        return Content.assemble(*((piece.text, piece.style) for piece in self._painted))

    def on_click(self, event: events.Click) -> None:
        """Say what was clicked."""
        end = 0
        offset = event.get_content_offset(self)
        for piece in self._laid_out() if offset is not None else ():
            end += cell_len(piece.text)
            if offset is not None and offset.x < end:
                if piece.click:
                    event.stop()
                    self.post_message(self.Clicked(self, piece.click))
                return

    def _laid_out(self) -> list[Piece]:
        width = self.content_size.width
        left, right = self.pieces(width)
        if width_of(right) >= width:
            right = ()
        room = width - width_of(right)
        gap = 1 if right and not right[0].text.startswith(" ") else 0
        pieces = cut([piece._replace(text=clean(piece.text)) for piece in left], max(0, room - gap))
        return [*pieces, Piece(" " * max(0, room - width_of(pieces))), *right]
