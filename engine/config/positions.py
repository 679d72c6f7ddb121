"""In which line of a TOML text each key stands. The text has been parsed already, so it is known to be right."""

import re

from engine.config.configuration import KeyPath

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'')
_SKIPPED = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}\n]|[^"\'#\[\]{}\n]+',
    re.S,
)
"""A piece of a value: a text, a comment, a bracket, the end of a line, or anything else."""


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line, from 1, of each key and each table's head. Keys inside of inline tables aren't told apart."""
    lines: dict[KeyPath, int] = {}
    prefix: KeyPath = ()
    line, counted = 1, 0
    at = _after(_SPACE, text, 0)
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        if text[at] == "[":
            at += 2 if text.startswith("[[", at) else 1
            prefix, at = _dotted(text, at)
            at = _end_of_line(text, at)
            path = prefix
        else:
            key, at = _dotted(text, at)
            path = prefix + key
            at = _end_of_value(text, at + 1)
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], line)
        at = _after(_SPACE, text, at)
    return lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """The line of a key, else of what it is in; 0 where nothing of it is known."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 0)


def _dotted(text: str, at: int) -> tuple[KeyPath, int]:
    import tomllib

    parts: list[str] = []
    while True:
        while text[at] in " \t":
            at += 1
        found = _QUOTED.match(text, at) or _BARE.match(text, at)
        if found is None:
            return tuple(parts), at
        word = found.group()
        parts.append(str(tomllib.loads(f"x={word}")["x"]) if word[0] in "\"'" else word)
        at = found.end()
        while at < len(text) and text[at] in " \t":
            at += 1
        if at >= len(text) or text[at] != ".":
            return tuple(parts), at
        at += 1


def _end_of_value(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        found = _SKIPPED.match(text, at)
        if found is None:
            return at + 1
        piece, at = found.group(), found.end()
        if piece in ("[", "{"):
            depth += 1
        elif piece in ("]", "}"):
            depth -= 1
        elif piece == "\n" and depth <= 0:
            return at
    return at


def _end_of_line(text: str, at: int) -> int:
    return (text.find("\n", at) + 1) or len(text)


def _after(pattern: "re.Pattern[str]", text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at
