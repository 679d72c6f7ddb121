"""Which pieces of a text match, fast: most text is passed over by needles and is never cleaned or cut into lines."""

from typing import NamedTuple

from engine.watches.patterns import PatternSet
from engine.watches.plain import is_solid, piece_start, stripped

_BLOCK = 8_192
"""Bytes that are screened at a time, and cleaned and cut into lines where they may hold a match."""
_BLOCKS_WORTH_SCREENING = 4
"""Where so many blocks held a place that may match, the rest is searched without screening."""

_PLACES_WORTH_A_LOOK = 16
"""So few places in a block are looked at one by one, as most of them will be in lines that don't match."""


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
        self._solid = is_solid(text)
        self._plain = self._solid and "\r" not in text
        self._ascii = len(self._data) == len(text)
        self._before = (0, 0)
        """A place in bytes, and the characters before it."""
        at, looked_at = 0, 0
        while at < len(self._data):
            end = self._block_end(at) if looked_at < _BLOCKS_WORTH_SCREENING else len(self._data)
            start = self._screen(at, end) if looked_at < _BLOCKS_WORTH_SCREENING else at
            if start < end:
                looked_at += 1
                self._look_at(start, end)
            at = end

    def _block_end(self, at: int) -> int:
        """Where the block that begins at ``at`` ends: with a line."""
        return self._data.find(b"\n", at + _BLOCK) + 1 or len(self._data)

    def _screen(self, at: int, end: int) -> int:
        """The start of the first line of a block that may match; its end where none may."""
        if self._solid:
            finder = self._patterns.finder
            if finder is None:
                return at
            places = finder.find_matches_as_indexes(memoryview(self._data)[at:end])
            if not places:
                return end
            if self._plain and len(places) <= _PLACES_WORTH_A_LOOK:
                return self._first_line(places, at, end)
            found = at + places[0][1]
        else:
            through = self._patterns.through_sequences
            if through is None:
                return at
            match = through.search(self._data, at, end)
            if match is None:
                return end
            found = match.start()
        return max(self._data.rfind(b"\n", at, found) + 1, at)

    def _first_line(self, places: list[tuple[int, int, int]], at: int, end: int) -> int:
        """The start of the first line with one of these places that does match; ``end`` where none does."""
        after = at
        for _text, place, _place_end in places:
            if at + place < after:
                continue  # in a line that has been looked at
            start = max(self._data.rfind(b"\n", at, at + place) + 1, at)
            after = self._data.find(b"\n", at + place) + 1 or end
            if self._patterns.any.search(self._data, start, after) is not None:
                return start
        return end

    def _look_at(self, start: int, end: int) -> None:
        block = self._data[start:end] if start or end < len(self._data) else self._data
        text, pieces = "", block
        if not self._plain:
            text = block.decode("utf-8", "replace")
            clean = stripped(text).replace("\r\n", "\n")
            if self._patterns.blank:
                clean = _without_blanks(clean)
            cut = clean.encode("utf-8", "replace")
            pieces = cut.replace(b"\r", b"\n")
        else:
            cut = block
        patterns, size, at = self._patterns, len(pieces), 0
        while at < size:
            if len(self.matches) >= self._wanted and patterns.run is not None:
                run = patterns.run.search(pieces, at)
                if run is None:
                    return
                begin, at = run.span()
                self.count += pieces.count(b"\n", begin, at)
                continue
            found = patterns.any.search(pieces, at)
            if found is None or (first := found.start()) >= size:
                return
            begin = pieces.rfind(b"\n", 0, first) + 1
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
