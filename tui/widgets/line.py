"""One line of styled pieces, some of which do something when they are clicked."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui.show.cleaning import clean


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


def width_of(pieces: Sequence[Piece]) -> int:
    """The cells that the pieces take."""
    return sum(cell_len(piece.text) for piece in pieces)


class Line(Widget):
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
        self._left: tuple[Piece, ...] = ()
        self._right: tuple[Piece, ...] = ()

    def put(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Show these; nothing is repainted when nothing changed."""
        new = tuple(left), tuple(right)
        if new != (self._left, self._right):
            self._left, self._right = new
            self.refresh()

    @property
    def plain(self) -> str:
        """The line's text as it stands on the screen, trailing blanks gone."""
        return "".join(piece.text for piece in self._laid_out()).rstrip()

    def render(self) -> Content:
        """The pieces, brackets and all, as text."""
        return Content.assemble(*((piece.text, piece.style) for piece in self._laid_out()))

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
        right = list(self._right) if width_of(self._right) < width else []
        room = width - width_of(right)
        pieces: list[Piece] = []
        for piece in self._left:
            text = clean(piece.text)
            if cell_len(text) > room:
                pieces.append(piece._replace(text=fitted(text, room)))
                room = 0
                break
            pieces.append(piece._replace(text=text))
            room -= cell_len(text)
        return [*pieces, Piece(" " * room), *right]
