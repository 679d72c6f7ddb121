"""Deferral: lines that scroll straight off the screen are checked at C speed and kept raw.

When one feed has more lines than the screen has rows, most of them can only be seen in the scrollback. As
long as they hold nothing but text and sequences that stay within their row, they become ``Raw``, and the
emulator runs over them when somebody looks. The picture is what it would have been: the last lines become
rows that are parsed at the first look, or are printed the normal way from the state that the raw part leaves.
"""

from itertools import groupby
from typing import TYPE_CHECKING, Final, cast

from pyte import modes as mo

from engine.terminal.pens import Pen
from engine.terminal.raw import Raw, split_lines
from engine.terminal.reflow import wrap_line
from engine.terminal.rows import Row
from engine.terminal.scanning import NARROW, NARROW_ONLY, OTHER, WINDOW, kind_of, leaves_a_pen_at_most, scan
from engine.terminal.scrollback import Scrollback
from engine.terminal.unparsed import SGR, UnparsedRow, parse, pen_after, width_of

if TYPE_CHECKING:
    from engine.terminal.screen import Screen
    from engine.terminal.stream import Stream

_WORTH: Final = 1024
"""Characters to defer at least."""
_MANY: Final = 12
"""Rows that are worth a block of the scrollback of their own."""
_FEW: Final = 3
"""Lines that are worth it."""
_USUAL_LINE: Final = 64
"""Characters by which it is guessed how much so many lines are."""


def _usual(screen: "Screen") -> bool:
    """Whether the screen is in a state in which lines just scroll by."""
    if screen._joining is not None and screen._joining != screen._before():
        screen._joining = None  # The cursor has left the cluster that might have gone on.
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
    passed = _needless(screen, data, start)
    if passed is not None:
        stream.run(data[at:start])
        if not stream.idle() or not _usual(screen) or not _fresh(screen):
            return start
        low, end = passed
        _pass_by(stream, screen, data[start:low])
        at = start = low
    else:
        end = scan(data, start, mo.LNM in screen.mode)
    count = _some(data, start, end, lines + 1)
    if count < _FEW:
        return at
    cut = end
    for _ in range(lines if count > lines else 0):
        cut = data.rfind("\n", start, max(start, cut - 1)) + 1
    kind = OTHER
    if cut > start and count > lines:
        kind = kind_of(data[cut:end])
        if kind == NARROW:
            cut += _last_rows(data[cut:end], screen)
    few = count <= lines or cut - start < _WORTH
    if few and NARROW_ONLY.fullmatch(data, start, end):
        return at  # Narrow text prints as fast as it is looked at; wide text does not.
    if start > at:
        stream.run(data[at:start])
        if not stream.idle() or not _usual(screen) or not _fresh(screen):
            return start
    if few:
        return start + _append(stream, screen, data[start:end])
    pen = _store(stream, screen, data, start, cut)
    stream.deferred += cut - start
    text = data[cut:end]
    rows, pens, length = _unparsed(screen, text, pen, kind)
    if length == len(text) and pens[-1].bg == "default" and len(rows) >= lines:
        screen.rows = [Row() for _ in range(lines)]
        _scroll_in(stream, screen, rows, pens, blank=lines - 1)
        return end
    screen.cursor.pen = pen
    screen.rows = [Row() for _ in range(lines - 1)]
    screen.rows.append(Row.filled(screen.columns, pen.blank))
    screen.touch_all()
    if lines > 1:
        screen.scrollback = cast("Scrollback", _Swallow(screen, lines - 1))
    stream.run(text)
    return end


def _needless(screen: "Screen", data: str, start: int) -> tuple[int, int] | None:
    """Where the newest lines begin that fill scrollback and screen, and where they end; None if there are no more.

    What is before them goes by unseen: it need not be fit to be kept, if only it leaves no more behind than a pen.
    """
    wanted = screen.scrollback.limit + screen.lines
    size = wanted * _USUAL_LINE
    if len(data) - start < 2 * size:
        return None
    end = data.rfind("\n", start) + 1
    low = data.find("\n", end - size) + 1
    while data.count("\n", low, end) < wanted:
        size *= 2
        if end - start < 2 * size:
            return None
        low = data.find("\n", end - size) + 1
    if leaves_a_pen_at_most(data, start, low) and scan(data, low, mo.LNM in screen.mode) == end:
        return low, end
    return None


def _pass_by(stream: "Stream", screen: "Screen", text: str) -> None:
    """Have lines go by unseen, of which nothing will be kept: blank rows hold the place of the last."""
    screen.scrollback.skip(text.count("\n"))
    screen.cursor.pen = pen_after(screen.cursor.pen, text)
    screen.rows = [Row() for _ in range(screen.lines)]
    screen.touch_all()
    stream.deferred += len(text)
    stream.settled()


def _some(data: str, start: int, end: int, wanted: int) -> int:
    """How many lines end between ``start`` and ``end``; if more than ``wanted`` it may be told of so many of them."""
    near = start + wanted * _USUAL_LINE * 2
    count = data.count("\n", start, min(near, end))
    return count if count >= wanted or near >= end else data.count("\n", start, end)


def _last_rows(text: str, screen: "Screen") -> int:
    """Where in the last lines, of narrow text, those begin that fill the screen once they are wrapped."""
    columns = screen.columns
    end = len(text)
    rows = 0
    while rows < screen.lines:
        start = text.rfind("\n", 0, end - 1) + 1
        if not start:
            return 0
        line = text[start:end].rstrip("\r\n")
        size = len(SGR.sub("", line)) if len(line) > columns and "\x1b" in line else len(line)
        rows += max(1, (size + columns - 1) // columns)
        end = start
    return end


def _append(stream: "Stream", screen: "Screen", text: str) -> int:
    """Print the lines that ``text`` begins with, as far as they fit, unparsed; gives how many characters."""
    rows, pens, length = _unparsed(screen, text, screen.cursor.pen, kind_of(text))
    if len(rows) < _FEW or pens[-1].bg != "default":
        return 0
    _scroll_in(stream, screen, rows, pens, blank=0)
    return length


def _unparsed(screen: "Screen", text: str, pen: Pen, kind: int) -> tuple[list[Row], list[Pen], int]:
    """Rows for the lines of ``text`` up to the first that won't do, the pen after each, and their length."""
    rows: list[Row] = []
    pens: list[Pen] = []
    if kind == OTHER:
        return rows, pens, 0
    narrow = kind == NARROW
    newline = mo.LNM in screen.mode
    columns = screen.columns
    length = 0
    for line in split_lines(text, newline):
        after, plain = pen, line
        if "\x1b" in line:
            after = pen_after(pen, line)
            plain = SGR.sub("", line)
        if pen.bg != "default":
            break
        if len(plain) > columns or (not narrow and width_of(plain) > columns):
            wrapped = _wrapped(line, pen, columns) if narrow else None
            if wrapped is None:
                break
            rows += wrapped
        else:
            rows.append(UnparsedRow.of(line, pen, columns))
        pens.append(after)
        length += len(line) + 2
        pen = after
    if newline:
        # A line may have ended in LF or CR LF; count what there was.
        length = _end_of_line(text, len(pens))
    return rows, pens, length


def _wrapped(line: str, pen: Pen, columns: int) -> list[Row] | None:
    """The rows of a line that is longer than one; None when a background would fill those it wraps into."""
    cells, spans, _ = parse(line, pen)
    if any(part.bg != "default" for _, part in spans):
        return None
    return wrap_line((cells, spans), columns)


def _end_of_line(text: str, number: int) -> int:
    at = 0
    for _ in range(number):
        at = text.find("\n", at) + 1
    return at


def _scroll_in(stream: "Stream", screen: "Screen", rows: list[Row], pens: list[Pen], *, blank: int) -> None:
    """Scroll rows in above the last; ``blank`` rows at the top of the screen only hold their place."""
    above = [*screen.rows[:-1], *rows]
    keep = screen.lines - 1
    gone = len(above) - keep
    _push_rows(stream, screen, above[min(blank, gone) : gone])
    screen.rows = [*above[gone:], Row()]
    screen.cursor.x = 0
    screen.cursor.pen = pens[-1]
    screen.touch_all()
    stream.settled()


def _store(stream: "Stream", screen: "Screen", data: str, start: int, cut: int) -> Pen:
    """Move the rows of the screen and the raw lines to the scrollback; gives the pen at their end."""
    scrollback = screen.scrollback
    pen = screen.cursor.pen
    pieces: list[tuple[int, int, int]] = []
    at = start
    while at < cut:
        end = cut if cut - at <= WINDOW * 3 // 2 else data.find("\n", at + WINDOW, cut) + 1 or cut
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
        _push_rows(stream, screen, screen.rows[:-1])
    for low, high, count in pieces[keep:]:
        text = data[low:high]
        end_pen = pen_after(pen, text)
        scrollback.defer(Raw(text, count, screen, pen, end_pen, stream.emulate))
        pen = end_pen
    return pen


def _push_rows(stream: "Stream", screen: "Screen", rows: list[Row]) -> None:
    """Move rows to the scrollback; those that nobody has looked at go on unparsed."""
    end = "\n" if mo.LNM in screen.mode else "\r\n"
    for unparsed, group in groupby(rows, lambda row: isinstance(row, UnparsedRow) and not row.double):
        members = list(group)
        if unparsed and len(members) >= _MANY:
            lines = [cast("UnparsedRow", row).source() for row in members]
            text = "".join(line + end for line, _ in lines)
            last, pen = lines[-1]
            screen.scrollback.defer(Raw(text, len(lines), screen, lines[0][1], pen_after(pen, last), stream.emulate))
        else:
            for row in members:
                screen.scrollback.push(row)
