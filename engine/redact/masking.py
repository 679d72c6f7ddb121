"""What is shown in place of a secret (spec 3.2)."""

import re

HIDDEN = "***"
_SHORT = 18
_HEAD, _TAIL = 6, 4
_MASKED = re.compile(r"\*{3}|[^\s]{6}\.{3}[^\s]{4}")


def mask(secret: str) -> str:
    """Of one shorter than 18 characters nothing; else its first 6 and last 4."""
    return HIDDEN if len(secret) < _SHORT else f"{secret[:_HEAD]}...{secret[-_TAIL:]}"


def is_masked(text: str) -> bool:
    """Is this what `mask` made, so that masking it again would only lose more?"""
    if "\n" not in text:
        return _MASKED.fullmatch(text) is not None
    first, *others = (line.strip() for line in text.split("\n"))
    return _MASKED.fullmatch(first) is not None and all(line in ("", HIDDEN) for line in others)
