"""What must stand in a line for a regular expression to match it: found much faster than the expression itself."""

import itertools
import re

_COMMON = " etaionsr0l1dc2h:u-pmINFO3fg4.5bDEBUG67y89w/,vk_\"'()=[]{}<>#ARTSCLPMHWVYKXQJZxjqz"
"""What stands in logs, the most frequent first; what isn't here is the rarest."""
_RANK = {character: len(_COMMON) - index for index, character in enumerate(_COMMON)}
_LONGEST_SPELLED = 4
"""Of a text in either case so many characters are looked for, in all ways to spell them."""
_FOLDS_BEYOND = "kKsS"
"""Letters that are also some other character's other case."""
_COUNT = re.compile(r"\{\d+(?:,\d*)?\}")
_KNOWN_CLASSES = frozenset("dDwWsSbBAz")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]", re.DOTALL)


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


def spellings(text: str, *, ignores_case: bool) -> list[str]:
    """Texts of which one stands wherever ``text`` does; of one in either case a rare part in all spellings.

    None where there are too many, or where a letter has more cases than two.
    """
    if not ignores_case:
        return [text]
    parts = [
        part
        for start in range(max(1, len(text) - _LONGEST_SPELLED + 1))
        if (part := text[start : start + _LONGEST_SPELLED]).isascii()
        and not any(sign in _FOLDS_BEYOND for sign in part)
    ]
    if not parts:
        return []
    rarest = min(parts, key=lambda part: sum(_RANK.get(sign.lower(), 0) for sign in part))
    return ["".join(spelled) for spelled in itertools.product(*({sign.lower(), sign.upper()} for sign in rarest))]


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
