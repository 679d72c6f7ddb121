"""Which method of the screen each sequence calls: pyte's tables, and what they lack."""

from typing import Final

import pyte

CSI_EVENTS: Final[dict[str, str]] = {
    **pyte.Stream.csi,
    "I": "tab",
    "S": "scroll_up",
    "T": "scroll_down",
    "Z": "back_tab",
    "^": "scroll_down",
    "`": "cursor_to_column",
    "a": "column_forward",
    "b": "repeat",
    "e": "line_forward",
    "j": "column_backward",
    "k": "line_backward",
    "s": "set_side_margins",
    "t": "window_operation",
    "u": "restore_cursor",
    "x": "report_parameters",
}
MARKED_CSI_EVENTS: Final[dict[str, str]] = {
    "?h": "set_mode",
    "?l": "reset_mode",
    "?J": "erase_in_display",
    "?K": "erase_in_line",
    "?W": "default_tab_stops",
    "?n": "report_device_status",
    "?r": "restore_modes",
    "?s": "save_modes",
    "?$p": "report_mode",
    "$p": "report_mode",
    "!p": "soft_reset",
    '"q': "set_protected",
    " q": "set_cursor_shape",
    " @": "scroll_left",
    " A": "scroll_right",
    "'}": "insert_columns",
    "'~": "delete_columns",
    "$x": "fill_area",
    "$z": "erase_area",
    "${": "erase_area_unprotected",
    "$v": "copy_area",
    ">c": "report_secondary_attributes",
    "=c": "report_tertiary_attributes",
    ">q": "report_version",
}
"""CSI sequences by private marker, intermediates and final."""
ESCAPE_EVENTS: Final[dict[str, str]] = {
    **pyte.Stream.escape,
    "E": "next_line",
    "6": "back_index",
    "9": "forward_index",
    "=": "application_keypad",
    ">": "numeric_keypad",
}
