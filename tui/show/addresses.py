"""Addresses of pages in plain text."""

import re

_ADDRESS = re.compile(r"\bhttps?://[!-~]+", re.IGNORECASE)
_TRAILING = ".,;:!?'*"
_CLOSING = {")": "(", "]": "[", "}": "{"}
_ENDS = '<>"`'


def addresses(text: str) -> list[tuple[int, int]]:
    """Where the addresses in a text stand; what only ends the sentence or the bracket around one isn't part of it."""
    if "://" not in text:
        return []
    found = ((match.start(), _own(match[0])) for match in _ADDRESS.finditer(text))
    return [(start, start + len(address)) for start, address in found if not address.endswith("//")]


def _own(address: str) -> str:
    opened: list[str] = []
    for at, sign in enumerate(address):
        if sign in _ENDS or (sign in _CLOSING and (not opened or opened.pop() != _CLOSING[sign])):
            address = address[:at]
            break
        if sign in _CLOSING.values():
            opened.append(sign)
    return address.rstrip(_TRAILING)
