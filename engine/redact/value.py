"""What may stand as the value of a header, a field or an assignment, and what only holds a secret's place."""

import re

_PLACEHOLDER = re.compile(
    r"\$|<[^>]*>?|%[A-Za-z_]|\{\{|\{[A-Za-z_.]+\}|\[[A-Za-z_ ]+\]?|x{4,}|X{4,}|\.{3}|…|\*+$|•+$|#\{|"
    r"(?i:your[-_ ]|my[-_ ]?(?:api|token|secret|key)|insert[-_ ]|replace[-_ ]|change[-_ ]?me|example\b|redacted|"
    r"os\.environ|process\.env|env\.|undefined$|null$|none$|nil$|true$|false$)"
)
_WORD = re.compile(r"[A-Za-z]?[a-z]*|[A-Z]+")
_STRONG = re.compile(r"[A-Za-z0-9._~+/=|:-]{16,}")
_LETTER_AND_DIGIT = re.compile(r"(?=[^0-9]*[0-9])[^A-Za-z]*[A-Za-z]")


def is_placeholder(value: str) -> bool:
    """A variable, a blank to be filled in, or a mask?"""
    return not value or _PLACEHOLDER.match(value) is not None


def is_likely(value: str) -> bool:
    """Fit for where a secret is expected: no placeholder, no lone word."""
    return len(value) >= 8 and not is_placeholder(value) and (len(value) >= 24 or _WORD.fullmatch(value) is None)


def is_strong(value: str) -> bool:
    """Drawn at random by its looks: 16 characters or more of a token's alphabet, letters and digits among them."""
    return (
        _STRONG.fullmatch(value) is not None
        and _LETTER_AND_DIGIT.match(value) is not None
        and not is_placeholder(value)
    )
