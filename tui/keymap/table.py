"""The keys that hold now, and Textual's bindings for them."""

from collections.abc import Mapping

from textual.binding import Binding

from tui.keymap.defaults import DEFAULTS
from tui.keymap.key import Key

TABLE: list[Key] = list(DEFAULTS)
"""All actions with the keys that hold now; `use` changes it."""

BY_ID: dict[str, Key] = {key.id: key for key in TABLE}


def use(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Tell these keys from now on, by the action's id, in place of the usual ones; the others' are the usual ones."""
    TABLE[:] = [key._replace(keys=keys[key.id], shown="", listed=True) if key.id in keys else key for key in DEFAULTS]
    BY_ID.update({key.id: key for key in TABLE})


def bindings(*places: str) -> list[Binding]:
    """Textual bindings for the keys of these places; each asks the main screen to do its action.

    They have priority, so that a key is done before the next one is looked at: without it, keys that come in one
    burst would all go to what had the focus before the first of them moved it.
    """
    return [
        Binding(
            ",".join(key.keys),
            f"screen.do({key.id!r})",
            key.description,
            show=False,
            priority=True,
            id=key.id,
        )
        for key in DEFAULTS
        if key.where in places and key.keys
    ]
