"""What verbs print: JSON for scripts, tables and a little colour for people, plain where nobody looks."""

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

import click

from engine.results import Refused, Result
from tui.cli.exit_codes import NO_SUCH, REFUSED
from tui.show.cleaning import clean_line

_MOST_CHARS = 2_000
_LEAST_COLUMN = 14


def say(text: str = "", *, to_stderr: bool = False) -> None:
    """Print a line; colours only on a terminal, and not with NO_COLOR. Nothing where the stream is closed."""
    click.echo(text, err=to_stderr, color=is_terminal(to_stderr=to_stderr) and not os.environ.get("NO_COLOR"))


def is_terminal(*, to_stderr: bool = False) -> bool:
    """Does somebody look?"""
    # None where the stream was closed before we began.
    stream: TextIO | None = sys.stderr if to_stderr else sys.stdout
    return stream is not None and stream.isatty()


def flush() -> None:
    """What was said so far is out before a program runs that says more."""
    stream: TextIO | None = sys.stdout
    if stream is not None:
        stream.flush()


def foreign(text: str) -> str:
    """What somebody else wrote (a process's name, a judge's reason) as a line that only shows something."""
    return clean_line(text, _MOST_CHARS)


def say_json(result: Result) -> None:
    """Print a result object on one line."""
    click.echo(json.dumps(result.to_dict(), ensure_ascii=False))


def say_no(refusal: Refused, *, as_json: bool = False) -> int:
    """Print why not; the exit code."""
    if as_json:
        say_json(refusal)
    else:
        verb, colon, why = refusal.error.partition(":")
        say(f"jobdeck {verb.replace('_', '-')}{colon}{foreign(why) and ' ' + foreign(why)}", to_stderr=True)
    return NO_SUCH if refusal.status == "not_found" else REFUSED


def say_table(
    rows: Sequence[Sequence[str]], head: Sequence[str], *, tinted: int = -1, tint: Callable[[str], str] = str
) -> None:
    """Print rows under a head, columns as wide as they need; on a terminal none takes more than a third of it, and
    the last what is left. The cells of the column ``tinted`` have the colour that ``tint`` tells."""
    width = _width()
    most = max(width // 3, _LEAST_COLUMN)
    cells = [[_cut(foreign(cell), most) for cell in row[:-1]] for row in (head, *rows)]
    widths = [max(_cells(row[column]) for row in cells) for column in range(len(head) - 1)]
    room = max(width - sum(widths) - 2 * (len(head) - 1), _LEAST_COLUMN)
    for row, before in zip((head, *rows), cells, strict=True):
        padded = [cell + " " * (wide - _cells(cell)) for cell, wide in zip(before, widths, strict=True)]
        if tinted >= 0 and row is not head:
            padded[tinted] = click.style(padded[tinted], fg=tint(row[tinted]))
        line = "  ".join([*padded, _cut(foreign(row[-1]), room)]).rstrip()
        say(click.style(line, bold=True) if row is head else line)


def _cut(text: str, most: int) -> str:
    if _cells(text) <= most:
        return text
    while text and _cells(text) > most - 1:
        text = text[: max(most - 1, 0)] if len(text) > most else text[:-1]
    return f"{text}…"


def _cells(text: str) -> int:
    """What a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(wcswidth(text), 0)


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((10_000, 24)).columns if is_terminal() else 10_000
