"""What is said of a key, and where keys work."""

from typing import NamedTuple


class Key(NamedTuple):
    """One action and the keys that ask for it."""

    id: str
    """``area.verb``; what a keymap remaps and what the action is registered under."""
    keys: tuple[str, ...]
    """Textual's key names; the first is the one shown."""
    label: str
    """A word or two for the footer."""
    description: str
    """A line for the help screen and the palette."""
    where: str
    """One of `PLACES`."""
    footer: int = 0
    """Place in the footer, from the left; 0 keeps it out."""
    shown: str = ""
    """How help writes the keys, when that is more than their list."""
    listed: bool = True
    """False for a key that another row of the help speaks for."""
    title: str = ""
    """What the palette calls it, when that is more than the label."""


PLACES: dict[str, str] = {
    "anywhere": "Anywhere but in a text field",
    "job": "On a job, in the stack or in its pane",
    "stack": "In the stack of jobs",
    "filter": "While typing a filter for the stack",
    "pane": "In a pane",
    "search": "While searching in a pane",
    "barriers": "In the list of waits",
    "hits": "In the feed of hits",
    "type": "While typing into a job (all other keys go to it)",
}
"""Where a key works, and how help names the place."""

IN_DIALOGS: tuple[tuple[str, str], ...] = (
    ("y  n", "Yes, no"),
    ("Enter  Esc", "Do it, leave it"),
    ("k  x  X", "On leaving: keep what can be kept, kill all, kill at once"),
    ("Tab  ↑ ↓", "The next field or button; in the submit prompt, what was sent before"),
)
"""Keys of dialogs, which have no action of their own and can't be remapped."""
