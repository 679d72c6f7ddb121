"""Where the secrets of a raw text stand, as spans of it that don't overlap."""

from engine.redact.anchors import secrets
from engine.redact.masking import is_masked
from engine.redact.plain import STRING_STARTS, Plain


def find(plain: Plain, *, assignments: bool = False, line: bool = False) -> list[tuple[int, int]]:
    """Spans of the raw text, in order.

    Args:
        plain: The text.
        assignments: Also what is assigned to names that tell a secret.
        line: The text is a command line.
    """
    found = [plain.span(*span) for span in _spans(plain.text, assignments, line)]
    if plain.text is not plain.raw and STRING_STARTS.search(plain.raw) is not None:
        found += _spans(plain.raw, assignments, line)  # what sequences carry, such as links, isn't in the plain text
    return _merged(found)


def _spans(text: str, assignments: bool, line: bool) -> list[tuple[int, int]]:
    spans = secrets(text)
    if assignments:
        from engine.redact.assignments import assigned

        spans += assigned(text, line=line)
    return [(start, end) for start, end in spans if end > start and not is_masked(text[start:end])]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
