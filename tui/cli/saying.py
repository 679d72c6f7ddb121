"""What verbs print: JSON for scripts, tables and a little colour for people, plain where nobody looks."""

import json
import os
import sys
from collections.abc import Sequence

import click

from engine.results import Refused, Result

NOT_HERE, NO_SUCH, REFUSED, GOOD, INTERRUPTED = 4, 3, 1, 0, 130


def say(text: str = "", *, to_stderr: bool = False) -> None:
    """Print a line; colours only on a terminal, and not with NO_COLOR."""
    stream = sys.stderr if to_stderr else sys.stdout
    click.echo(text, err=to_stderr, color=stream.isatty() and not os.environ.get("NO_COLOR"))


def say_json(result: Result) -> None:
    """Print a result object on one line."""
    click.echo(json.dumps(result.to_dict(), ensure_ascii=False))


def say_no(refusal: Refused, *, as_json: bool = False) -> int:
    """Print why not; the exit code."""
    if as_json:
        say_json(refusal)
    else:
        verb, colon, why = refusal.error.partition(":")
        say(f"jobdeck {verb.replace('_', '-')}{colon}{why}", to_stderr=True)
    return NO_SUCH if refusal.status == "not_found" else REFUSED


def say_table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> None:
    """Print rows under a head, columns as wide as they need, the last cut to the terminal's width."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    room = _width() - sum(widths[:-1]) - 2 * (len(head) - 1)
    for row in (head, *rows):
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        last = row[-1] if len(row[-1]) <= room or room < 10 else row[-1][: room - 1] + "…"
        line = "  ".join([*cells, last]).rstrip()
        say(click.style(line, bold=True) if row is head else line)


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((10_000, 24)).columns if sys.stdout.isatty() else 10_000
