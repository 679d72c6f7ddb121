"""Watch patterns as an operator writes them, one a line, and which lines of a pane they mark."""

from collections.abc import Callable, Sequence

from engine import SpecError
from engine.watches.patterns import compile_patterns, for_search, parse


def patterns_in(text: str) -> tuple[str, ...]:
    """The patterns of a text, one a line; empty lines and repetitions are none."""
    return tuple(dict.fromkeys(line for line in text.splitlines() if line.strip()))


def trouble(pattern: str) -> str:
    """Why this can't be watched for; empty when it can."""
    try:
        parse(pattern)
    except SpecError as error:
        return str(error)
    return ""


def troubles(text: str) -> list[tuple[int, str]]:
    """What is wrong with the patterns of a text: the line's number, from 1, and why."""
    found = ((number, trouble(line)) for number, line in enumerate(text.splitlines(), 1) if line.strip())
    return [(number, why) for number, why in found if why]


def matcher(patterns: Sequence[str]) -> Callable[[str], bool] | None:
    """Does a line match any of these? In time that grows with the line alone. None: there are no patterns."""
    if not patterns:
        return None
    try:
        search = compile_patterns(tuple(patterns)).any.search
    except SpecError:
        return None  # the engine took them; should it know more than we do, nothing is marked
    return lambda line: search(line.encode(errors="replace")) is not None


def marking(text: str, *, regex: bool, ignore_case: bool) -> Callable[[str], range | None] | None:
    """Finds the first match in a line, in linear time; None for what can't be searched for."""
    try:
        patterns = for_search(text, regex=regex, ignore_case=ignore_case)
    except SpecError:
        return None

    def match(line: str) -> range | None:
        data = line.encode("utf-8", "replace")
        found = patterns.any.search(data)
        if found is None:
            return None
        start = len(data[: found.start()].decode("utf-8", "replace"))
        return range(start, start + len(data[found.start() : found.end()].decode("utf-8", "replace")))

    return match
