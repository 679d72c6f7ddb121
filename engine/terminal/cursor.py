"""The cursor: pyte's, with a pen instead of an attribute tuple, and its shape."""

from typing import Final

from pyte.screens import Char
from pyte.screens import Cursor as PyteCursor

from engine.terminal.cells import Cell
from engine.terminal.pens import DEFAULT, Pen

BLOCK: Final = "block"
UNDERLINE: Final = "underline"
BAR: Final = "bar"


class Cursor(PyteCursor):
    """Where the next character goes and how it is drawn. ``x`` equals the columns while a wrap is pending."""

    __slots__ = ("blinking", "pen", "shape")

    def __init__(self, x: int, y: int) -> None:
        self.start()
        self.x = x
        self.y = y

    def start(self) -> None:
        """Go home; everything as at the start."""
        self.x = 0
        self.y = 0
        self.pen = DEFAULT
        self.hidden = False
        self.shape = BLOCK
        self.blinking = False

    @property
    def attrs(self) -> Cell:  # pyte has a slot here
        """The pen as pyte's ``Char``."""
        return Cell.of(" ", self.pen)

    @attrs.setter
    def attrs(self, char: Char) -> None:
        self.pen = pen_of(char, self.pen)

    def set_shape(self, style: int) -> None:
        """DECSCUSR."""
        shapes = (BLOCK, BLOCK, BLOCK, UNDERLINE, UNDERLINE, BAR, BAR)
        if 0 <= style < len(shapes):
            self.shape = shapes[style]
            self.blinking = style in {0, 1, 3, 5}


def pen_of(char: Char, like: Pen = DEFAULT) -> Pen:
    """The pen of a cell; what pyte's ``Char`` has no field for is taken from ``like``."""
    return like.replace(
        fg=char.fg,
        bg=char.bg,
        bold=char.bold,
        italics=char.italics,
        underscore=char.underscore,
        underline_style=(like.underline_style or 1) if char.underscore else 0,
        strikethrough=char.strikethrough,
        reverse=char.reverse,
        blink=char.blink,
    )
