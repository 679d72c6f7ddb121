"""Saving and restoring the cursor, the alternate screen, soft reset, character set selection."""

from typing import NamedTuple

from pyte import modes as mo

from engine.terminal.charsets import Map, charset
from engine.terminal.drawing import Drawing
from engine.terminal.pens import DEFAULT, Pen
from engine.terminal.rows import Row


class Savepoint(NamedTuple):
    """What DECSC saves."""

    x: int
    y: int
    pen: Pen
    charsets: tuple[Map, ...]
    codes: tuple[str, ...]
    charset: int
    origin: bool
    pending_right: bool


class Saving(Drawing):
    """Each screen, main and alternate, has a saved cursor of its own."""

    def save_cursor(self, *_: int) -> None:
        """DECSC: position, pen, character sets, origin mode, pending wrap."""
        cursor = self.cursor
        self.savepoints[:] = [
            Savepoint(
                min(cursor.x, self.columns - 1),
                cursor.y,
                cursor.pen,
                tuple(self.charsets),
                tuple(self.charset_codes),
                self.charset,
                mo.DECOM in self.mode,
                self._pending_right,
            )
        ]

    def restore_cursor(self, *_: int) -> None:
        """DECRC: as saved; the home position and defaults when nothing was."""
        cursor = self.cursor
        if not self.savepoints:
            self.mode.discard(mo.DECOM)
            cursor.pen = DEFAULT
            self._reset_charsets()
            self.cursor_position()
            return
        saved: Savepoint = self.savepoints[-1]
        cursor.pen = saved.pen
        self.charsets = list(saved.charsets)
        self.charset_codes = list(saved.codes)
        self.charset = saved.charset
        if saved.origin:
            self.mode.add(mo.DECOM)
        else:
            self.mode.discard(mo.DECOM)
        cursor.x = min(saved.x, self.columns - 1)
        cursor.y = min(saved.y, self.lines - 1)
        self._pending_right = saved.pending_right and self._sides and cursor.x == self._right
        self._refresh_care()

    def enter_alternate(self) -> None:
        """Show the alternate screen; it is blank."""
        if self._hidden_rows is None:
            self._hidden_rows, self.rows = self.rows, [Row() for _ in range(self.lines)]
            self._hidden_savepoints, self.savepoints = self.savepoints, self._hidden_savepoints
            self.touch_all()
            self._refresh_care()

    def soft_reset(self, *_: int, **__: bool) -> None:
        """DECSTR: modes, margins, pen and character sets; the picture stays."""
        for mode in (mo.IRM, mo.DECOM, 1 << 5, 45 << 5, 1045 << 5, 66 << 5, 69 << 5):
            self.mode.discard(mode)
        self.mode.update((mo.DECAWM, mo.DECTCEM))
        self.keypad = False
        self.cursor.hidden = False
        self._settle()
        self._set_region(0, self.lines - 1)
        self._set_sides(0, self.columns - 1)
        self.cursor.pen = DEFAULT
        self._reset_charsets()
        self.savepoints.clear()

    # -- character sets

    def define_charset(self, code: str, mode: str) -> None:
        """Give G0-G3 (``mode`` is the intermediate: one of ``()*+-./``) a set."""
        index = {"(": 0, ")": 1, "*": 2, "+": 3, "-": 1, ".": 2, "/": 3}.get(mode)
        if index is not None and self.charset_codes[index] != code:
            self.charsets[index] = charset(code) if mode in "()*+" else None
            self.charset_codes[index] = code if mode in "()*+" else "B"
            self._refresh_care()

    def shift_in(self) -> None:
        """SI: G0."""
        self.lock_charset(0)

    def shift_out(self) -> None:
        """SO: G1."""
        self.lock_charset(1)

    def lock_charset(self, index: int) -> None:
        """LS0-LS3: print by this set from now on."""
        self.charset = index
        self._refresh_care()

    def single_shift(self, index: int) -> None:
        """SS2, SS3: print one character by this set."""
        self._single = index
        self._refresh_care()

    @property
    def g0_charset(self) -> Map:  # type: ignore[override]  # pyte has strings of 256 characters
        """The map of G0, None for ASCII."""
        return self.charsets[0]

    @property
    def g1_charset(self) -> Map:  # type: ignore[override]
        """The map of G1, None for ASCII."""
        return self.charsets[1]
