"""Which pieces of a text match, fast: most text is passed over by needles and is never cleaned or cut into lines."""

from typing import NamedTuple

from engine.watches.patterns import PatternSet
from engine.watches.plain import is_plain, piece_start, stripped

_FIRST_BLOCK = 4_096
_NEEDLES_FROM = 16_384
"""Shorter texts are searched for all patterns in one go: each needle's call has its price."""
_NOWHERE = 1 << 62


class Match(NamedTuple):
    """One piece of a line that matched."""

    at: int
    """Where it begins in the text, in characters."""
    line: int
    """How many line feeds come before it in the text."""
    pattern: str
    piece: str
    """Without sequences."""
    inside: int
    """Where in the piece the first match begins."""


class Search:
    """The matching pieces of one text that ends at the end of a piece."""

    def __init__(self, patterns: PatternSet, text: str, wanted: int) -> None:
        self.count = 0
        """How many pieces match."""
        self.matches: list[Match] = []
        """The first of them, at most ``wanted``."""
        self._patterns = patterns
        self._wanted = wanted
        self._data = text.encode("utf-8", "replace")
        self._plain = is_plain(text)
        self._ascii = len(self._data) == len(text)
        self._before = (0, 0)
        """A place in bytes, and the characters before it."""
        self._due = [-1] * len(patterns.needles)
        """The next place of each needle."""
        size = _FIRST_BLOCK
        at = 0
        while at < len(self._data):
            start, at = self._block(at, size)
            if start < at:
                size *= 2
                self._look_at(start, at)

    def _block(self, at: int, size: int) -> tuple[int, int]:
        """The next stretch of whole lines from ``at`` on that is worth a look."""
        data = self._data
        if not self._worth_screening(len(data) - at):
            return at, len(data)
        found = self._screen(at)
        if found >= len(data):
            return len(data), len(data)
        start = max(data.rfind(b"\n", at, found) + 1, at)
        return start, data.find(b"\n", start + size) + 1 or len(data)

    def _worth_screening(self, size: int) -> bool:
        if self._plain:
            return bool(self._patterns.needles) and size >= _NEEDLES_FROM
        return self._patterns.through_sequences is not None

    def _screen(self, at: int) -> int:
        """The first place from ``at`` on that may lie in a matching line."""
        if not self._plain:
            through = self._patterns.through_sequences
            found = through.search(self._data, at) if through is not None else None
            return _NOWHERE if found is None else int(found.start())
        for number, needle in enumerate(self._patterns.needles):
            if self._due[number] < at:
                found = needle.search(self._data, at)
                self._due[number] = _NOWHERE if found is None else found.start()
        return min(self._due)

    def _look_at(self, start: int, end: int) -> None:
        block = self._data[start:end] if start or end < len(self._data) else self._data
        text, pieces = "", block
        if not self._plain:
            text = block.decode("utf-8", "replace")
            clean = stripped(text)
            if self._patterns.blank:
                clean = _without_blanks(clean)
            cut = clean.encode("utf-8", "replace")
            pieces = cut.replace(b"\r", b"\n")
        else:
            cut = block
        patterns, size, at = self._patterns, len(pieces), 0
        while at < size:
            found = patterns.any.search(pieces, at)
            if found is None or (first := found.start()) >= size:
                return
            begin = pieces.rfind(b"\n", 0, first) + 1
            if len(self.matches) >= self._wanted and patterns.run is not None:
                at = patterns.run.match(pieces, begin).end()
                self.count += pieces.count(b"\n", begin, at)
                continue
            at = pieces.find(b"\n", first) + 1 or size
            self.count += 1
            if len(self.matches) < self._wanted:
                self._keep(start, text, cut, begin, first, at)

    def _keep(self, start: int, text: str, cut: bytes, begin: int, first: int, end: int) -> None:
        """Note a match in the block from ``start`` on; ``begin``, ``first``, ``end`` are places in ``cut``."""
        piece = cut[begin:end].rstrip(b"\r\n")
        line = cut.count(b"\n", 0, begin)
        if self._plain:
            inside = len(cut[:begin]) if self._ascii else len(cut[:begin].decode("utf-8", "replace"))
        else:
            line_at = 0
            for _ in range(line):
                line_at = text.find("\n", line_at) + 1
            number = cut.count(b"\r", cut.rfind(b"\n", 0, begin) + 1, begin)
            line_end = text.find("\n", line_at)
            inside = line_at + piece_start(text[line_at : line_end if line_end >= 0 else len(text)], number)
        self.matches.append(
            Match(
                self._characters(start) + inside,
                self._data.count(b"\n", 0, start) + line,
                self._patterns.texts[self._patterns.first(piece)],
                piece.decode("utf-8", "replace"),
                len(cut[begin:first].decode("utf-8", "replace")),
            )
        )

    def _characters(self, at: int) -> int:
        """How many characters come before a place in bytes."""
        if self._ascii:
            return at
        place, characters = self._before
        characters += len(self._data[place:at].decode("utf-8", "replace"))
        self._before = (at, characters)
        return characters


def _without_blanks(clean: str) -> str:
    """Without the empty pieces around carriage returns: they are no lines."""
    import re

    return re.sub(r"\r+", "\r", re.sub(r"\r+(?=\n)|(?<![^\n])\r+", "", clean))
