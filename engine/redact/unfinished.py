"""The secret that may still be going on where a job's output ends for now: only its beginning is there."""

import re

from engine.redact import anchors, fields
from engine.redact.assignments import NAME, is_secret_name
from engine.redact.blocks import open_block
from engine.redact.vendors import TOKENS

_LOOK = 4_096
"""Characters before the end in which it may have begun, but for a private key."""
_LAST_WORD = re.compile(r"[^\s\"'<>]*+\Z")
_BUILT = re.compile(
    r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_.-]*\Z"
    r"|(?:(?<![0-9A-Za-z])|(?<=bot))[0-9]{8,12}:AA[A-Za-z0-9_-]*\Z"
    r"|(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{23,27}(?:\.[A-Za-z0-9_-]{0,6})?(?:\.[A-Za-z0-9_-]*)?\Z"
    r"|(?:hooks\.slack\.com|discord(?:app)?\.com/api/webhooks|webhook\.office\.com|hooks\.zapier\.com)/\S*\Z"
)
_PASSWORD = re.compile(r"://[^\s/?#@:\"'<>]{0,256}+:(?![0-9]{0,5}\Z)(?P<value>[^\s/?#\"'<>]+)\Z")
_VALUE = re.compile(
    r"(?:\\{0,3}[\"'])?[ \t]{0,8}(?:[:=,][ \t]{0,8}|[ \t])\[?(?:b?\\{0,3}[\"'])?(?:[A-Za-z0-9-]{3,20}[ \t]{1,8})?"
    r"(?P<value>[^\s\"'<>,;]+)\Z"
)
_NAMED = re.compile(
    "|".join(
        sorted(
            {re.escape(rule.anchor) for rule in fields.RULES if len(rule.anchor) > 4 or rule.anchor[0] in "?&"},
            key=len,
            reverse=True,
        )
    )
)


def unfinished(text: str, spans: list[tuple[int, int]], *, assignments: bool) -> int | None:
    """Where it begins; None where there is none.

    Args:
        text: Without escape sequences.
        spans: The secrets that were found in it, as spans of it.
        assignments: Do assignments count, too?
    """
    found = [start for start, end in spans if end >= len(text)]
    block = open_block(text)
    if block is not None and block < len(text):
        found.append(block)
    first = max(0, len(text) - _LOOK, text.rfind("\n") + 1, text.rfind("\r", 0, len(text) - 1) + 1)
    line = text[first:]
    found += [first + at for at in _in_line(line, assignments)]
    word = _LAST_WORD.search(line)
    if word is not None and word[0]:
        found += [first + at for at in _in_word(line, word.start())]
    return min(found, default=None)


def _in_word(line: str, start: int) -> list[int]:
    found = [match.start() for match in [_BUILT.search(line, start)] if match is not None]
    found += [match.start("value") for match in [_PASSWORD.search(line, start)] if match is not None]
    for token in TOKENS:
        at = line.find(token.prefix, start)
        while at >= 0:
            after = at + len(token.prefix)
            if token.end(line, after)[0] >= len(line.rstrip(".")) and (token.glued or anchors.stands_alone(line, at)):
                found.append(at)
                break
            at = line.find(token.prefix, after)
    return found


def _in_line(line: str, assignments: bool) -> list[int]:
    low = anchors.lowered(line)
    found = []
    for name in _NAMED.finditer(low):
        value = _VALUE.match(line, name.end())
        if value is not None:
            found.append(value.start("value"))
    if assignments:
        found += [
            name.end()
            for name in NAME.finditer(line)
            if is_secret_name(name["name"]) and name.end() < len(line) and not re.search(r"\s", line[name.end() :])
        ]
    return found
