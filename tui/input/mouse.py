"""What the mouse does, as xterm tells it to a program that has asked for it."""

from enum import Enum
from typing import NamedTuple


class Deed(Enum):
    """What happened."""

    PRESS = 1
    RELEASE = 2
    MOVE = 3
    WHEEL = 4


class MouseReport(NamedTuple):
    """One thing that the mouse did, over a cell of the job's screen."""

    deed: Deed
    button: int
    """1 left, 2 middle, 3 right, 0 none; of the wheel 0 up, 1 down, 2 left, 3 right."""
    column: int
    """From 0."""
    row: int
    """From 0."""
    shift: bool = False
    alt: bool = False
    ctrl: bool = False


class MouseModes(NamedTuple):
    """What a program has asked for."""

    reports: int = 0
    """The mode in force: 9 (presses), 1000 (and releases), 1002 (and drags), 1003 (and every move); 0 for none."""
    coordinates: int = 0
    """How places are written: 1006, 1015, 1005; 0 for a byte each."""


_BYTE_LIMIT, _UTF8_LIMIT = 255 - 32, 2047 - 32
"""The last column or row that the older ways can tell; what is beyond it isn't told."""


def reported(report: MouseReport, modes: MouseModes) -> bytes:
    """What the program reads; nothing if it doesn't want to know of this."""
    deed = report.deed
    if not wanted(report, modes.reports):
        return b""
    code = report.button - 1 if report.button else 3
    if deed is Deed.WHEEL:
        code = 64 + report.button
    elif deed is Deed.MOVE:
        code += 32
    if modes.reports != 9:
        code += 4 * report.shift + 8 * report.alt + 16 * report.ctrl
    column, row = report.column + 1, report.row + 1
    if modes.coordinates == 1006:
        return f"\x1b[<{code};{column};{row}{'m' if deed is Deed.RELEASE else 'M'}".encode()
    if deed is Deed.RELEASE:
        code |= 3  # the older ways don't tell which button it was
    if modes.coordinates == 1015:
        return f"\x1b[{code + 32};{column};{row}M".encode()
    if modes.coordinates == 1005:
        if max(column, row) > _UTF8_LIMIT:
            return b""
        return ("\x1b[M" + chr(code + 32) + chr(column + 32) + chr(row + 32)).encode()
    if max(column, row) > _BYTE_LIMIT:
        return b""
    return b"\x1b[M" + bytes((code + 32, column + 32, row + 32))


def wanted(report: MouseReport, mode: int) -> bool:
    """Does a program in this mode want to know of it?"""
    if report.deed is Deed.MOVE:
        return mode == 1003 or (mode == 1002 and report.button != 0)
    return mode != 0 if report.deed is Deed.PRESS else mode >= 1000
