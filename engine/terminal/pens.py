"""Pens: everything about a cell but its character, as immutable interned objects.

Equal pens are one object, so rows compare them by identity. Each pen remembers where SGR parameters lead
from it: a parameter string is parsed once a pen, then it is one dictionary look-up.
"""

from typing import Any, Final
from weakref import WeakValueDictionary

from engine.terminal.sgr import FIELDS, Key, apply_sgr

_TRANSITIONS = 4096
_LONG_SGR = 96
_BACK = ("", "0")
_table: "WeakValueDictionary[Key, Pen]" = WeakValueDictionary()


class Transitions(dict[str, "Pen"]):
    """SGR parameters to the pen that they make out of ``pen``; filled as they are met, bounded."""

    __slots__ = ("pen",)

    def __init__(self, pen: "Pen") -> None:
        super().__init__()
        self.pen = pen

    def __missing__(self, params: str) -> "Pen":
        pen = self.pen
        made = DEFAULT if params in _BACK and not (pen.link or pen.protected) else Pen.of(apply_sgr(pen.key, params))
        if len(params) <= _LONG_SGR:
            if len(self) >= _TRANSITIONS:
                self.clear()
            self[params] = made
        return made


class _Fields:
    """A pen's storage, while it may still be written."""

    __slots__ = (*FIELDS, "__weakref__", "blank", "key", "next")


class Pen(_Fields):
    """How characters are drawn; interned, hashable and immutable.

    Colours are ``"default"``, one of pyte's names for the theme's sixteen (``"red"``, ``"brightblack"``),
    or six hexadecimal digits.
    """

    __slots__ = ()

    fg: str
    bg: str
    bold: bool
    faint: bool
    italics: bool
    underscore: bool
    strikethrough: bool
    reverse: bool
    blink: bool
    conceal: bool
    overline: bool
    underline_style: int
    """0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed."""
    underline_color: str
    link: str
    """The target of an OSC 8 link, or empty."""
    protected: bool
    """Selective erase spares it (DECSCA)."""
    key: Key
    """The values of all fields, in the order of ``FIELDS``."""
    blank: "Pen"
    """What an erase leaves where this pen is in force: its colours if it has a background."""
    next: Transitions
    """SGR parameters (the text between ``CSI`` and ``m``) to the pen after them."""

    def __new__(  # the fields, in their order
        cls,
        fg: str = "default",
        bg: str = "default",
        bold: bool = False,
        faint: bool = False,
        italics: bool = False,
        underscore: bool = False,
        strikethrough: bool = False,
        reverse: bool = False,
        blink: bool = False,
        conceal: bool = False,
        overline: bool = False,
        underline_style: int = 0,
        underline_color: str = "default",
        link: str = "",
        protected: bool = False,
    ) -> "Pen":
        """The one pen with these attributes."""
        if underscore and not underline_style:
            underline_style = 1
        return cls.of(
            (
                fg,
                bg,
                bold,
                faint,
                italics,
                underscore,
                strikethrough,
                reverse,
                blink,
                conceal,
                overline,
                underline_style,
                underline_color,
                link,
                protected,
            )
        )

    @classmethod
    def of(cls, key: Key) -> "Pen":
        """The one pen whose fields have these values, in the order of ``FIELDS``."""
        pen = _table.get(key)
        if pen is not None:
            return pen
        raw: Any = object.__new__(_Fields)
        (
            raw.fg,
            raw.bg,
            raw.bold,
            raw.faint,
            raw.italics,
            raw.underscore,
            raw.strikethrough,
            raw.reverse,
            raw.blink,
            raw.conceal,
            raw.overline,
            raw.underline_style,
            raw.underline_color,
            raw.link,
            raw.protected,
        ) = key
        raw.key = key
        raw.next = Transitions(raw)
        if key[1] == "default":
            raw.blank = _blank or raw
        else:
            bare = (key[0], key[1], *_BARE)
            raw.blank = raw if key == bare else cls.of(bare)
        raw.__class__ = Pen  # From here on it is immutable.
        made: Pen = raw
        _table[key] = made
        return made

    def replace(self, **changes: str | bool | int) -> "Pen":
        """The pen with some fields changed."""
        key = list(self.key)
        for name, value in changes.items():
            key[FIELDS.index(name)] = value
        return Pen.of(tuple(key))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a pen is immutable: {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Pen.of, (self.key,)

    def __copy__(self) -> "Pen":
        return self

    def __deepcopy__(self, memo: object) -> "Pen":
        return self

    def __repr__(self) -> str:
        told = (f"{n}={v!r}" for n, v, d in zip(FIELDS, self.key, DEFAULT.key, strict=True) if v != d)
        return f"Pen({', '.join(told)})"


_blank: Pen | None = None
_BARE: Final = (False, False, False, False, False, False, False, False, False, 0, "default", "", False)
DEFAULT: Final = Pen()
"""Default colours and no attributes."""
_blank = DEFAULT
