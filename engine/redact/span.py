"""What a rule says of a place where its anchor stands."""

from collections.abc import Callable
from typing import NamedTuple


class Found(NamedTuple):
    """What was found at an anchor."""

    until: int
    """The same rule has nothing to look for before this: so no character is read over and over."""
    secret: tuple[int, int] | None = None


class Rule(NamedTuple):
    """A text that stands at every secret of a kind, and what looks at the place."""

    anchor: str
    """In lower case; found in either."""
    find: Callable[[str, int, int], Found | None]
    """Given the text, where the anchor begins and where it ends."""


def words(text: str) -> tuple[str, ...]:
    """A list of names, written as a text."""
    return tuple(text.split())


def nothing(until: int) -> Found:
    """No secret; nor is there one of this rule before ``until``."""
    return Found(until)
