"""A job's output, cut into lines wherever the reads cut it, searched for whoever looks for something in it."""

import time
from collections.abc import Callable
from typing import Protocol

from engine.clock import Clock, Timer
from engine.config import Settings
from engine.watches.patterns import PatternSet
from engine.watches.plain import after_first_piece, after_last_piece
from engine.watches.search import Match, Search

_OVERLAP = 8
"""The overlap of a long line's pieces is an eighth of their length."""
_INSIDE = "\x01"
"""Stands before and after a piece of a long line, so that it is taken for neither the line's start nor its end."""


class Seeker(Protocol):
    """Who looks for something in a job's output."""

    patterns: PatternSet

    def wanted(self) -> int:
        """How many of the next matches it wants to see, rather than count."""

    def found(self, count: int, matches: list[Match]) -> None:
        """So many pieces of lines matched; the first of them, with positions and lines of the whole output."""

    def too_slow(self, pattern: str) -> None:
        """This pattern took too long."""


class Scanner:
    """Sees all text of one job in order, and tells seekers of each matching piece of a line exactly once.

    A piece ends with its line, or where a carriage return or a move of the cursor leaves it. One that isn't finished is
    searched once nothing has come for a moment.
    """

    def __init__(self, clock: Clock, settings: Settings, trouble: Callable[[Exception], None]) -> None:
        self._clock = clock
        self._quiet_seconds = settings.watch_quiet_seconds
        self._piece = settings.watch_piece_chars
        self._slow_seconds = settings.watch_regex_seconds
        self._trouble = trouble
        self._seekers: dict[Seeker, bool] = {}
        """With each: has it been told of the unfinished piece already?"""
        self._parts: list[str] = []
        """The unfinished piece."""
        self._size = 0
        self._start = 0
        self._line = 0
        self._continued = False
        """The unfinished piece began before ``_start``."""
        self._came_at = 0.0
        self._quiet: Timer | None = None
        self._unsearched = False

    @property
    def idle(self) -> bool:
        """Nobody seeks anything."""
        return not self._seekers

    @property
    def start(self) -> int:
        """The position where the unfinished piece begins."""
        return self._start

    def begin(self, unfinished: str, start: int, line: int, *, continued: bool) -> None:
        """Start with an unfinished line that has been there before."""
        self._parts, self._size = [unfinished], len(unfinished)
        self._start, self._line, self._continued = start, line, continued

    def add(self, seeker: Seeker) -> None:
        """Look for this too, in all that comes, and in the unfinished line once something is added to it."""
        self._seekers[seeker] = False

    def told_at(self, seeker: Seeker) -> int:
        """Where the unfinished piece begins of which this one has been told; -1 if it hasn't."""
        return self._start if self._seekers.get(seeker) else -1

    def was_told(self, seeker: Seeker) -> None:
        """It has been told of the unfinished piece in another life."""
        self._seekers[seeker] = True

    def look(self) -> None:
        """Let all see the unfinished piece now who haven't been told of it: nothing is known to come."""
        self._unsearched = True
        self._search_unfinished()

    def remove(self, seeker: Seeker) -> None:
        """Look for it no more."""
        self._seekers.pop(seeker, None)
        if not self._seekers:
            self._forget_timer()

    def feed(self, text: str, start: int, line_feeds: int) -> None:
        """Text came that begins at position ``start``; ``line_feeds`` are those of the whole output, with it."""
        if len(text) > self._piece:
            for at in range(0, len(text), self._piece):
                self._feed(text[at : at + self._piece], start + at, line_feeds - text.count("\n", at + self._piece))
        else:
            self._feed(text, start, line_feeds)

    def _feed(self, text: str, start: int, line_feeds: int) -> None:
        cut = text.rfind("\n") + 1 or self._last_piece(text)
        if cut:
            region = "".join([*self._parts, text[:cut]])
            self._search_region(region)
            self._parts, self._size = [], 0
            self._start, self._line, self._continued = start + cut, line_feeds, False
        if cut < len(text):
            self._parts.append(text[cut:] if cut else text)
            self._size += len(text) - cut
            if self._size >= self._piece:
                self._search_long()
            self._unsearched = True
            self._came_at = self._clock.now()
            if self._quiet is None and self._seekers:
                self._quiet = self._clock.call_later(self._quiet_seconds, self._is_quiet)
        else:
            self._unsearched = False

    def _last_piece(self, text: str) -> int:
        """Where the last piece begins in what came without a line feed; 0 while the unfinished one goes on."""
        if "\r" not in text and "\x1b" not in text and text.isascii():
            return 0
        cut = after_last_piece(text)
        if cut and not text[:cut].strip("\r") and not "".join(self._parts).strip("\r"):
            return 0  # what is empty so far may become an empty line
        return cut

    def finish(self) -> None:
        """Nothing more comes: what is left is a line."""
        self._forget_timer()
        self._search_unfinished()

    def search_unfinished(self, seeker: Seeker) -> None:
        """Let one seeker see the unfinished line at once."""
        text = "".join(self._parts)
        if text:
            told = self._search(seeker, text + "\n", self._start, self._line, begins_inside=self._continued)
            if seeker in self._seekers:
                self._seekers[seeker] = told

    def _search_region(self, region: str) -> None:
        """Text that ends at the end of a piece."""
        for seeker, told in tuple(self._seekers.items()):
            if seeker not in self._seekers:
                continue  # what another has found ended its search
            skipped = after_first_piece(region) if told else 0
            self._seekers[seeker] = False
            if skipped < len(region):
                text = region[skipped:] if skipped else region
                line = self._line + region.count("\n", 0, skipped)
                self._search(seeker, text, self._start + skipped, line, begins_inside=self._continued and not skipped)

    def _search_unfinished(self) -> None:
        if not self._unsearched:
            return
        self._unsearched = False
        text = "".join(self._parts)
        self._parts = []
        cut = self._last_piece(text)
        if cut:
            self._search_region(text[:cut])
            text = text[cut:]
            self._start, self._continued = self._start + cut, False
        self._parts, self._size = [text], len(text)
        if text:
            for seeker, told in tuple(self._seekers.items()):
                if not told and self._search(
                    seeker, text + "\n", self._start, self._line, begins_inside=self._continued
                ):
                    self._tell(seeker)

    def _search_long(self) -> None:
        """The unfinished piece is longer than is searched at a time."""
        text = "".join(self._parts)
        step = self._piece - self._piece // _OVERLAP
        while len(text) >= self._piece:
            for seeker, told in tuple(self._seekers.items()):
                piece = f"{text[: self._piece]}{_INSIDE}\n"
                if not told and self._search(seeker, piece, self._start, self._line, begins_inside=self._continued):
                    self._tell(seeker)
            text = text[step:]
            self._start, self._continued = self._start + step, True
        self._parts, self._size = [text], len(text)

    def _tell(self, seeker: Seeker) -> None:
        if seeker in self._seekers:
            self._seekers[seeker] = True

    def _search(self, seeker: Seeker, text: str, start: int, line: int, *, begins_inside: bool = False) -> bool:
        """Search for one seeker; was there a match?"""
        try:
            began = time.thread_time()
            patterns = seeker.patterns
            search = Search(patterns, _INSIDE + text if begins_inside else text, seeker.wanted())
            if time.thread_time() - began > self._slow_seconds:
                self._blame(seeker, text)
            if search.count:
                start -= begins_inside
                seeker.found(
                    search.count,
                    [
                        match._replace(
                            at=max(start + match.at, 0), line=line + match.line, piece=match.piece.strip(_INSIDE)
                        )
                        for match in search.matches
                    ],
                )
            return search.count > 0
        except Exception as error:  # noqa: BLE001  who looks for something must not cost the job or others anything
            self.remove(seeker)
            self._trouble(error)
            return False

    def _blame(self, seeker: Seeker, text: str) -> None:
        """Tell which expressions it was that took so long."""
        for pattern in seeker.patterns.patterns:
            if pattern.is_expression:
                began = time.thread_time()
                Search(PatternSet((pattern,)), text, 0)
                if time.thread_time() - began > self._slow_seconds:
                    seeker.too_slow(pattern.text)

    def _is_quiet(self) -> None:
        self._quiet = None
        left = self._came_at + self._quiet_seconds - self._clock.now()
        if not self._unsearched:
            return
        if left > 1e-6:
            self._quiet = self._clock.call_later(left, self._is_quiet)
        else:
            self._search_unfinished()

    def _forget_timer(self) -> None:
        if self._quiet is not None:
            self._quiet.cancel()
            self._quiet = None
