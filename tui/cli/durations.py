"""Lengths of time as people type them: ``90``, ``10m``, ``1h30m``, ``1.5d``, ``500ms``."""

import re

import click

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_BARE = re.compile(r"\d+(?:\.\d+)?")


def duration(typed: str) -> float:
    """Seconds; the type of an option.

    Raises:
        click.BadParameter: It is no length of time.
    """
    text = typed.strip().lower()
    if _BARE.fullmatch(text):
        seconds = float(text)
    elif text and not _PART.sub("", text):
        seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    else:
        raise click.BadParameter(f"{typed!r} is no length of time; write 90, 45s, 10m, 1h30m or 2d")
    if seconds <= 0:
        raise click.BadParameter("a time must be longer than nothing")
    return seconds
