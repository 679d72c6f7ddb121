"""Hits on their way to the feed: live, and where they come fast one event for many."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.clock import Clock, Timer
from engine.config import Settings
from engine.watches.search import Match

_INTERVAL_SECONDS = 0.1
_BEFORE_MATCH = 4
"""Of a line that is cut, a quarter of what is shown stands before the match."""


@dataclass(frozen=True)
class Group:
    """Matching lines that are told together."""

    first: Match
    lines: list[str]
    count: int
    held_by: str


class HitStream:
    """Groups a job's hits that aren't delivered; ``tell`` gets each group, at most ten a second."""

    def __init__(
        self, clock: Clock, settings: Settings, tell: Callable[[Group], None], redacted: Callable[[Match], str]
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._tell = tell
        self._redacted = redacted
        self._group: Group | None = None
        self._timer: Timer | None = None
        self._told_at = float("-inf")

    @property
    def lines_wanted(self) -> int:
        """How many more lines the next event has room for; one at least, as it may have to be an event of its own."""
        return max(1, self._settings.watch_hit_lines - (len(self._group.lines) if self._group else 0))

    def add(self, count: int, matches: list[Match], held_by: str) -> None:
        """More lines matched. Where ``matches`` are fewer than ``count`` the others are only counted."""
        if self._group is not None and self._group.held_by != held_by:
            self.flush()
        if self._group is None:
            self._group = Group(matches[0], [], 0, held_by)
        room = self._settings.watch_hit_lines - len(self._group.lines)
        most = self._settings.watch_hit_chars
        self._group.lines.extend(line_shown(match, self._redacted(match), most) for match in matches[:room])
        self._group = replace(self._group, count=self._group.count + count)
        due = self._told_at + _INTERVAL_SECONDS - self._clock.now()
        if due <= 0:
            self.flush()
        elif self._timer is None:
            self._timer = self._clock.call_later(due, self.flush)

    def flush(self) -> None:
        """Tell what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        group, self._group = self._group, None
        if group is not None:
            self._told_at = self._clock.now()
            self._tell(group)


def line_shown(match: Match, redacted: str, most: int) -> str:
    """A matching line as it may leave the engine: of a long one the part around the match."""
    text = redacted.rstrip()
    if len(text) <= most:
        return text
    start = min(max(0, match.inside - most // _BEFORE_MATCH), len(text) - most)
    cut = text[start : start + most]
    return f"{'…' if start else ''}{cut[bool(start) : -1] if start + most < len(text) else cut[bool(start) :]}" + (
        "…" if start + most < len(text) else ""
    )


def text_shown(lines: list[str], settings: Settings) -> str:
    """The first lines of a group, within what one hit may carry."""
    kept: list[str] = []
    room = settings.watch_hit_chars
    for line in lines[: settings.watch_hit_lines]:
        if len(line) + bool(kept) > room:
            break
        room -= len(line) + bool(kept)
        kept.append(line)
    return "\n".join(kept)
