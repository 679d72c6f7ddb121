"""One side's watch over one job: which hits are delivered, and when it has become too much (spec 2.4)."""

from dataclasses import dataclass
from typing import Protocol

from engine.clock import Clock
from engine.config import Settings
from engine.watches.breaker import Breaker
from engine.watches.hits import Group, HitStream, line_shown, text_shown
from engine.watches.patterns import PatternSet
from engine.watches.search import Match


@dataclass(frozen=True)
class Hit:
    """What one event tells; the fields are those of `WatchHit`."""

    pattern: str
    text: str
    position: int
    line: int
    count: int
    delivered: bool
    held_by: str
    suppressed: int


class Told(Protocol):
    """Who is told of what a watch finds."""

    def hit(self, watch: "Watch", hit: Hit) -> None:
        """Lines matched."""

    def matched(self, match: Match) -> None:
        """After each look that found something: the first line of it."""

    def redacted(self, match: Match) -> str:
        """A matching piece of a line, with secrets masked."""

    def disable(self, watch: "Watch", why: str, pattern: str) -> None:
        """Nothing is delivered any more; or, of one ``pattern``, it isn't looked for any more. Said once."""


class Watch:
    """A `Seeker` for the patterns of a job's owner, or for those of the operator on another's job.

    A delivered hit opens a window of cooldown. What matches inside is counted and not delivered; the first such hit of
    a window is a strike, a window without one clears the strikes.
    """

    def __init__(
        self, owner: str, patterns: PatternSet, clock: Clock, settings: Settings, breaker: Breaker, told: Told
    ) -> None:
        self.owner = owner
        """Whose patterns they are; empty: the operator's."""
        self.patterns = patterns
        self.hits = 0
        """Pieces of lines that matched, delivered or not."""
        self.delivered = 0
        self.disabled = ""
        """Why nothing is delivered any more, else empty."""
        self._clock = clock
        self._settings = settings
        self._breaker = breaker
        self._told = told
        self._stream = HitStream(clock, settings, self._tell_group, told.redacted)
        self._window_ends = float("-inf")
        self._struck = False
        self._strikes = 0
        self._suppressed = 0

    def wanted(self) -> int:
        """See `Seeker`."""
        if self.disabled or self._cooling or self._breaker.tripped:
            return self._stream.lines_wanted
        return self._settings.watch_hit_lines + 1

    def found(self, count: int, matches: list[Match]) -> None:
        """See `Seeker`."""
        self.hits += count
        first, held_by = matches[0], self._held_by()
        if not held_by:
            self._deliver(matches)
            count, matches = count - 1, matches[1:]
            held_by = "disabled" if self.disabled else "cooldown"
        if count:
            self._hold(count, matches, held_by)
        self._told.matched(first)

    def too_slow(self, pattern: str) -> None:
        """See `Seeker`."""
        left = self.patterns.without(pattern)
        milliseconds = self._settings.watch_regex_seconds * 1_000
        why = f"searching for {pattern} took more than {milliseconds:g} ms, so it isn't looked for any more"
        if left is not None:
            self.patterns = left
        else:
            self.disabled = self.disabled or why
        self._told.disable(self, why, pattern)

    def finish(self) -> None:
        """The job has ended: tell what waits."""
        self._stream.flush()

    @property
    def _cooling(self) -> bool:
        return self._clock.now() < self._window_ends

    def _held_by(self) -> str:
        if self.disabled:
            return "disabled"
        if self._cooling:
            return "cooldown"
        return "" if self._breaker.admit() else "breaker"

    def _deliver(self, matches: list[Match]) -> None:
        if not self._struck:
            self._strikes = 0
        self._struck = False
        self._window_ends = self._clock.now() + self._settings.watch_cooldown_seconds
        self.delivered += 1
        self._stream.flush()
        first = matches[0]
        most = self._settings.watch_hit_chars
        lines = [line_shown(match, self._told.redacted(match), most) for match in matches]
        suppressed, self._suppressed = self._suppressed, 0
        text = text_shown(lines, self._settings)
        self._told.hit(self, Hit(first.pattern, text, first.at, first.line, 1, True, "", suppressed))
        if self.delivered >= self._settings.watch_lifetime_hits:
            self._disable(f"{self.delivered} hits were told, which is the most of one job")

    def _hold(self, count: int, matches: list[Match], held_by: str) -> None:
        self._suppressed += count
        if held_by == "breaker":
            self._breaker.held(count)
        self._stream.add(count, matches, held_by)
        if held_by == "cooldown" and not self._struck:
            self._struck = True
            self._strikes += 1
            if self._strikes >= self._settings.watch_strikes:
                self._disable(
                    f"it matched again within {self._settings.watch_cooldown_seconds:g} s of a hit "
                    f"{self._strikes} times in a row"
                )

    def _disable(self, why: str) -> None:
        self.disabled = why
        self._told.disable(self, why, "")

    def _tell_group(self, group: Group) -> None:
        first = group.first
        text = text_shown(group.lines, self._settings)
        self._told.hit(self, Hit(first.pattern, text, first.at, first.line, group.count, False, group.held_by, 0))
