"""The environment of a job (spec 1.2)."""

import os
import re
from collections.abc import Mapping, Sequence

from engine.process.marks import JOB_VARIABLE

_PRIVATE = ("JOBDECK_CONVERSATION", "JOBDECK_TOKEN")
_TERMINAL_SIZE = ("COLUMNS", "LINES")
_SHELL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def job_environment(
    session_id: str, additions: Mapping[str, str | None], blocked: Sequence[str], *, pty: bool
) -> dict[str, str]:
    """The engine's environment, less what is private, plus the caller's ``additions`` (None removes a name)."""
    env = {name: value for name, value in os.environ.items() if name not in _PRIVATE and name not in blocked}
    if pty:
        for name in _TERMINAL_SIZE:
            env.pop(name, None)
        env.update(TERM="xterm-256color", COLORTERM="truecolor")
        env.setdefault("PAGER", "cat")
        env.setdefault("GIT_PAGER", "cat")
    env["PYTHONUNBUFFERED"] = "1"
    for name, value in additions.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value
    env[JOB_VARIABLE] = session_id
    return env


def lost_in_shell(env: Mapping[str, str]) -> list[str]:
    """``NAME=value`` words for the names that a POSIX shell may drop (dash does) because it can't hold them."""
    return [f"{name}={value}" for name, value in env.items() if not _SHELL_NAME.match(name)]
