"""Somebody waits for a line of a job: one that has been printed already, or the next that is (spec 2.7)."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.registry.job import Job
from engine.registry.registry import Registry

if TYPE_CHECKING:
    from engine.watches.patterns import PatternSet
    from engine.watches.search import Match


class Lookout:
    """Calls ``on_hit`` once, with the first line that matches: of the kept output from ``since`` on, or of what comes.

    Both in one step of the loop, so that no line falls between. ``on_hit`` runs in a later step than the constructor,
    but before those who wait for the job's end, should the line be its last. Cooldowns and the like hold nothing back.

    Args:
        registry: The jobs.
        job: Whose output.
        pattern: As in ``watch_patterns``; empty: any of the job's own, whoever's they are.
        on_hit: Told of the line; on the loop.
        since: The position from which on lines count; None: from now on. A line counts where it ends after that.

    Raises:
        SpecError: The pattern can't be searched for; the text says what to change.
    """

    def __init__(
        self, registry: Registry, job: Job, pattern: str, on_hit: "Callable[[Match], object]", since: int | None = 0
    ) -> None:
        from engine.watches.patterns import compile_patterns

        self._registry = registry
        self._on_hit = on_hit
        self._over = False
        self._watching = watching = job.watching
        texts = (pattern,) if pattern else watching.all_patterns()
        if texts:
            self.patterns: PatternSet = compile_patterns(texts)
            scanner = watching.seek(self)
            if since is not None and since < job.stream.buffer.end:
                self._look_back(job, since, scanner.start)
                if not self._over:
                    scanner.search_unfinished(self)
        if not pattern and not self._over:
            watching.forget(self)
            watching.listeners.append(self._matched)

    def cancel(self) -> None:
        """Wait no longer. Safe to call twice, and after the hit."""
        self._over = True
        self._watching.forget(self)
        if self._matched in self._watching.listeners:
            self._watching.listeners.remove(self._matched)

    def wanted(self) -> int:
        """See `Seeker`."""
        return 1

    def found(self, count: int, matches: "list[Match]") -> None:  # noqa: ARG002
        """See `Seeker`."""
        self._matched(matches[0])

    def too_slow(self, pattern: str) -> None:
        """See `Seeker`: it gives up, rather than hold up everybody at each read."""
        if not self._over:
            self.cancel()
            self._registry.notice(
                f"the wait for a line that matches {pattern} is in vain: searching for it takes too long, so it isn't "
                f"looked for any more; wait for a plain text, or a simpler expression"
            )

    def _matched(self, match: "Match") -> None:
        if not self._over:
            self.cancel()
            self._registry.loop.call_soon(self._on_hit, match)

    def _look_back(self, job: Job, since: int, end: int) -> None:
        from engine.watches.search import Search

        buffer = job.stream.buffer
        start = _line_start(buffer.text(buffer.start, min(since, end)), max(since, buffer.start))
        text = buffer.text(start, end)
        at, most = 0, self._registry.settings.watch_piece_chars
        while at < len(text) and not self._over:
            stop = text.find("\n", at + most) + 1 or len(text)
            began = time.thread_time()
            search = Search(self.patterns, text[at:stop], 1)
            if search.count:
                match = search.matches[0]
                lines = buffer.line_feeds - buffer.text(start + at).count("\n")
                self._matched(match._replace(at=start + at + match.at, line=lines + match.line))
            elif time.thread_time() - began > self._registry.settings.watch_regex_seconds:
                self.too_slow(", ".join(self.patterns.texts))
            at = stop


def _line_start(before: str, position: int) -> int:
    """Where the line begins that ``position`` is in, with the text before it."""
    return position - (len(before) - before.rfind("\n") - 1)
