"""SGR: the parameters of ``CSI … m`` applied to the fields of a pen, with semicolons and with colons."""

from typing import Final, TypeAlias

from pyte import graphics

Value: TypeAlias = str | bool | int
Key: TypeAlias = tuple[Value, ...]
"""The values of a pen's fields."""

FIELDS: Final = (
    "fg",
    "bg",
    "bold",
    "faint",
    "italics",
    "underscore",
    "strikethrough",
    "reverse",
    "blink",
    "conceal",
    "overline",
    "underline_style",
    "underline_color",
    "link",
    "protected",
)
"""The attributes that make a pen, in the order of its constructor."""

RESET: Final[Key] = ("default", "default", *[False] * 9, 0, "default", "", False)
"""The default pen's."""

NAMES: Final = (
    "black",
    "red",
    "green",
    "brown",
    "blue",
    "magenta",
    "cyan",
    "white",
    "brightblack",
    "brightred",
    "brightgreen",
    "brightbrown",
    "brightblue",
    "brightmagenta",
    "brightcyan",
    "brightwhite",
)
"""The sixteen colours of the theme by palette index, as pyte calls them."""

_COLORS: Final = {38: "fg", 48: "bg", 58: "underline_color"}
_FLAGS: Final[dict[int, tuple[tuple[str, Value], ...]]] = {
    1: (("bold", True),),
    2: (("faint", True),),
    3: (("italics", True),),
    4: (("underscore", True), ("underline_style", 1)),
    5: (("blink", True),),
    6: (("blink", True),),
    7: (("reverse", True),),
    8: (("conceal", True),),
    9: (("strikethrough", True),),
    21: (("underscore", True), ("underline_style", 2)),
    22: (("bold", False), ("faint", False)),
    23: (("italics", False),),
    24: (("underscore", False), ("underline_style", 0)),
    25: (("blink", False),),
    27: (("reverse", False),),
    28: (("conceal", False),),
    29: (("strikethrough", False),),
    39: (("fg", "default"),),
    49: (("bg", "default"),),
    53: (("overline", True),),
    55: (("overline", False),),
    59: (("underline_color", "default"),),
}
_INDEX: Final = {name: i for i, name in enumerate(FIELDS)}
_BASE: Final[dict[int, tuple[int, str]]] = {
    **{30 + i: (_INDEX["fg"], NAMES[i]) for i in range(8)},
    **{40 + i: (_INDEX["bg"], NAMES[i]) for i in range(8)},
    **{90 + i: (_INDEX["fg"], NAMES[8 + i]) for i in range(8)},
    **{100 + i: (_INDEX["bg"], NAMES[8 + i]) for i in range(8)},
}
_DIRECT: Final = frozenset(("38", "48"))
_KEPT: Final = ("link", "protected")
"""What SGR 0 leaves alone: OSC 8 and DECSCA set these."""


def palette_color(index: int) -> str | None:
    """The colour of a palette index: a name for the theme's sixteen, else hexadecimal; None outside 0-255."""
    if 0 <= index < 16:
        return NAMES[index]
    if index < 256:
        return str(graphics.FG_BG_256[index])
    return None


def apply_sgr(old: Key, params: str) -> Key:
    """The fields after ``CSI params m``; what is unknown or incomplete changes nothing."""
    if params.strip("0123456789;:"):
        return old  # A private marker or an intermediate: not SGR at all.
    parts = params.split(";")
    if len(parts) == 5 and parts[1] == "2" and parts[0] in _DIRECT:
        plain = "" not in parts and ":" not in params and len(params) < 20
        red, green, blue = map(int, parts[2:]) if plain else (256, 0, 0)
        if red < 256 and green < 256 and blue < 256:
            color = f"{red:02x}{green:02x}{blue:02x}"
            return (color, *old[1:]) if parts[0] == "38" else (old[0], color, *old[2:])
    key = list(old)
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if ":" in part:
            _colons(key, part.split(":"))
            continue
        code = _number(part)
        if code == 0:
            _reset(key)
        elif code in _BASE:
            index, name = _BASE[code]
            key[index] = name
        elif code in _FLAGS:
            for field, value in _FLAGS[code]:
                key[_INDEX[field]] = value
        elif code in _COLORS:
            at += _semicolons(key, _COLORS[code], parts[at : at + 4])
    return tuple(key)


def _reset(key: list[Value]) -> None:
    kept = [key[_INDEX[name]] for name in _KEPT]
    key[:] = RESET
    for name, value in zip(_KEPT, kept, strict=True):
        key[_INDEX[name]] = value


def _semicolons(key: list[Value], field: str, rest: list[str]) -> int:
    """Apply ``38;5;n`` or ``38;2;r;g;b`` and say how many of ``rest`` belonged to it."""
    kind = _number(rest[0]) if rest else -1
    if kind == 5:
        color = palette_color(_number(rest[1])) if len(rest) > 1 else None
        if color is not None:
            key[_INDEX[field]] = color
        return 2
    if kind == 2:
        if len(rest) > 3:
            key[_INDEX[field]] = _rgb(rest[1:4])
        return 4
    return 1


def _colons(key: list[Value], parts: list[str]) -> None:
    code = _number(parts[0])
    if code == 4:
        style = _number(parts[1])
        if style <= 5:
            key[_INDEX["underscore"]] = style > 0
            key[_INDEX["underline_style"]] = style
    elif code in _COLORS:
        kind = _number(parts[1])
        color: str | None = None
        if kind == 5 and len(parts) > 2:
            color = palette_color(_number(parts[2]))
        elif kind == 2 and len(parts) == 5:
            color = _rgb(parts[2:5])
        elif kind == 2 and len(parts) > 5:
            color = _rgb(parts[3:6])
        if color is not None:
            key[_INDEX[_COLORS[code]]] = color


def _rgb(parts: list[str]) -> str:
    red, green, blue = map(_number, parts)
    return f"{min(255, red):02x}{min(255, green):02x}{min(255, blue):02x}"


def _number(text: str) -> int:
    # Longer numbers than any code needs are cut, so that int() never meets thousands of digits.
    return int(text.lstrip("0")[:9] or 0) if text.isdigit() else 0
