"""A key as xterm sends it to a program, in the modes that the program has set."""

from typing import NamedTuple

from tui.input.strokes import Mods, Stroke, Text, Typed

_CURSOR = {"up": "A", "down": "B", "right": "C", "left": "D", "begin": "E", "end": "F", "home": "H"}
_FUNCTION = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
_TILDE = {
    "insert": 2, "delete": 3, "pageup": 5, "pagedown": 6, "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21,
    "f11": 23, "f12": 24,
}  # fmt: skip
_PLAIN = {"enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f"}
_KEYPAD = {char: chr(ord("j") + number) for number, char in enumerate("*+,-./0123456789")} | {"=": "X", "enter": "M"}


class KeyModes(NamedTuple):
    """What a program has asked of the keyboard."""

    application_cursor: bool = False
    """DECCKM: arrows, Home and End by SS3."""
    application_keypad: bool = False
    """DECKPAM: the keypad's keys by SS3."""


def encoded(typed: Typed, modes: KeyModes) -> str:
    """The characters that the program reads; empty for what is no input."""
    if typed is None:
        return ""
    if isinstance(typed, Text):
        return typed.text
    key, mods = _as_terminfo_has_it(typed)
    if key in _CURSOR:
        if mods:
            return f"\x1b[1;{mods + 1}{_CURSOR[key]}"
        return ("\x1bO" if modes.application_cursor else "\x1b[") + _CURSOR[key]
    if key in _FUNCTION:
        return f"\x1b[1;{mods + 1}{_FUNCTION[key]}" if mods else f"\x1bO{_FUNCTION[key]}"
    if key in _TILDE:
        return f"\x1b[{_TILDE[key]};{mods + 1}~" if mods else f"\x1b[{_TILDE[key]}~"
    if key.startswith("keypad_"):
        return _keypad(key.removeprefix("keypad_"), mods, modes)
    return _character(key, mods)


def _as_terminfo_has_it(typed: Stroke) -> Stroke:
    """F13 and above are the first twelve with modifiers, as in xterm's terminfo."""
    if typed.key[0] == "f" and typed.key[1:].isdecimal() and int(typed.key[1:]) > 12:
        group, number = divmod(int(typed.key[1:]) - 1, 12)
        if group < 4:
            extra = (Mods.NONE, Mods.SHIFT, Mods.CTRL, Mods.CTRL | Mods.SHIFT)[group]
            return Stroke(f"f{number + 1}", typed.mods | extra)
    return typed


def _keypad(name: str, mods: Mods, modes: KeyModes) -> str:
    if modes.application_keypad and name in _KEYPAD:
        return f"\x1bO{mods + 1 if mods else ''}{_KEYPAD[name]}"
    return _character("enter" if name == "enter" else name, mods)


def _character(key: str, mods: Mods) -> str:
    alt = "\x1b" if mods & Mods.ALT else ""
    if key == "tab" and mods & Mods.SHIFT:
        return alt + "\x1b[Z"
    if key == "backspace" and mods & Mods.CTRL:
        return alt + "\x08"
    text = _PLAIN.get(key, key)
    if mods & Mods.SHIFT and len(text) == 1:
        text = text.upper()
    if mods & Mods.CTRL:
        text = _control(text)
    return alt + text


def _control(char: str) -> str:
    """What Ctrl makes of a character, as X has it."""
    if char == " " or "@" <= char < "\x7f":
        return chr(ord(char) & 0x1F)
    if "2" <= char <= "8":
        return "\x00\x1b\x1c\x1d\x1e\x1f\x7f"[ord(char) - ord("2")]
    return "\x1f" if char == "/" else char
