"""Another size for the rows of the main screen: logical lines flow to the new width."""

from engine.terminal.lines import Line, breaks, cells_of, cut, join
from engine.terminal.rows import Row
from engine.terminal.scrollback import Scrollback


def wrap_line(line: Line, columns: int) -> list[Row]:
    """The rows of a logical line."""
    starts = breaks(line, columns)
    ends = [*starts[1:], len(cells_of(line))]
    rows = []
    for start, end in zip(starts, ends, strict=True):
        row = Row.from_line(cut(line, start, end), columns)
        row.wrap = end - start
        rows.append(row)
    rows[-1].wrap = 0
    return rows


def reflow(
    rows: list[Row], scrollback: Scrollback, x: int, y: int, old: int, columns: int, lines: int
) -> tuple[list[Row], int, int]:
    """The rows at a new size and where the cursor (at ``x``, ``y``) comes to lie.

    Rows that no longer fit go to the scrollback; room is filled from there.
    """
    if columns != old:
        scrollback.rewrap(columns)
        rows, x, y = _flow(rows, scrollback, x, y, old, columns)
    while len(rows) > lines and len(rows) > y + 1 and rows[-1].is_blank():
        rows.pop()
    excess = len(rows) - lines
    if excess > 0:
        above = min(excess, y)
        for row in rows[:above]:
            scrollback.push(row)
        rows = rows[above:][:lines]
        rows[-1].wrap = 0
        y -= above
    while len(rows) < lines:
        line = scrollback.pop()
        if line is None:
            break
        more = wrap_line(line, columns)
        room = lines - len(rows)
        if rows and scrollback.rejoined:
            more[-1].wrap = len(cells_of(line)) - breaks(line, columns)[-1]
        for row in more[:-room] if len(more) > room else ():
            scrollback.push(row)
        more = more[-room:]
        rows = more + rows
        y += len(more)
    rows += [Row() for _ in range(lines - len(rows))]
    return rows, x, y


def flowing(row: Row, after: Row, columns: int) -> Line:
    """The part of a line that a row is, where the line goes on in the row after it."""
    line = row.wrapped_line()
    if row.wrap < columns and after.cell(min(1, columns - 1))[0] != "":
        # A column was left blank for a wide character that is no longer there.
        line = join(line, " ")
    return line


def _flow(
    rows: list[Row], scrollback: Scrollback, x: int, y: int, old: int, columns: int
) -> tuple[list[Row], int, int]:
    out: list[Row] = []
    line: Line | None = scrollback.pop() if scrollback.joinable else None
    spot = -1
    new_x, new_y = x, 0
    for number, row in enumerate(rows):
        goes_on = row.wrap > 0 and number + 1 < len(rows)
        before = len(cells_of(line)) if line is not None else 0
        if number == y:
            spot = before + x
        keep = 1 if line is not None else 0
        part = flowing(row, rows[number + 1], old) if goes_on else row.line(max(keep, x if number == y else 0))
        line = part if line is None else join(line, part)
        if goes_on:
            continue
        made = wrap_line(line, columns)
        if row.double:
            made = made[:1]
            made[0].double = row.double
        if spot >= 0:
            starts = breaks(line, columns)
            at = max(i for i, start in enumerate(starts) if start <= spot)
            new_y = len(out) + min(at, len(made) - 1)
            new_x = min(spot - starts[at], columns)
            spot = -1
        out += made
        line = None
    return out, new_x, new_y
