"""Lines at rest: what a row becomes when it has scrolled off, small and immutable.

A line is a plain ``str`` (default pen, a character a column) or a pair: its cells and its spans. Cells are a
``str`` when each column is one character, else a tuple with one text a column (empty: the right half of a
wide character). Spans are ``(end column, pen)``, in order, to the end of the cells.
"""

from collections.abc import Sequence
from typing import TypeAlias

from engine.terminal.pens import DEFAULT, Pen

Run: TypeAlias = tuple[str, Pen]
"""Text and the pen it is drawn with."""
Cells: TypeAlias = str | tuple[str, ...]
Spans: TypeAlias = tuple[tuple[int, Pen], ...]
Line: TypeAlias = str | tuple[Cells, Spans]


def cells_of(line: Line) -> Cells:
    """The cells of a line."""
    return line if isinstance(line, str) else line[0]


def spans_of(line: Line) -> Spans:
    """The spans of a line, over all of its cells."""
    if isinstance(line, str):
        return ((len(line), DEFAULT),) if line else ()
    return line[1]


def make_line(cells: Cells, spans: Spans, keep: int = 0) -> Line:
    """A line without its trailing default blanks; at least ``keep`` cells stay."""
    end = blank_start(cells, spans, keep)
    if end < len(cells):
        cells, spans = cells[:end], cut_spans(spans, 0, end)
    if isinstance(cells, str) and all(pen is DEFAULT for _, pen in spans):
        return cells
    return cells, spans


def blank_start(cells: Cells, spans: Sequence[tuple[int, Pen]], keep: int = 0) -> int:
    """Where the trailing default blanks of a row begin."""
    end = len(cells)
    for index in range(len(spans) - 1, -1, -1):
        if spans[index][1] is not DEFAULT:
            break
        start = spans[index - 1][0] if index else 0
        if isinstance(cells, str):
            end = start + len(cells[start:end].rstrip(" "))
        else:
            while end > start and cells[end - 1] == " ":
                end -= 1
        if end > start:
            break
    return max(end, min(keep, len(cells)))


def cut_spans(spans: Sequence[tuple[int, Pen]], start: int, end: int) -> Spans:
    """The spans of the columns from ``start`` up to ``end``, counted from ``start``."""
    out = []
    for stop, pen in spans:
        if stop > start:
            out.append((min(stop, end) - start, pen))
            if stop >= end:
                break
    return tuple(out) if end > start else ()


def cut(line: Line, start: int, end: int) -> Line:
    """The columns from ``start`` up to ``end`` as a line."""
    if isinstance(line, str):
        return line[start:end]
    return line[0][start:end], cut_spans(line[1], start, end)


def join(first: Line, second: Line) -> Line:
    """Two lines after one another."""
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    cells, more = cells_of(first), cells_of(second)
    both: Cells = cells + more if isinstance(cells, str) and isinstance(more, str) else (*cells, *more)
    shift = len(cells)
    spans = list(spans_of(first))
    for stop, pen in spans_of(second):
        if spans and spans[-1][1] is pen:
            spans.pop()
        spans.append((stop + shift, pen))
    return both, tuple(spans)


def breaks(line: Line, columns: int) -> list[int]:
    """The columns at which the rows of a line begin when it is wrapped; never within a wide character."""
    cells = cells_of(line)
    if len(cells) <= columns:
        return [0]
    if isinstance(cells, str):
        return list(range(0, len(cells), columns))
    starts = [0]
    while starts[-1] + columns < len(cells):
        at = starts[-1] + columns
        if cells[at] == "" and columns > 1:
            at -= 1
        starts.append(at)
    return starts


def line_runs(line: Line) -> list[Run]:
    """The runs of a line, trailing default blanks trimmed; adjacent equal pens joined."""
    if isinstance(line, str):
        text = line.rstrip(" ")
        return [(text, DEFAULT)] if text else []
    return runs_of(line[0], line[1])


def runs_of(cells: Cells, spans: Sequence[tuple[int, Pen]]) -> list[Run]:
    """The runs of cells under spans, trailing default blanks trimmed."""
    out: list[Run] = []
    start = 0
    for stop, pen in spans:
        piece = cells[start:stop]
        text = piece if isinstance(piece, str) else "".join(piece)
        start = stop
        if text:
            if out and out[-1][1] is pen:
                text = out.pop()[0] + text
            out.append((text, pen))
    while out and out[-1][1] is DEFAULT:
        text = out.pop()[0].rstrip(" ")
        if text:
            out.append((text, DEFAULT))
            break
    return out


def line_text(line: Line) -> str:
    """The text of a line, trailing blanks trimmed."""
    cells = cells_of(line)
    return (cells if isinstance(cells, str) else "".join(cells)).rstrip(" ")


def compress(pens: list[Pen]) -> list[tuple[int, Pen]]:
    """The spans of a list of pens."""
    spans = []
    last = pens[0]
    for x, pen in enumerate(pens):
        if pen is not last:
            spans.append((x, last))
            last = pen
    spans.append((len(pens), last))
    return spans


def expand(spans: Sequence[tuple[int, Pen]], columns: int) -> list[Pen]:
    """A pen a column; past the spans the default."""
    pens: list[Pen] = []
    for end, pen in spans:
        pens += [pen] * (end - len(pens))
    pens += [DEFAULT] * (columns - len(pens))
    return pens
