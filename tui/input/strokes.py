"""One key as the host terminal sent it, understood: which key with which modifiers, or text as it stands."""

import re
from enum import IntFlag
from typing import NamedTuple


class Mods(IntFlag):
    """Modifiers, by xterm's bits."""

    NONE = 0
    SHIFT = 1
    ALT = 2
    CTRL = 4


class Stroke(NamedTuple):
    """A key that has a name, with its modifiers."""

    key: str
    """``up``, ``home``, ``f5``, ``enter``, ``keypad_7`` …, or a character that came by its code alone."""
    mods: Mods = Mods.NONE


class Text(NamedTuple):
    """What goes to the job as it is: characters, control characters, what nobody knows."""

    text: str


Typed = Stroke | Text | None
"""None: it is no input, such as Shift alone."""

_BY_FINAL = {
    "A": "up", "B": "down", "C": "right", "D": "left", "E": "begin", "F": "end", "H": "home",
    "P": "f1", "Q": "f2", "R": "f3", "S": "f4",
}  # fmt: skip
_BY_NUMBER = {
    1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end",
    11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10",
    23: "f11", 24: "f12", 25: "f13", 26: "f14", 28: "f15", 29: "f16", 31: "f17", 32: "f18", 33: "f19", 34: "f20",
    57427: "begin",
}  # fmt: skip
KEYPAD = "0123456789./*-+"
"""The keypad's characters in the order of their codes in kitty's protocol, from 57399 on."""
_KEYPAD_FINALS = {"M": "keypad_enter", "X": "keypad_=", " ": "keypad_ ", "I": "keypad_\t"} | {
    chr(ord("j") + number): f"keypad_{char}" for number, char in enumerate("*+,-./0123456789")
}
_BY_CODE = {
    9: "tab", 13: "enter", 27: "escape", 127: "backspace",
    **{57376 + number: f"f{13 + number}" for number in range(23)},
    **{57399 + number: f"keypad_{char}" for number, char in enumerate(KEYPAD)},
    57414: "keypad_enter", 57415: "keypad_=", 57416: "keypad_,",
    57417: "left", 57418: "right", 57419: "up", 57420: "down", 57421: "pageup", 57422: "pagedown",
    57423: "home", 57424: "end", 57425: "insert", 57426: "delete", 57427: "begin",
}  # fmt: skip
"""Keys of kitty's protocol; other codes from `_PRIVATE` on are locks, modifiers and media keys."""
_PRIVATE = range(0xE000, 0xF900)
_CONTROL = re.compile(r"\x1b\[(?P<params>[\d;:]*)(?P<final>[A-Z~u])")
_SHIFT3 = re.compile(r"\x1bO(?:1;)?(?P<mods>\d*)(?P<final>[ A-Za-z])")
_LINUX = {f"\x1b[[{letter}": f"f{number}" for number, letter in enumerate("ABCDE", 1)}


def stroke(raw: str) -> Typed:
    """What a key is that came as ``raw``."""
    if len(raw) < 3 or raw[0] != "\x1b":
        return Text(raw)
    if raw in _LINUX:
        return Stroke(_LINUX[raw])
    if found := _SHIFT3.fullmatch(raw):
        name = _BY_FINAL.get(found["final"]) or _KEYPAD_FINALS.get(found["final"])
        return Stroke(name, _mods(found["mods"])) if name else Text(raw)
    found = _CONTROL.fullmatch(raw)
    if found is None:
        return Text(raw)
    number, mods, text = [*found["params"].split(";"), "", "", ""][:3]
    final = found["final"]
    if final == "u":
        return _by_code(number.split(":")[0], mods.split(":")[0], text)
    if final == "Z":
        return Stroke("tab", Mods.SHIFT | _mods(mods))
    name = _BY_NUMBER.get(int(number or 0) if number.isdecimal() else 0) if final == "~" else _BY_FINAL.get(final)
    return Stroke(name, _mods(mods.split(":")[0])) if name else Text(raw)


def _by_code(code: str, mods: str, text: str) -> Typed:
    """A key of kitty's protocol: by its text if it has some, else by its code."""
    pressed = _mods(mods)
    if text:
        return Text("".join(chr(int(part)) for part in text.split(":") if part.isdecimal() and int(part) < 0x110000))
    number = int(code) if code.isdecimal() else 0
    if number in _BY_CODE:
        return Stroke(_BY_CODE[number], pressed)
    if number in _PRIVATE or not 0 < number < 0x110000 or _superfluous(mods):
        return None
    return Stroke(chr(number), pressed)


def _mods(text: str) -> Mods:
    bits = int(text) - 1 if text.isdecimal() and text != "0" else 0
    meta = Mods.ALT if bits & 32 else Mods.NONE
    return Mods(bits & 7) | meta


def _superfluous(text: str) -> bool:
    """Super and hyper make keys that terminals have no bytes for."""
    return text.isdecimal() and bool((int(text) - 1) & 24)
