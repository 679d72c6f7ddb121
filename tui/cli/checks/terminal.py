"""Can the console be shown in this terminal, and how well?"""

import os
import sys
from collections.abc import Mapping

from tui.cli.checks.finding import Finding, bad

_UNFIT = ("", "dumb", "unknown")
_LEAST = (60, 12)
_BEFORE_UNICODE = ("linux", "vt100", "vt220")


def look(env: Mapping[str, str], size: tuple[int, int] | None, encoding: str) -> list[Finding]:
    """What is to be said.

    Args:
        env: The environment.
        size: Columns and rows; None where it is no terminal.
        encoding: Of what is printed.
    """
    if size is None:
        return [Finding("Terminal", "this isn't one", "ask in the one in which you want the console")]
    term = env.get("TERM", "")
    if term in _UNFIT:
        mend = "set TERM to what it is, such as xterm-256color; 'jobdeck run' needs none"
        return [bad("Terminal", f"TERM={term!r} can't move its cursor, so there is no console here", mend)]
    found = [Finding("Terminal", f"{term}, {size[0]}×{size[1]}, {_colours(env)}, {encoding}", _more_colours(env))]
    if "utf" not in encoding.lower() or term in _BEFORE_UNICODE:
        mend = "set LANG=C.UTF-8 (or yours), or JOBDECK_ASCII=1"
        found.append(Finding("Terminal", f"{term} with {encoding} may not show ◉, ✓ and lines", mend))
    if size > (0, 0) and (size[0] < _LEAST[0] or size[1] < _LEAST[1]):
        found.append(Finding("Terminal", "it is small", f"{_LEAST[0]}×{_LEAST[1]} and more show jobs beside panes"))
    if "TMUX" in env:
        mend = "'set -g set-clipboard on' and 'set -g focus-events on' in ~/.tmux.conf, if they aren't"
        found.append(Finding("Terminal", "inside tmux: copying and the focus go through it", mend))
    elif term.startswith("screen"):
        found.append(Finding("Terminal", "inside screen, which passes no copying on", "use tmux, or none"))
    return found


def here() -> list[Finding]:
    """Of the terminal in which this runs."""
    size: tuple[int, int] | None = None
    if sys.stdin.isatty() and sys.stdout.isatty():
        size = tuple(os.get_terminal_size(1))  # type: ignore[assignment]
    return look(os.environ, size, sys.stdout.encoding or "ascii")


def _colours(env: Mapping[str, str]) -> str:
    if env.get("NO_COLOR"):
        return "no colours (NO_COLOR)"
    if env.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "true colour"
    return "256 colours" if "256" in env.get("TERM", "") else "few colours"


def _more_colours(env: Mapping[str, str]) -> str:
    if env.get("NO_COLOR") or _colours(env) == "true colour":
        return ""
    return "COLORTERM=truecolor if it has true colour: themes and panes are exact then"
