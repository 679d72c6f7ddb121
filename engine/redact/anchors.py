"""Where a text may hold secrets: every rule has an anchor, and all anchors are looked for in one pass."""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from engine.redact import blocks, fields, places
from engine.redact.span import Found, Rule
from engine.redact.vendors import TOKENS, Token

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

_SHORT_CHARS = 4_000
"""Until the automaton is there, a text up to this length is looked through anchor by anchor first: most hold none, and
it costs a load."""
_DOT = re.compile(r"\.(?=[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27})")
_ESCAPED = re.compile(r"(?:\\[nrtbfv]|%[0-9A-Fa-f]{2}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4})\Z")


def stands_alone(text: str, start: int) -> bool:
    """Doesn't a word go on here? An escaped line feed before it is none of it."""
    before = text[start - 1] if start else " "
    if not before.isalnum():
        return before not in "_-"
    if text.find("\\", max(0, start - 6), start) < 0 and text.find("%", max(0, start - 3), start) < 0:
        return False
    return _ESCAPED.search(text, max(0, start - 6), start) is not None


def _token_rule(token: Token) -> Callable[[str, int, int], Found | None]:
    def find(text: str, start: int, after: int) -> Found | None:
        if not text.startswith(token.prefix, start) or not (token.glued or stands_alone(text, start)):
            return None
        end, right = token.end(text, after)
        return Found(end, (start, end) if right else None)

    return find


RULES: tuple[Rule, ...] = (
    *(Rule(token.prefix.lower(), _token_rule(token)) for token in TOKENS),
    *fields.RULES,
    *places.RULES,
    *blocks.RULES,
)


_ANCHORS = tuple({rule.anchor: None for rule in RULES})


@cache
def _automaton() -> "tuple[AhoCorasick, tuple[tuple[int, ...], ...]]":
    """Of all anchors, and whose each is."""
    from ahocorasick_rs import AhoCorasick, Implementation

    anchors: dict[str, list[int]] = {anchor: [] for anchor in _ANCHORS}
    for number, rule in enumerate(RULES):
        anchors[rule.anchor].append(number)
    return AhoCorasick(list(anchors), implementation=Implementation.DFA), tuple(map(tuple, anchors.values()))


def lowered(text: str) -> str:
    """In lower case, of the same length; what is no text, as bytes of a name may be, is a question mark."""
    if text.isascii():
        return text.lower()
    return text.replace("İ", "i").lower().encode("utf-8", "replace").decode()


def secrets(text: str) -> list[tuple[int, int]]:
    """Where the well-known kinds of secrets stand in a text without escape sequences; spans may overlap."""
    low = lowered(text)
    spans = [found.secret for dot in _DOT.finditer(text) if (found := places.discord(text, dot.start())) is not None]
    loaded = _automaton.cache_info().currsize
    if not loaded and len(text) <= _SHORT_CHARS and not any(anchor in low for anchor in _ANCHORS):
        return [span for span in spans if span is not None]
    automaton, numbers = _automaton()
    until = [0] * len(RULES)
    for anchor, start, end in automaton.find_matches_as_indexes(low, overlapping=True):
        for number in numbers[anchor]:
            if start >= until[number]:
                found = RULES[number].find(text, start, end)
                if found is not None:
                    until[number] = found.until
                    spans.append(found.secret)
    return [span for span in spans if span is not None]
