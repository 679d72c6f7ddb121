"""The one seam through which a job's text leaves the engine in results, notices and files (spec 1.6, 3.2).

What knows the kinds of secrets is loaded when the first text comes through that isn't trivially free of them.
"""

import re
from functools import cache
from typing import NamedTuple

LOOK_BACK = 20_000
"""Characters before a part of a text that decide what in it is secret: more than the longest private key."""
LOOK_AHEAD = 4_096
"""Characters after a part that tell whether a secret at its end is one."""
_FEW = 400
_HINT = re.compile(
    r"[\w.+=~:-]{15}|[^\n -~]|://|-----|(?i:auth|key|token|pass|pwd|secret|whsec|cred|cookie|bearer|jwt|dsn|pin\b|otp|salt"
    r"|sig|hook|sess|sid|private|accountkey|connectionstring|\bpat\b|_pat\b|user|-u)"
)
"""What a short text has that can hold a secret; most command lines and names have none, and cost no loading."""


_REVEALING = (
    *(
        "env",
        "set",
        "export",
        "declare",
        "typeset",
        "secret",
        "cred",
        "rc",
        "pass",
        "cnf",
        "id_",
        "auth",
        "token",
        ".s3cfg",
    ),
    *(
        "boto",
        ".pem",
        "key",
        ".ppk",
        ".p8",
        "tfvars",
        "kdbx",
        "shadow",
        "account",
        "kube",
        "aws",
        "ssh",
        "docker",
        "vault",
    ),
    *("heroku", "fly", "git", "gh", "systemctl", "gnupg"),
)
"""One of these is in every command that `reveals` is true of."""


def _is_free(text: str) -> bool:
    return len(text) <= _FEW and _HINT.search(text) is None


def redact(text: str, *, assignments: bool = False) -> str:
    """The text with secrets masked; ``assignments``: also what is assigned to names that tell a secret."""
    if _is_free(text):
        return text
    from engine.redact.passage import masked

    return masked(text, assignments=assignments)


def redact_command(line: str) -> str:
    """A command line with secrets masked, those in assignments and flags too."""
    if _is_free(line):
        return line
    from engine.redact.passage import masked

    return masked(line, assignments=True, line=True)


class Passage(NamedTuple):
    """A part of a text as it may be shown."""

    text: str
    taken: int
    """Characters of the part that ``text`` stands for: all but those of an unfinished secret that is held back."""


def redact_part(
    before: str,
    part: str,
    after: str = "",
    *,
    assignments: bool = False,
    live: bool = False,
    hold: bool = False,
    keep_length: bool = False,
) -> Passage:
    """A part of a longer text, masked by what stands before and after it.

    Args:
        before: What stands before it: `LOOK_BACK` characters or all.
        part: What shall be shown.
        after: What follows, `LOOK_AHEAD` characters or all.
        assignments: Also mask what is assigned to names that tell a secret.
        live: More may follow ``after``: a secret may have only begun.
        hold: Leave such a one out, to be shown when it is whole, rather than hide what is there of it.
        keep_length: Fill masks up with NUL, which no terminal shows, so that positions stay true.
    """
    if not part:
        return Passage("", 0)
    if not before and not after and (not live or part.endswith("\n")) and _is_free(part):
        return Passage(part, len(part))
    from engine.redact.passage import passage

    return Passage(
        *passage(before, part, after, assignments=assignments, live=live, hold=hold, keep_length=keep_length)
    )


def reveals(command: str) -> bool:
    """Does this command dump an environment, or read a file whose purpose it is to hold secrets?"""
    low = command.lower()
    if not any(hint in low for hint in _REVEALING):
        return False
    from engine.redact.context import reveals as decide

    return decide(command)


@cache
def load() -> None:
    """Load all that is needed to know a secret, 20 ms, so that nothing has to be opened for it later."""
    redact_part("", "eyJ\u200b", live=True, assignments=True)
    redact_command("--token env \u200b" + "-" * 5_000)
    reveals("env")
