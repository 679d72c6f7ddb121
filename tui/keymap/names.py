"""Keys as people read them."""

from tui.keymap.key import Key

_NAMES = {
    "question_mark": "?", "slash": "/", "apostrophe": "'", "comma": ",", "right_square_bracket": "]",
    "pagedown": "PgDn", "pageup": "PgUp", "enter": "Enter", "tab": "Tab", "down": "↓",
    "up": "↑", "left": "←", "right": "→", "home": "Home", "f1": "F1", "end": "End", "space": "Space", "escape": "Esc",
}  # fmt: skip


def key_name(key: str) -> str:
    """A key as people read it: ``Ctrl+W`` for ``ctrl+w``, ``?`` for ``question_mark``."""
    *modifiers, last = key.split("+")
    plain = last if not modifiers and len(last) == 1 else last.upper()
    return "+".join([*(word.capitalize() for word in modifiers), _NAMES.get(last, plain)])


def short_name(key: str) -> str:
    """A key as the footer writes it: ``^p``, ``enter``, ``?``."""
    if key.startswith("ctrl+") and len(name := key_name(key)) == 6:
        return "^" + name[-1].lower()
    return _NAMES.get(key, key).lower() if len(key) > 1 else key


def shown_keys(key: Key) -> str:
    """All keys of an action for the help screen."""
    return key.shown or "  ".join(key_name(name) for name in key.keys if not name.startswith("super+"))
