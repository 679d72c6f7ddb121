"""A screen as control sequences: fed to a fresh screen of the same size they make its equal.

So a base screen crosses threads and sockets as a string, and a viewer that joins in the middle of a stream
goes on exactly as if it had been there from the start. What a stream can't say is left out: the bell
count, the joins of logical lines longer than the scrollback keeps in one piece, and what is in the hidden
half of double-width rows.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyte import modes as mo

from engine.terminal.cursor import BAR, UNDERLINE
from engine.terminal.lines import Line, Spans, breaks, cells_of, spans_of
from engine.terminal.pens import DEFAULT, Pen
from engine.terminal.reports import pen_sgr
from engine.terminal.rows import Row
from engine.terminal.saving import Savepoint
from engine.terminal.widths import is_regional, joins

if TYPE_CHECKING:
    from engine.terminal.screen import Screen
    from engine.terminal.stream import Stream

_SCREENS = (47, 1047, 1049)
_USUAL = {mo.DECAWM, mo.DECTCEM}


def prelude(screen: "Screen", stream: "Stream | None" = None) -> str:
    """What makes a fresh screen of this size equal; with its stream's unfinished sequence at the end."""
    out = [
        "\x1b[?3h" if mo.DECCOLM in screen.mode else "",
        *_names(screen),
        *_saved_modes(screen),
        *_tab_stops(screen),
        *_scrollback(screen),
    ]
    if screen.alternate:
        out += _picture(screen._hidden_rows or [], screen.columns)
        code = next((code for code in _SCREENS if code << 5 in screen.mode), 47)
        if screen._hidden_savepoints:
            out += _save(screen._hidden_savepoints[-1], "" if code == 1049 else "\x1b7")
            if code == 1049 and screen._return_pending:
                out.append(_last_column(screen))
        elif code == 1049:
            out.append("\x1b[?47h")  # 1049 came when it was on already, and saved nothing of the main screen.
        out.append(f"\x1b[?{code}h\x1b[m")
    elif screen._hidden_savepoints:
        out += ["\x1b[?47h", *_save(screen._hidden_savepoints[-1], "\x1b7"), "\x1b[?47l"]
    out += _picture(screen.rows, screen.columns)
    if screen.savepoints:
        out += _save(screen.savepoints[-1], "\x1b7")
    elif screen.alternate:
        out.append("\x1b[m")
    out += _state(screen, stream)
    if stream is not None:
        out.append(stream._pending)
    return "".join(out)


def _names(screen: "Screen") -> Iterator[str]:
    for title, icon in (*screen.title_stack, (screen.title, screen.icon_name)):
        yield f"\x1b]2;{title}\x07\x1b]1;{icon}\x07"
        yield "\x1b[22t"
    yield "\x1b[23t"
    for index, color in screen.palette.items():
        yield f"\x1b]4;{index};#{color}\x07"
    codes = {"foreground": 10, "background": 11, "cursor": 12}
    for name, color in screen.colors.items():
        yield f"\x1b]{codes[name]};#{color}\x07"


def _saved_modes(screen: "Screen") -> Iterator[str]:
    for mode, on in screen.saved_modes.items():
        if mode not in (*_SCREENS, 1048):
            back = "h" if mode << 5 in _USUAL else "l"
            yield f"\x1b[?{mode}{'h' if on else 'l'}\x1b[?{mode}s\x1b[?{mode}{back}"


def _tab_stops(screen: "Screen") -> Iterator[str]:
    if screen.tabstops != set(range(8, screen.columns, 8)):
        yield "\x1b[3g"
        for stop in sorted(screen.tabstops):
            yield f"\x1b[{stop + 1}G\x1bH"


def _scrollback(screen: "Screen") -> Iterator[str]:
    back, columns = screen.scrollback, screen.columns
    lines = list(back.lines())
    if not lines:
        return
    yield f"\x1b[H{_pen(DEFAULT)}"
    rows = 0
    for number, line in enumerate(lines):
        spans = spans_of(line)
        last = spans[-1][1] if spans else DEFAULT
        yield _text(cells_of(line), spans, DEFAULT)
        rows += len(breaks(line, columns))
        if number + 1 < len(lines) or not back.joinable:
            yield _pen(DEFAULT, last)
            # A background fills the row that a line wraps into; a log in plain colours is lines and no more.
            yield "\r\n" if all(pen.bg == "default" for _, pen in spans) else "\x1b[K\r\n"
    if not back.joinable:
        used = min(rows, screen.lines - 1)
        yield f"\x1b[m\x1b[{used}S" if used else "\x1b[m"
        return
    used = min(rows, screen.lines) - 1
    main = screen._hidden_rows or screen.rows
    yield f"\x1b[m\x1b[{used}S" if used else "\x1b[m"
    yield _step(lines[-1], main[0], 0, columns, short=back._short)
    yield "\x1b[m" if screen.lines == 1 else "\x1b[m\x1b[S"


def _step(line: Line, after: Row, y: int, columns: int, *, short: bool) -> str:
    """Wrap from row ``y``, which ends ``line``, into ``after``, by printing its first cell again."""
    cells, spans = cells_of(line), spans_of(line)
    first, pen = after.cell(0)
    last = cells[-1] if cells else " "
    wide = last == "" and len(cells) > 1
    if joins(cells[-2] if wide else last, first):
        return ""
    if short and after.cell(min(1, columns - 1))[0] != "":
        # The wide character that did not fit is gone; a blank in the last column wraps as well.
        short, wide, last, spans = False, False, " ", ()
    x = columns - 1 if not wide or short else columns - 2
    out = f"\x1b[{y + 1};{x + 1}H"
    if not short:
        out += _pen(spans[-1][1] if spans else DEFAULT) + (cells[-2] if wide else last)
    return out + _pen(pen) + (first or " ")


def _picture(rows: list[Row], columns: int) -> Iterator[str]:
    pen: Pen | None = None  # the one in force, if it is known
    for y, row in enumerate(rows):
        cells, spans = row.parts()
        if row.double:
            yield f"\x1b[{y + 1}H\x1b#{'0634'[row.double]}"
        if row.is_blank() and not row.wrap:
            if y == 0:
                # Over what wrapping into this row has left; erasing would end that line.
                yield f"\x1b[H{_pen(DEFAULT)} "
                pen = DEFAULT
            continue
        yield f"\x1b[{y + 1}H"
        if any(len(cell) > 1 or is_regional(cell or " ") or "\U0001f3fb" <= cell <= "\U0001f3ff" for cell in cells):
            # From the right, so that no cell joins the one before it.
            for x in range(len(cells) - 1, -1, -1):
                if cells[x]:
                    yield f"\x1b[{x + 1}G" + _pen(row.cell(x)[1]) + cells[x]
            pen = None
        else:
            yield _text(cells, spans, pen)
            pen = spans[-1][1] if spans else pen
    for y, row in enumerate(rows[:-1]):
        if row.wrap:
            yield _step(row.wrapped_line(), rows[y + 1], y, columns, short=row.wrap < columns)
    yield "\x1b[m" + _link(DEFAULT) + '\x1b[0"q'


def _text(cells: str | tuple[str, ...], spans: Spans, pen: Pen | None = None) -> str:
    """What prints it, where this pen is in force; None: nobody knows which."""
    out = []
    start = 0
    for end, after in spans:
        out.append(_pen(after, pen) + "".join(cells[start:end]))
        start, pen = end, after
    return "".join(out)


def _link(pen: Pen) -> str:
    return f"\x1b]8;;{pen.link}\x1b\\"


def _pen(pen: Pen, before: Pen | None = None) -> str:
    """To this pen from that one; None: from any."""
    if pen is before:
        return ""
    link = "" if before is not None and pen.link == before.link else _link(pen)
    protected = "" if before is not None and pen.protected == before.protected else f'\x1b[{int(pen.protected)}"q'
    return f"\x1b[{pen_sgr(pen)}m{link}{protected}"


def _charsets(codes: tuple[str, ...], charset: int) -> str:
    sets = "".join(f"\x1b{mark}{code}" for mark, code in zip("()*+", codes, strict=True))
    return sets + ("\x0f", "\x0e", "\x1bn", "\x1bo")[charset]


def _save(saved: Savepoint, how: str) -> Iterator[str]:
    """Bring about what was saved, save it, and undo it; margins are not set yet."""
    if saved.origin:
        yield "\x1b[?6h"
    yield f"\x1b[{saved.y + 1};{saved.x + 1}H{_pen(saved.pen)}{_charsets(saved.codes, saved.charset)}{how}"
    if how:
        yield f"\x1b[?6l{_pen(DEFAULT)}{_charsets(('B', 'B', 'B', 'B'), 0)}"


def _last_column(screen: "Screen") -> str:
    """Behind the last column of the main screen, where 1049 left it: its character again."""
    saved: Savepoint = screen._hidden_savepoints[-1]
    rows, last = screen._hidden_rows or [], screen.columns - 1
    if rows[saved.y].cell(last)[0] == "":
        last -= 1
    text, pen = rows[saved.y].cell(last)
    plain, back = _charsets(("B", "B", "B", "B"), 0), _charsets(saved.codes, saved.charset)
    return f"\x1b[{last + 1}G{plain}{_pen(pen)}{text}{_pen(saved.pen)}{back}"


def _state(screen: "Screen", stream: "Stream | None") -> Iterator[str]:
    cursor, mode = screen.cursor, screen.mode
    yield f"{_pen(DEFAULT)}{_charsets(('B', 'B', 'B', 'B'), 0)}\x1b[?6l"
    if 69 << 5 in mode:
        yield f"\x1b[?69h\x1b[{screen._left + 1};{screen._right + 1}s"
    if screen.margins is not None:
        yield f"\x1b[{screen._top + 1};{screen._bottom + 1}r"
    late = {mo.DECAWM, mo.IRM, mo.DECOM, 69 << 5, mo.DECCOLM, *(code << 5 for code in _SCREENS)}
    for each in sorted(mode - _USUAL - late):
        yield f"\x1b[?{each >> 5}h" if each & 31 == 0 and each else f"\x1b[{each}h"
    if mo.DECTCEM not in mode:
        yield "\x1b[?25l"
    if screen.keypad:
        yield "\x1b="
    if not screen.wheel_as_keys:
        yield "\x1b[?1007l"
    shape = {UNDERLINE: 4, BAR: 6}.get(cursor.shape, 2)
    yield f"\x1b[{shape - cursor.blinking} q"
    y, x = cursor.y, cursor.x
    if mo.DECOM in mode:
        yield "\x1b[?6h"
        y, x = y - screen._top, x - screen._left
    pending = screen._pending_right or cursor.x >= screen.columns
    if mo.DECAWM not in mode and not pending:
        yield "\x1b[?7l"
    yield from _cursor(screen, stream, y, x)
    if mo.DECAWM not in mode and pending:
        yield "\x1b[?7l"
    if mo.IRM in mode:
        yield "\x1b[4h"
    codes = tuple(screen.charset_codes)
    if screen.charset or codes != ("B", "B", "B", "B"):
        yield _charsets(codes, screen.charset)
    if screen._single:
        yield "\x1bN" if screen._single == 2 else "\x1bO"


def _cursor(screen: "Screen", stream: "Stream | None", y: int, x: int) -> Iterator[str]:
    """Put the cursor in its place; behind its last character again, where that is in suspense."""
    cursor = screen.cursor
    pending = screen._pending_right or cursor.x >= screen.columns
    printed = stream is not None and stream._printed and cursor.x > 0
    if pending or printed or screen._joining:
        here = cursor.x if screen._pending_right else cursor.x - 1
        row = screen.rows[cursor.y]
        if row.cell(here)[0] == "":
            here -= 1
        text, pen = row.cell(here)
        yield f"\x1b[{y + 1};{x - cursor.x + here + 1}H{_pen(pen)}{text}"
        if pen is not cursor.pen:
            yield _pen(cursor.pen)
    else:
        yield f"\x1b[{y + 1};{x + 1}H{_pen(cursor.pen)}"
