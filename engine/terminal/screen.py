"""The emulated screen: pyte's, with the alternate screen, scrollback, full pens and safe sizes."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, cast

import pyte
from pyte import charsets
from pyte.screens import Cursor, Savepoint, StaticDefaultDict, wcwidth

from engine.terminal.pen import Cell, Pen, Run, apply_sgr, pen_of
from engine.terminal.scrollback import Scrollback

_JOINED_AT_MOST = 32  # code points in one cell: a flood of combining characters must not grow without end
_REVERSE_VIDEO = 5 << 5  # pyte shifts the numbers of private modes
_ORIGIN = 6 << 5


class _Row(StaticDefaultDict[int, Any]):
    wrapped = False
    """The row's text goes on in the next row."""


class Screen(pyte.Screen):
    """A terminal of ``columns`` × ``lines`` (at least 1×1) that keeps ``scrollback`` rows."""

    def __init__(self, columns: int, lines: int, scrollback: int = 10_000) -> None:
        self.scrollback = Scrollback(scrollback)
        self.bells = 0
        """BEL characters since the start."""
        self.alternate = False
        """A full-screen program shows its own screen, without scrollback."""
        self.synchronized = False
        """Mode 2026: the program asks not to be drawn until it has finished."""
        self.title = ""
        self._main: tuple[Any, list[Savepoint]] = ({}, [])
        self._main_cursor: Savepoint | None = None
        self._wrapping = False
        super().__init__(max(1, columns), max(1, lines))

    # What a viewer reads

    def runs(self, y: int) -> list[Run]:
        """Row ``y`` of the screen, trailing default blanks trimmed, equal pens joined."""
        row = self.buffer.get(y)
        return _runs(row, self.columns) if row else []

    def text(self, y: int) -> str:
        """Row ``y`` of the screen without its colours."""
        return "".join(text for text, _ in self.runs(y))

    def wrapped(self, y: int) -> bool:
        """Does row ``y`` of the screen go on in the next one?"""
        row = self.buffer.get(y)
        return bool(row) and cast(_Row, row).wrapped

    # What pyte's stream calls

    @property
    def default_char(self) -> Any:
        """A blank cell with the default pen."""
        return Cell(reverse=_REVERSE_VIDEO in self.mode)

    def reset(self) -> None:
        """RIS: as new, but for the scrollback."""
        self.alternate = self.synchronized = False
        self._main, self._main_cursor = ({}, []), None
        super().reset()
        self.savepoints = []
        self.buffer = self._blank_buffer()
        self.g1_charset = charsets.LAT1_MAP  # as in xterm: a stray SO must not turn text into lines
        self.cursor.attrs = self.default_char

    def bell(self, *args: Any) -> None:  # noqa: ARG002 - pyte's signature
        """Count it; showing it is the viewer's."""
        self.bells += 1

    def draw(self, data: str) -> None:
        """Draw text at the cursor; what has no width of its own joins the cell before it."""
        self._wrapping = True
        try:
            start = 0
            if not data.isascii():
                for at, char in enumerate(data):
                    if char <= "\x7f" or (width := wcwidth(char)) == 1:
                        continue
                    if start < at:
                        super().draw(data[start:at])
                    start = at + (width < 1)
                    if width == 0:
                        self._join(char)
                    elif width == 2 and self.cursor.x == self.columns - 1 > 0:
                        self.cursor.x = self.columns  # no room for both halves: pyte would cut it in two
            if start < len(data):
                super().draw(data[start:])
        finally:
            self._wrapping = False

    def _join(self, char: str) -> None:
        x, row = self.cursor.x - 1, self.buffer[self.cursor.y]
        if x > 0 and row[x].data == "":
            x -= 1  # the left half of a wide character
        if x >= 0 and 0 < len(row[x].data) < _JOINED_AT_MOST:
            row[x] = row[x]._replace(data=row[x].data + char)
            self.dirty.add(self.cursor.y)

    def linefeed(self) -> None:
        """LF. Called by ``draw`` it is a soft wrap, which the row remembers."""
        cast(_Row, self.buffer[self.cursor.y]).wrapped = self._wrapping
        super().linefeed()

    def index(self) -> None:
        """Down a row; a row that leaves the top of a screen without margins goes to the scrollback."""
        bottom = self.lines - 1
        if self.cursor.y == bottom and not self.alternate and (self.margins in (None, (0, bottom))):
            self._keep(self.buffer.get(0))
        super().index()

    def _keep(self, row: Any) -> None:
        self.scrollback.append(_runs(row, self.columns) if row else [], bool(row) and row.wrapped)

    def cursor_to_line(self, line: int | None = None) -> None:
        """VPA; under DECOM without margins too, where pyte raises with the cursor already outside."""
        top = self.margins.top if self.margins and _ORIGIN in self.mode else 0
        self.cursor.y = top + (line or 1) - 1
        self.ensure_vbounds()

    def delete_lines(self, count: int | None = None) -> None:
        """DL; every row is made first, since pyte leaves what lies above a row never touched."""
        for y in range(self.lines):
            self.buffer[y]
        super().delete_lines(count)

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """EL; it paints the background, and no other attribute."""
        with self._erasing():
            super().erase_in_line(how, private)
        if how != 1:
            cast(_Row, self.buffer[self.cursor.y]).wrapped = False

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        """ED; 3 forgets the scrollback and leaves the screen."""
        if how == 3:
            self.scrollback.clear()
            return
        with self._erasing():
            super().erase_in_display(how, *args, **kwargs)

    def erase_characters(self, count: int | None = None) -> None:
        """ECH; it paints the background, and no other attribute."""
        with self._erasing():
            super().erase_characters(count)

    @contextmanager
    def _erasing(self) -> Iterator[None]:
        pen = self.cursor.attrs
        self.cursor.attrs = self.default_char._replace(bg=pen.bg)
        try:
            yield
        finally:
            self.cursor.attrs = pen

    def select_graphic_rendition(self, *attrs: int | str) -> None:
        """SGR, with groups that hold colons as text."""
        cell = cast(Any, self.cursor.attrs)
        self.cursor.attrs = cast(Any, apply_sgr(cell, self.default_char, attrs or (0,)))

    def set_hyperlink(self, target: str) -> None:
        """OSC 8: what is drawn from here on links to ``target``; empty ends it."""
        self.cursor.attrs = cast(Any, self.cursor.attrs)._replace(link=target)

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """SM and DECSET."""
        super().set_mode(*self._switch(modes, True, bool(kwargs.get("private"))), **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """RM and DECRST."""
        super().reset_mode(*self._switch(modes, False, bool(kwargs.get("private"))), **kwargs)

    def _switch(self, modes: tuple[int, ...], on: bool, private: bool) -> list[int]:
        """Do the modes that pyte lacks; the others are returned. DECCOLM is dropped: the pane has the size."""
        if not private:
            return list(modes)
        for mode in modes:
            if mode in (47, 1047, 1049):
                self._show_alternate(on, with_cursor=mode == 1049)
            elif mode == 2026:
                self.synchronized = on
        return [mode for mode in modes if mode not in (3, 47, 1047, 1049, 2026)]

    def _show_alternate(self, on: bool, with_cursor: bool) -> None:
        if on == self.alternate:
            return
        self.alternate = on
        self.dirty.update(range(self.lines))
        if on:
            if with_cursor:
                self.save_cursor()
                self._main_cursor = self.savepoints.pop()
            self._main = (self.buffer, self.savepoints)
            self.buffer, self.savepoints = self._blank_buffer(), []
            return
        self.buffer, self.savepoints = self._main
        self._main = ({}, [])
        if self._main_cursor is not None and with_cursor:
            self.savepoints.append(self._main_cursor)
            self.restore_cursor()
        self._main_cursor = None

    def _blank_buffer(self) -> Any:
        return defaultdict(lambda: _Row(self.default_char))

    # Size

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Take a new size, at least 1×1. Rows that no longer fit above the cursor go to the scrollback."""
        lines, columns = max(1, lines or self.lines), max(1, columns or self.columns)
        if (lines, columns) == (self.lines, self.columns):
            return
        if self.alternate:
            main = self._main_cursor.cursor if self._main_cursor else copy(self.cursor)
            self._fit(self._main[0], main, lines, columns, keep=True)
        self._fit(self.buffer, self.cursor, lines, columns, keep=not self.alternate)
        kept = {x for x in self.tabstops if x < columns}
        self.tabstops = kept | {x for x in range(8, columns, 8) if x >= self.columns}
        self.lines, self.columns = lines, columns
        self.margins = None
        self.dirty = set(range(lines))

    def _fit(self, buffer: Any, cursor: Cursor, lines: int, columns: int, keep: bool) -> None:
        gone = max(0, min(cursor.y, self.lines - 1) + 1 - lines)
        if keep:
            for y in range(gone):
                self._keep(buffer.get(y))
        rows = {y - gone: row for y, row in buffer.items() if gone <= y < gone + lines}
        for row in rows.values() if columns < self.columns else ():
            for x in [x for x in row if x >= columns]:
                del row[x]
        buffer.clear()
        buffer.update(rows)
        cursor.y = max(0, min(cursor.y - gone, lines - 1))
        cursor.x = max(0, min(cursor.x, columns - 1))


def _runs(row: Any, columns: int) -> list[Run]:
    blank = row.default
    end = min(max(row, default=-1) + 1, columns)
    cells = [row.get(x, blank) for x in range(end)]
    while cells and cells[-1] == Cell():
        cells.pop()
    found: list[Run] = []
    text, pen, wide = "", Pen(), False
    for at, cell in enumerate(cells):
        data = cell[0]
        if data == "":
            if wide:
                wide = False
                continue
            data = " "  # the right half of a wide character that was overwritten
        wide = data > "\u1100" and wcwidth(data[0]) == 2
        if wide and (at + 1 >= len(cells) or cells[at + 1][0] != ""):
            data, wide = " ", False  # the left half of one: a row must not become wider than the screen
        look = pen_of(cell[1:])
        if look is not pen and look != pen:
            if text:
                found.append((text, pen))
            text, pen = "", look
        text += data
    if text:
        found.append((text, pen))
    return found
