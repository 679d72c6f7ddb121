"""What a caller is advised who starts a job in the background (spec 2.6)."""

import re

_SILENT = (
    "nothing will tell you when this ends: start it with notify_on_complete=true to be told its end, or with "
    "watch_patterns to be told of certain lines; else poll it or wait for it"
)
_SILENT_ANYWAY = "nothing will tell you when this ends: wait for it, or poll it"
_MASKED = (
    "the pipe hides the exit code of the CI check before it: this ends with the code of the last program in the pipe, "
    "so a failed check looks like a success. Put 'set -o pipefail;' in front (bash), or run the check without the pipe"
)
_ENDLESS = (
    r"\b(?:dev|serve|server|start|watch|runserver|preview)\b|--(?:watch|follow|reload)\b|\btail\s+(?:-\w*[fF])|\bsleep\s+inf|\byes\b"
    r"|\bwhile\s+(?:true|:|sleep)\b|\bhttp\.server\b|\b(?:uvicorn|gunicorn|nodemon|vite|caddy|nginx|redis-server|postgres|mysqld)\b"
)
"""What usually runs until it is ended: a server, a watcher, a loop."""
_CI = (
    r"\bgh\s+(?:pr\s+checks|run\s+(?:watch|view|list)|workflow\s+view|api\b[^|;&]*(?:check|actions|status))"
    r"|\bglab\s+(?:ci|pipeline)\b|\baz\s+pipelines\b|\bcircleci\b|\bbuildkite\b|\bhub\s+ci-status\b"
)
_HIDING_PIPE = r"[^|]*(?<!\|)\|&?(?!\|)"
_PIPEFAIL = r"\bpipefail\b|\bPIPESTATUS\b"


def hint_for(line: str, *, told: bool, can_be_told: bool) -> str | None:
    """What to tell whoever starts this line in the background; a masked check of CI outweighs the rest.

    Args:
        line: The shell line.
        told: Its end or some of its lines will be told, or it has been said why not.
        can_be_told: Does the caller take anything after its call?
    """
    if hides_ci_failure(line):
        return _MASKED
    if told or is_endless(line):
        return None
    return _SILENT if can_be_told else _SILENT_ANYWAY


def hides_ci_failure(line: str) -> bool:
    """Does it ask CI through a pipe whose end says nothing of the answer?"""
    if re.search(_PIPEFAIL, line):
        return False
    return any(re.match(_HIDING_PIPE, line[found.end() :]) for found in re.finditer(_CI, line))


def is_endless(line: str) -> bool:
    """Does it look like a program that runs until it is ended?"""
    return re.search(_ENDLESS, line) is not None
