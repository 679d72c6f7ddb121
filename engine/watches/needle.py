"""What must stand in a line for a regular expression to match it: found much faster than the expression itself."""

import re

_COMMON = " etaoinsrlhdcumfpgywb.vk:-0123456789/TINAESOR\"'=,_()[]"
"""Characters of logs, the most frequent first; the others are taken for rare."""
_RANK = {character: len(_COMMON) - index for index, character in enumerate(_COMMON)}
_COUNT = re.compile(r"\{\d+(?:,\d*)?\}")
_KNOWN_CLASSES = frozenset("dDwWsSbBAz")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]", re.DOTALL)
_SHORTEST = 3


def required_text(expression: str) -> str:
    """The longest text that every match of the expression holds as it is written; empty where that isn't obvious.

    Looks at the top level alone: what stands in groups and classes counts as anything.
    """
    runs: list[list[str]] = [[]]
    at = 0
    while at < len(expression):
        character = expression[at]
        if character == "\\":
            escaped = expression[at + 1 : at + 2]
            if not escaped.isalnum():
                runs[-1].append(escaped)
            elif escaped in _KNOWN_CLASSES:
                runs.append([])
            else:
                return ""
            at += 2
            continue
        if character == "|" or (expression.startswith("(?", at) and not _is_group(expression, at)):
            return ""
        if character == "(":
            at = _after_group(expression, at)
            runs.append([])
            continue
        if character == "[":
            found = _CLASS.match(expression, at)
            if found is None:
                return ""
            at = found.end()
            runs.append([])
            continue
        count = _COUNT.match(expression, at)
        if character in "*?" or count:
            if runs[-1]:
                runs[-1].pop()
            runs.append([])
            at = count.end() if count else at + 1
            continue
        if character in "+.^$":
            runs.append([])
        else:
            runs[-1].append(character)
        at += 1
    return max(("".join(run) for run in runs), key=len)


def rare_part(text: str) -> str:
    """The part of ``text`` that begins and ends with its rarest characters: fewest false finds, fastest search."""
    if len(text) <= _SHORTEST:
        return text
    best = min(
        ((_RANK.get(text[start], 0) * _RANK.get(text[end], 0), start - end, start, end))
        for start in range(len(text) - _SHORTEST + 1)
        for end in range(start + _SHORTEST - 1, len(text))
    )
    return text[best[2] : best[3] + 1]


def _is_group(expression: str, at: int) -> bool:
    """Does this ``(?`` open a group, rather than set flags for what follows?"""
    return re.compile(r"\(\?(?:P?<\w+>|[a-zA-Z-]*:)").match(expression, at) is not None


def _after_group(expression: str, at: int) -> int:
    depth = 0
    while at < len(expression):
        character = expression[at]
        if character == "\\":
            at += 2
            continue
        if character == "[":
            found = _CLASS.match(expression, at)
            at = found.end() if found else len(expression)
            continue
        depth += (character == "(") - (character == ")")
        at += 1
        if depth == 0:
            break
    return at
