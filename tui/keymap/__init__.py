"""Every key of the console, once: bindings, footer, help and palette are made from this table."""

from tui.keymap.defaults import DEFAULTS
from tui.keymap.key import IN_DIALOGS, PLACES, Key
from tui.keymap.names import key_name, short_name, shown_keys
from tui.keymap.table import BY_ID, TABLE, bindings, use

__all__ = [
    "BY_ID",
    "DEFAULTS",
    "IN_DIALOGS",
    "PLACES",
    "TABLE",
    "Key",
    "bindings",
    "key_name",
    "short_name",
    "shown_keys",
    "use",
]
