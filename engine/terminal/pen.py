"""How a cell is drawn, and what the parameters of SGR do to it."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from pyte import graphics


class Pen(NamedTuple):
    """The look of a run of text. Colours: ``"default"``, a pyte colour name, or ``"rrggbb"``."""

    fg: str = "default"
    bg: str = "default"
    bold: bool = False
    faint: bool = False
    italics: bool = False
    underscore: bool = False
    strikethrough: bool = False
    reverse: bool = False
    blink: bool = False
    conceal: bool = False
    overline: bool = False
    underline_style: int = 0
    """0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed."""
    link: str = ""
    """The target of an OSC 8 hyperlink, empty for none."""


Run: TypeAlias = tuple[str, Pen]


class Cell(NamedTuple):
    """One column of a row: pyte's ``Char`` with the fields of `Pen` that it lacks.

    The fields after ``data`` are those of `Pen`, in its order.
    """

    data: str = " "
    fg: str = "default"
    bg: str = "default"
    bold: bool = False
    faint: bool = False
    italics: bool = False
    underscore: bool = False
    strikethrough: bool = False
    reverse: bool = False
    blink: bool = False
    conceal: bool = False
    overline: bool = False
    underline_style: int = 0
    link: str = ""


@lru_cache(maxsize=4096)
def pen_of(look: tuple[str | bool | int, ...]) -> Pen:
    """The pen of a cell's fields after its text; the same object for the same look."""
    return Pen._make(look)


# pyte 0.8.2 misspells the name of 105.
_COLOURS: dict[int, tuple[str, str]] = {
    **{code: ("fg", name) for code, name in {**graphics.FG_ANSI, **graphics.FG_AIXTERM}.items()},
    **{code: ("bg", name) for code, name in {**graphics.BG_ANSI, **graphics.BG_AIXTERM}.items()},
    105: ("bg", "brightmagenta"),
}
_FLAGS: dict[int, dict[str, bool | int]] = {
    1: {"bold": True},
    2: {"faint": True},
    3: {"italics": True},
    4: {"underscore": True, "underline_style": 1},
    5: {"blink": True},
    6: {"blink": True},
    7: {"reverse": True},
    8: {"conceal": True},
    9: {"strikethrough": True},
    21: {"underscore": True, "underline_style": 2},
    22: {"bold": False, "faint": False},
    23: {"italics": False},
    24: {"underscore": False, "underline_style": 0},
    25: {"blink": False},
    27: {"reverse": False},
    28: {"conceal": False},
    29: {"strikethrough": False},
    53: {"overline": True},
    55: {"overline": False},
}


def apply_sgr(cell: Cell, default: Cell, parameters: Iterable[int | str]) -> Cell:
    """The cell after SGR: numbers as written between semicolons, text for a group with colons (``"4:3"``).

    What can't be understood is left out, as a terminal does. A link outlives every reset.
    """
    left = list(parameters)[::-1]
    while left:
        code = left.pop()
        if isinstance(code, str):
            cell = _apply_group(cell, code)
        elif code == 0:
            cell = default._replace(link=cell.link)
        elif code in _COLOURS:
            field, name = _COLOURS[code]
            cell = cell._replace(fg=name) if field == "fg" else cell._replace(bg=name)
        elif code in _FLAGS:
            cell = cell._replace(**_FLAGS[code])  # type: ignore[arg-type]
        elif code in (38, 48, 58):
            kind = left.pop() if left else 0
            count = {5: 1, 2: 3}.get(kind if isinstance(kind, int) else 0, 0)
            rest = [left.pop() for _ in range(min(count, len(left)))]
            cell = _colour(cell, code, rest)
    return cell


def _apply_group(cell: Cell, group: str) -> Cell:
    code, *rest = [int(part or 0) for part in group.split(":")]
    if code == 4:
        style = min(rest[0], 5) if rest else 1
        return cell._replace(underscore=style > 0, underline_style=style)
    if code in (38, 48) and rest:
        kind, *values = rest
        if kind == 2:  # 38:2:r:g:b, or with the colour space that the standard has: 38:2::r:g:b
            return _colour(cell, code, values[1:4] if len(values) > 3 else values)
        if kind == 5:
            return _colour(cell, code, values[:1])
    return cell


def _colour(cell: Cell, code: int, values: Iterable[int | str]) -> Cell:
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) == 3:
        name = "{:02x}{:02x}{:02x}".format(*(min(number, 255) for number in numbers))
    elif len(numbers) == 1 and numbers[0] < 256:
        name = graphics.FG_BG_256[numbers[0]]
    else:
        return cell
    if code == 58:  # the underline's own colour has no place in a pen
        return cell
    return cell._replace(fg=name) if code == 38 else cell._replace(bg=name)
