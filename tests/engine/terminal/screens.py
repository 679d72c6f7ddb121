"""Making, feeding and comparing screens; random streams in the domain where stock pyte is right."""

import random
from typing import Any

import pyte

from engine.terminal import ByteStream, Pen, Screen, Stream
from engine.terminal.sgr import NAMES

HEX = {pyte.graphics.FG_BG_256[i]: NAMES[i] for i in range(15, -1, -1)}
WORDS = ["alpha", "beta", "x", "error:", "│", "é", "ok", "--", "=" * 30, "tab", "12%"]
WIDE = ["日本", "漢字", "🚀"]


def fed(data: str | bytes, columns: int = 20, lines: int = 6, scrollback: int = 50) -> Screen:
    """A screen that has been fed."""
    screen = Screen(columns, lines, scrollback)
    if isinstance(data, str):
        Stream(screen).feed(data)
    else:
        ByteStream(screen).feed(data)
    assert not screen.failures, list(screen.failures)
    return screen


def texts(screen: Screen) -> list[str]:
    """The visible rows, trailing blanks cut."""
    return [screen.text(y) for y in range(screen.lines)]


def history(screen: Screen) -> list[str]:
    """The scrollback's rows."""
    back = screen.scrollback
    return [back.text(n) for n in range(back.first, back.total)]


def picture(screen: Screen) -> dict[str, Any]:
    """Everything that two equal screens have in common."""
    back = screen.scrollback
    cursor = screen.cursor
    return {
        "rows": [screen.runs(y) for y in range(screen.lines)],
        "wraps": [screen.wrapped(y) for y in range(screen.lines)],
        "cursor": (cursor.x, cursor.y, cursor.hidden, cursor.shape, cursor.pen),
        "scrollback": [(back.runs(n), back.wrapped(n)) for n in range(back.first, back.total)],
        "modes": set(screen.mode),
        "margins": (screen.margins, screen._left, screen._right),
        "title": (screen.title, screen.icon_name),
        "bells": screen.bells,
        "alternate": screen.alternate,
        "charsets": (screen.charset, screen.charset_codes),
        "tabs": screen.tabstops,
        "saved": screen.savepoints,
        "palette": (screen.palette, screen.colors),
        "failures": list(screen.failures),
    }


def like_ours(cell: Any) -> tuple[Any, ...]:
    """A cell of stock pyte with the colours of the theme by name, as ours has them."""
    fields = list(tuple(cell)[:9])
    fields[1] = HEX.get(fields[1], fields[1])
    fields[2] = HEX.get(fields[2], fields[2])
    return tuple(fields)


def sgr(r: random.Random, background: bool = False) -> str:
    """A sequence that sets the pen; backgrounds only where nothing scrolls (stock has no BCE)."""
    r256 = r.randint(0, 255)
    some = [
        "0",
        "",
        "1",
        "31",
        "39",
        "4",
        "24",
        "7",
        "27",
        f"38;5;{r256}",
        f"38;2;{r256};7;{255 - r256}",
        "0;1;32",
        "92",
    ]
    some += ["3;9;5", "22", "23", "95"]
    if background:
        some += ["44", "48;5;9", "104", "49"]
    return f"\x1b[{r.choice(some)}m"


def log(r: random.Random, lines: int, wide: bool = False) -> str:
    """Coloured log lines; those with wide characters fit, because stock splits them at the margin."""
    out = []
    for _ in range(lines):
        words = WORDS[:8] + WIDE if wide else WORDS
        count = r.randint(0, 5 if wide else 25)
        parts = ((sgr(r) if r.random() < 0.3 else "") + r.choice(words) + " " for _ in range(count))
        out.append("".join(parts) + "\r\n")
    return "".join(out)


def edits(r: random.Random, count: int) -> str:
    """What works within a line: returns, backspaces, erasing."""
    out = []
    for _ in range(count):
        k = r.random()
        if k < 0.4:
            out.append(r.choice(["\r", "\r\n", "\r\n", "\r\x1b[0m\x1b[K", "\r\x1b[9C\x08", "\r\t"]))
        else:
            out.append(sgr(r) if k < 0.6 else r.choice(WORDS))
    return "".join(out)


def full(r: random.Random, count: int) -> str:
    """Cursor addressing, erasing, inserting and deleting, from columns that are certain."""
    out = []
    for _ in range(count):
        k = r.random()
        column = f"\x1b[{r.randint(1, 38)}G"
        n = r.randint(1, 5)
        if k < 0.35:
            out.append(column + r.choice(["a", "ok", "12"]))
        elif k < 0.5:
            out.append(sgr(r))
        elif k < 0.62:
            out.append(f"\x1b[{r.randint(1, 14)};{r.randint(1, 50)}H")
        elif k < 0.7:
            out.append(column + r.choice(["\r\n", "\r", "\n", "\x08", "\t", "\x1bD", "\x1bM"]))
        elif k < 0.8:
            out.append(
                "\x1b[0m"
                + column
                + r.choice(["\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J", f"\x1b[{n}X"])
            )
        elif k < 0.9:
            out.append(column + f"\x1b[{n}{r.choice('ABCDEFGd')}")
        elif k < 0.94:
            out.append("\x1b[0m" + column + f"\x1b[{n}L")
        elif k < 0.97:
            out.append("\x1b[0m" + column + f"\x1b[{n}P")
        else:
            out.append(r.choice(["\x1b[?25l", "\x1b[?25h", "\x1b]0;title\x07"]))
    return "".join(out)


DEFAULT = Pen()
