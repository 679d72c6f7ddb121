"""The state of a screen and how it is read; the layers above change it.

``Screen`` is built in layers, a subject each: canvas, motion, scrolling, editing, drawing, modes, reports,
resizing. Each is a class over the one before, so that all share one state without asking each other for it.
"""

from collections import deque
from typing import Any, Final

import pyte
from pyte import modes as mo

from engine.terminal.cells import BufferView
from engine.terminal.charsets import Map
from engine.terminal.cursor import Cursor
from engine.terminal.lines import Run
from engine.terminal.rows import Row
from engine.terminal.scrollback import Scrollback

SYNCHRONIZED: Final = 2026 << 5
BRACKETED_PASTE: Final = 2004 << 5
APPLICATION_CURSOR: Final = 1 << 5
MOUSE: Final = (1003, 1002, 1000, 9)
"""The ways to report the mouse; one is in force, or none."""
FOCUS: Final = 1004 << 5
_KEYPAD: Final = 66 << 5


class Canvas(pyte.Screen):
    """Rows, cursor and modes."""

    def __init__(self, columns: int, lines: int, scrollback: int = 10_000) -> None:
        self.columns = max(1, columns)
        self.lines = max(1, lines)
        self.rows = [Row() for _ in range(self.lines)]
        """The visible rows; those of the alternate screen while it is on."""
        self.scrollback = Scrollback(scrollback, self.columns)
        """What has scrolled off the main screen."""
        self.bells = 0
        """How often the bell rang."""
        self.palette: dict[int, str] = {}
        """Colours of the theme that the job has redefined (OSC 4), by palette index."""
        self.colors: dict[str, str] = {}
        """``foreground``, ``background`` and ``cursor`` as the job has set them (OSC 10-12)."""
        self._dirty: set[int] = set()
        self._dirty_low = self.lines
        self._dirty_high = -1
        self._hidden_rows: list[Row] | None = None
        self._sides = False
        self._doubled = False
        self.spots: dict[str, tuple[int, int]] = {}
        """Where CUP leads, by its parameters; emptied when that changes."""
        self.savepoints: list[Any] = []
        self._hidden_savepoints: list[Any] = []
        self.cursor: Cursor = Cursor(0, 0)
        self.failures: deque[str] = deque(maxlen=16)
        """What went wrong within ``feed``, newest last: bugs of ours that were kept from the viewer."""
        self.reset()

    # -- what is read

    @property
    def buffer(self) -> BufferView:  # type: ignore[override]  # pyte keeps cells, we make them
        """Cells by row and column, read-only."""
        return BufferView(self)

    @property
    def display(self) -> list[str]:
        """The visible rows as text, each padded to the width."""
        return [row.string().ljust(self.columns) if row.chars is None else row.string() for row in self.rows]

    def runs(self, y: int) -> list[Run]:
        """Visible row ``y`` as runs; trailing default blanks trimmed."""
        if mo.DECSCNM in self.mode:
            return [(text, pen.replace(reverse=not pen.reverse)) for text, pen in self.rows[y].runs()]
        return self.rows[y].runs()

    def text(self, y: int) -> str:
        """The text of visible row ``y``, trailing blanks trimmed."""
        return self.rows[y].string().rstrip(" ")

    def wrapped(self, y: int) -> bool:
        """Whether visible row ``y`` continues on the next one."""
        return self.rows[y].wrap > 0

    @property
    def dirty(self) -> set[int]:  # pyte has an attribute
        """Visible rows changed since the consumer last cleared this set."""
        if self._dirty_high >= 0:
            self._dirty.update(range(self._dirty_low, min(self._dirty_high + 1, self.lines)))
            self._dirty_low = self.lines
            self._dirty_high = -1
        return self._dirty

    @dirty.setter
    def dirty(self, rows: set[int]) -> None:
        self._dirty_low = self.lines
        self._dirty_high = -1
        self._dirty = rows

    @property
    def alternate(self) -> bool:
        """Whether the alternate screen is on."""
        return self._hidden_rows is not None

    @property
    def synchronized(self) -> bool:
        """Inside a synchronized frame (mode 2026): better not drawn now."""
        return SYNCHRONIZED in self.mode

    @property
    def bracketed_paste(self) -> bool:
        """Pasted text is to be bracketed (mode 2004)."""
        return BRACKETED_PASTE in self.mode

    @property
    def application_cursor(self) -> bool:
        """Cursor keys send ``ESC O`` (mode 1)."""
        return APPLICATION_CURSOR in self.mode

    @property
    def mouse(self) -> int:
        """The mouse reporting mode in force (9, 1000, 1002 or 1003), 0 for none."""
        return next((mode for mode in MOUSE if mode << 5 in self.mode), 0)

    @property
    def mouse_coordinates(self) -> int:
        """How places are written in reports of the mouse (1006, 1015 or 1005), 0 for one byte each."""
        return next((mode for mode in (1006, 1015, 1005) if mode << 5 in self.mode), 0)

    @property
    def reports_focus(self) -> bool:
        """The program wants to know of the focus (mode 1004)."""
        return FOCUS in self.mode

    @property
    def keypad_codes(self) -> bool:
        """The keypad's keys send ``ESC O`` (DECKPAM, or mode 66)."""
        return self.keypad or _KEYPAD in self.mode

    # -- its beginning

    def reset(self) -> None:
        """RIS: everything as at the start; the scrollback is cleared, as xterm does."""
        if self._hidden_rows is not None:
            self.leave_alternate()
        self.rows = [Row() for _ in range(self.lines)]
        self.scrollback.clear()
        self.mode = {mo.DECAWM, mo.DECTCEM}
        self.title = ""
        self.icon_name = ""
        self.title_stack: list[tuple[str, str]] = []
        self.palette.clear()
        self.colors.clear()
        self.tabstops = set(range(8, self.columns, 8))
        self.keypad = False
        """Application keypad (DECKPAM)."""
        self.wheel_as_keys = True
        """On the alternate screen a wheel that isn't reported presses arrows (mode 1007)."""
        self.saved_columns = None
        self.saved_modes: dict[int, bool] = {}
        self.savepoints = []
        self._hidden_savepoints = []
        self.cursor.start()
        self._pending_right = False
        self._return_pending = False
        self._last = ""
        self._joining: tuple[int, int] | None = None
        self._set_region(0, self.lines - 1)
        self._reset_charsets()
        self._set_sides(0, self.columns - 1)
        self.touch_all()

    def _reset_charsets(self) -> None:
        self.charsets: list[Map] = [None, None, None, None]
        self.charset_codes = ["B", "B", "B", "B"]
        self.charset = 0
        self._single = 0
        self._refresh_care()

    def leave_alternate(self) -> None:
        """Show the main screen again."""
        if self._hidden_rows is not None:
            self.rows, self._hidden_rows = self._hidden_rows, None
            self.savepoints, self._hidden_savepoints = self._hidden_savepoints, self.savepoints
            self.touch_all()
            self._refresh_care()

    # -- shared by the layers

    def touch(self, low: int, high: int) -> None:
        """Rows ``low`` to ``high`` have changed."""
        self._dirty_low = min(self._dirty_low, low)
        self._dirty_high = max(self._dirty_high, high)

    def touch_all(self) -> None:
        """Every row has changed."""
        self._dirty_low = 0
        self._dirty_high = self.lines - 1

    def _set_region(self, top: int, bottom: int) -> None:
        """The rows that scroll."""
        self._top = top
        self._bottom = bottom
        full = top == 0 and bottom == self.lines - 1
        self.margins = None if full else pyte.screens.Margins(top, bottom)

    def _set_sides(self, left: int, right: int) -> None:
        """The columns that scroll (DECSLRM)."""
        self._left = left
        self._right = right
        self._sides = left > 0 or right < self.columns - 1
        self._refresh_care()

    def _refresh_care(self) -> None:
        """Printing has a short way when nothing unusual is in force; find out whether that is so."""
        mode = self.mode
        self.spots.clear()
        self._careful = bool(
            mo.IRM in mode
            or mo.DECAWM not in mode
            or self._sides
            or self.charsets[self.charset] is not None
            or self._single
            or (self._doubled and any(row.double for row in self.rows))
        )

    def _limit(self, y: int) -> int:
        """How many columns row ``y`` has."""
        return max(1, self.columns // 2) if self.rows[y].double else self.columns

    def _settle(self) -> int:
        """End a pending wrap: the cursor is on the last column. Gives the column."""
        cursor = self.cursor
        if self._pending_right:
            self._pending_right = False
            cursor.x = self._right
        elif cursor.x >= self.columns:
            cursor.x = self.columns - 1
        return cursor.x
