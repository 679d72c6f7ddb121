"""Deferral: lines that scroll straight off the screen are checked at C speed and kept raw.

When one feed has far more lines than the screen has rows, most of them can only be seen in the scrollback. As
long as they hold nothing but text and sequences that stay within their row, they become ``Raw``, and the
emulator runs over them when somebody looks. The picture is what it would have been: the last rows are printed
the normal way, from the state that the raw part leaves behind.
"""

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final, cast

from pyte import modes as mo

from engine.terminal.lines import Line, make_line
from engine.terminal.pens import DEFAULT, Pen
from engine.terminal.rows import Row
from engine.terminal.scrollback import Scrollback
from engine.terminal.tokens import NARROW, WIDE
from engine.terminal.unparsed import SGR, STUB, UnparsedRow, parse, pen_after, unstubbed, widened, width_of

if TYPE_CHECKING:
    from engine.terminal.screen import Screen
    from engine.terminal.stream import Stream

_WINDOW: Final = 65536
_WORTH: Final = 4096
"""Characters to defer at least."""
_FINE: Final = bytes(
    c for c in range(256) if 0x20 <= c < 0x7F or c in b"\b\t\n\r\x1b" or (c >= 0x80 and c != 0xC2)
)
_FOREIGN: Final = re.compile(rb"\x1b(?!\[[0-9;:]*+[mKGCDXP@])")
"""A sequence that may do more than change the pen and the cursor's row."""
_C1: Final = re.compile(rb"\xc2[\x80-\x9f]")
_EDITS: Final = re.compile(r"[\b\t]|\r(?!\n)|\x1b(?!\[[0-9;:]*+m)")
_UNUSUAL: Final = re.compile(f"[^\\x00-\\x1f{NARROW}{WIDE}]")
_NARROW_ONLY: Final = re.compile(f"[\\r\\n\\x1b{NARROW}]*+")
_PLAIN: Final = re.compile(f"[\\r\\n\\x1b{NARROW}{WIDE}]*+")


class Raw:
    """Whole lines of output as they came, and what was in force at their beginning."""

    __slots__ = ("columns", "count", "newline", "pen", "tabstops", "text")

    def __init__(self, text: str, count: int, screen: "Screen", pen: Pen) -> None:
        # UTF-8 takes less than a str whose widest character decides for all.
        self.text: str | bytes = text if text.isascii() else text.encode("utf-8", "surrogatepass")
        self.count = count
        self.columns = screen.columns
        self.newline = mo.LNM in screen.mode
        self.pen = pen
        self.tabstops = screen.tabstops

    def _string(self) -> str:
        return self.text if isinstance(self.text, str) else self.text.decode("utf-8", "surrogatepass")

    def rows(self) -> int | None:
        """How many rows it makes, if lengths alone tell."""
        text = self._string()
        if "\x1b" in text:
            if _EDITS.search(text):
                return None
            text = SGR.sub("", text)
        elif _EDITS.search(text) and (
            self.newline or "\b" in text or "\t" in text or text.count("\r") != self.count
        ):
            return None
        if not text.isascii():
            if _UNUSUAL.search(text):
                return None
            text = widened(text)
        sizes = list(map(len, split_lines(text, self.newline)))
        columns = self.columns
        if max(sizes) <= columns:
            return self.count
        if STUB in text:
            return None
        return sum((size + columns - 1) // columns or 1 for size in sizes)

    def lines(self) -> list[Line]:
        """Make the lines."""
        text = self._string()
        if not _EDITS.search(text) and (text.isascii() or not _UNUSUAL.search(text)):
            made = self._parse(widened(text))
            if made is not None:
                return made
        return self._emulate(text)

    def _parse(self, text: str) -> list[Line] | None:
        """Lines of narrow text and SGR; None when a background reaches past its line."""
        pen = self.pen
        columns = self.columns
        out: list[Line] = []
        if pen.bg != "default":
            return None
        for line in split_lines(text, self.newline):
            if "\x1b" not in line and STUB not in line:
                if pen is DEFAULT:
                    size = len(line)
                    if size <= columns:
                        out.append(line.rstrip(" "))
                    else:
                        out.append(make_line(line, ((size, DEFAULT),), _kept(size, columns)))
                    continue
                out.append(make_line(line, ((len(line), pen),) if line else ()))
                continue
            cells, spans, pen = parse(line, pen)
            if pen.bg != "default" or (len(cells) > columns and any(p.bg != "default" for _, p in spans)):
                return None
            if STUB in cells:
                if len(cells) > columns:
                    return None
                out.append(make_line(unstubbed(cells), spans))
                continue
            out.append(make_line(cells, spans, _kept(len(cells), columns)))
        return out

    def _emulate(self, text: str) -> list[Line]:
        """Run the emulator over it, on the bottom row of a screen of two."""
        from engine.terminal.screen import Screen
        from engine.terminal.stream import Stream

        screen = Screen(self.columns, 2, 1 << 60)
        screen.tabstops = set(self.tabstops)
        if self.newline:
            screen.set_mode(mo.LNM)
        screen.cursor.y = 1
        screen.cursor.pen = self.pen
        screen.rows[1] = Row.filled(self.columns, self.pen.blank)
        stream = Stream(screen)
        stream.deferral = False
        stream.feed(text)
        screen.scrollback.push(screen.rows[0])
        lines = list(screen.scrollback.lines())
        return lines[1:]


def split_lines(text: str, newline: bool) -> list[str]:
    """The lines of text that ends with one; in newline mode a bare LF ends a line as well."""
    if newline:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n" if newline else "\r\n")
    lines.pop()
    return lines


def _kept(size: int, columns: int) -> int:
    """Columns of a line to keep when its end is blank, so that it still has as many rows."""
    return (size - 1) // columns * columns + 1 if size > columns else 0


def _fits(window: str, newline: bool) -> bool:
    """Whether a window holds nothing but text and what stays within its row."""
    raw = window.encode("utf-8", "surrogatepass")
    odd = raw.translate(None, _FINE)
    if odd and (odd.strip(b"\xc2") or _C1.search(raw)):
        return False
    if _FOREIGN.search(raw):
        return False
    return newline or raw.count(b"\n") == raw.count(b"\r\n")


def _scan(data: str, start: int, newline: bool) -> int:
    """How far from ``start`` on whole lines fit."""
    at = start
    while at < len(data):
        end = data.rfind("\n", at, at + _WINDOW) + 1
        if not end or not _fits(data[at:end], newline):
            break
        at = end
    return at


def _usual(screen: "Screen") -> bool:
    """Whether the screen is in a state in which lines just scroll by."""
    return not (
        screen.alternate
        or screen.margins is not None
        or screen._careful
        or screen._joining
        or screen.mode & {45 << 5, 1045 << 5, mo.DECOM}
    )


def _fresh(screen: "Screen") -> bool:
    """Whether the cursor is at the beginning of an empty line at the bottom."""
    cursor = screen.cursor
    row = screen.rows[-1]
    return (
        cursor.x == 0
        and cursor.y == screen.lines - 1
        and row.is_blank()
        and cursor.pen.bg == "default"
        and not (screen.rows[-2].wrap if screen.lines > 1 else screen.scrollback.open)
    )


class _Swallow:
    """Stands in for a scrollback while placeholder rows leave the screen."""

    def __init__(self, screen: "Screen", rows: int) -> None:
        self._screen = screen
        self._left = rows
        self._real = screen.scrollback

    def push(self, row: Row) -> None:  # noqa: ARG002  # as Scrollback's
        """Drop a row; after the last one the real scrollback is back."""
        self._left -= 1
        if not self._left:
            self._screen.scrollback = self._real


def defer(stream: "Stream", screen: "Screen", data: str, at: int) -> int:
    """Take as much of ``data`` from ``at`` on as can be deferred; gives where the rest begins."""
    if not _usual(screen):
        return at
    lines = screen.lines
    start = at
    for _ in range(0 if _fresh(screen) else max(1, lines - 1 - screen.cursor.y)):
        start = data.find("\n", start) + 1
        if not start:
            return at
    newline = mo.LNM in screen.mode
    end = _scan(data, start, newline)
    cut = end
    for _ in range(lines):
        cut = data.rfind("\n", start, max(start, cut - 1)) + 1
        if cut - start < _WORTH:
            return at
    if start > at:
        stream.run(data[at:start])
        if not stream.idle() or not _usual(screen) or not _fresh(screen):
            return start
    pen = _store(screen, data, start, cut)
    stream.deferred += cut - start
    if _show(screen, data[cut:end], pen):
        stream.run("")
        return end
    screen.cursor.pen = pen
    screen.rows = [Row() for _ in range(lines - 1)]
    screen.rows.append(Row.filled(screen.columns, pen.blank))
    screen.touch_all()
    if lines > 1:
        screen.scrollback = cast("Scrollback", _Swallow(screen, lines - 1))
    stream.run(data[cut:end])
    return end


def _show(screen: "Screen", text: str, pen: Pen) -> bool:
    """Put the last lines on the screen unparsed, as many as it has rows; whether that was possible."""
    if _EDITS.search(text):
        return False
    narrow = text.isascii() or _NARROW_ONLY.fullmatch(text) is not None
    if not narrow and not _PLAIN.fullmatch(text):
        return False
    lines = split_lines(text, mo.LNM in screen.mode)
    columns = screen.columns
    rows = []
    for line in lines:
        if pen.bg != "default":
            return False
        rows.append(UnparsedRow.of(line, pen, columns))
        if "\x1b" in line:
            pen = pen_after(pen, line)
            line = SGR.sub("", line)  # noqa: PLW2901
        if len(line) > columns or (not narrow and width_of(line) > columns):
            return False
    if pen.bg != "default":
        return False
    screen.scrollback.push(rows[0])
    screen.rows = [*rows[1:], Row()]
    screen.cursor.x = 0
    screen.cursor.pen = pen
    screen.touch_all()
    return True


def _store(screen: "Screen", data: str, start: int, cut: int) -> Pen:
    """Move the rows of the screen and the raw lines to the scrollback; gives the pen at their end."""
    scrollback = screen.scrollback
    pen = screen.cursor.pen
    pieces: list[tuple[int, int, int]] = []
    at = start
    while at < cut:
        end = cut if cut - at <= _WINDOW * 3 // 2 else data.find("\n", at + _WINDOW, cut) + 1 or cut
        pieces.append((at, end, data.count("\n", at, end)))
        at = end
    held = 0
    keep = len(pieces)
    while keep and held < scrollback.limit:
        keep -= 1
        held += pieces[keep][2]
    if keep:
        # What can't be kept is only looked at for the pen that it leaves behind.
        scrollback.skip(screen.lines - 1 + sum(count for _, _, count in pieces[:keep]))
        pen = pen_after(pen, data[start : pieces[keep - 1][1]])
    else:
        _push_rows(screen)
    for low, high, count in pieces[keep:]:
        text = data[low:high]
        scrollback.defer(Raw(text, count, screen, pen))
        pen = pen_after(pen, text)
    return pen


def _push_rows(screen: "Screen") -> None:
    """Move all rows but the last to the scrollback; those that nobody has looked at go on unparsed."""
    end = "\n" if mo.LNM in screen.mode else "\r\n"
    for unparsed, group in groupby(
        screen.rows[:-1], lambda row: isinstance(row, UnparsedRow) and not row.double
    ):
        if unparsed:
            lines = [cast("UnparsedRow", row).source() for row in group]
            text = "".join(line + end for line, _ in lines)
            screen.scrollback.defer(Raw(text, len(lines), screen, lines[0][1]))
        else:
            for row in group:
                screen.scrollback.push(row)
