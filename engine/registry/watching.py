"""A job's watches and heartbeat: finds go to the console's feed, what is delivered to its owner (spec 2.4)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.events import Heartbeat, WatchDisabled, WatchHit, WatchOverflow, WatchReleased
from engine.redact import redact_part
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.tails import shown
from engine.results import WatchState

if TYPE_CHECKING:
    from engine.ownership.held import WatchStory
    from engine.watches.breaker import Breaker
    from engine.watches.heartbeat import HeartbeatTimer
    from engine.watches.patterns import PatternSet
    from engine.watches.scanner import Scanner, Seeker
    from engine.watches.search import Match
    from engine.watches.watch import Hit, Watch

# The rooms of watches are loaded when the first job is watched: google-re2 alone takes 10 ms.


class Watching:
    """Everything that looks at one job's output for somebody. Costs nothing until somebody does."""

    def __init__(self, registry: Registry, job: Job) -> None:
        self._registry = registry
        self._job = job
        self._scanner: Scanner | None = None
        self._watches: dict[str, Watch] = {}
        """By whose they are: the job's owner's, and the operator's."""
        self._heartbeat: HeartbeatTimer | None = None
        self._told_until = 0
        self.listeners: list[Callable[[Match], None]] = []
        """Told of the first matching line of each look, by whichever watch."""

    # -- as it stands -------------------------------------------------------------------------------------------------

    @property
    def owners(self) -> tuple[str, ...]:
        """Who watches; empty is the operator."""
        return tuple(self._watches)

    @property
    def hits(self) -> int:
        """Lines that matched so far."""
        return sum(watch.hits for watch in self._watches.values())

    @property
    def heartbeat_seconds(self) -> float:
        """How often it tells what it wrote; 0 is never."""
        return self._heartbeat.seconds if self._heartbeat is not None else 0.0

    def patterns(self, owner: str) -> tuple[str, ...]:
        """The patterns of one who watches; empty is the operator."""
        watch = self._watches.get(owner)
        return watch.patterns.texts if watch is not None else ()

    def all_patterns(self) -> tuple[str, ...]:
        """Whoever's they are, each once."""
        return tuple(dict.fromkeys(text for watch in self._watches.values() for text in watch.patterns.texts))

    def disabled(self, owner: str) -> str:
        """Why this one is told of no more hits, else empty."""
        watch = self._watches.get(owner)
        return watch.disabled if watch is not None else ""

    def hits_of(self, owner: str) -> int:
        """How many lines matched that this one looks for."""
        watch = self._watches.get(owner)
        return watch.hits if watch is not None else 0

    def told_at(self, owner: str) -> int:
        """Where the unfinished line begins that this one has been told of; -1: of none."""
        watch = self._watches.get(owner)
        return self._scanner.told_at(watch) if watch is not None and self._scanner is not None else -1

    def delivered(self, owner: str) -> int:
        """How many hits this one was told of."""
        watch = self._watches.get(owner)
        return watch.delivered if watch is not None else 0

    def states(self) -> tuple[WatchState, ...]:
        """How each watch stands."""
        return tuple(
            WatchState(
                owner=owner,
                patterns=watch.patterns.texts,
                hits=watch.hits,
                delivered=watch.delivered,
                disabled=watch.disabled,
            )
            for owner, watch in self._watches.items()
        )

    # -- what is looked for -------------------------------------------------------------------------------------------

    def watch(self, owner: str, patterns: "PatternSet | None", *, delivered: int = 0, looked: int = -1) -> None:
        """Look for these from now on, in place of what this one looked for before; None: for nothing.

        Args:
            owner: Whose patterns they are; empty is the operator.
            patterns: What to look for.
            delivered: How many hits were told before, where they count on.
            looked: See `seek`.
        """
        old = self._watches.get(owner)
        if old is not None:
            old.finish()
            self.forget(old)
        if patterns is None:
            self._watches.pop(owner, None)
            return
        from engine.watches.watch import Watch

        registry = self._registry
        watch = Watch(owner, patterns, registry.clock, registry.settings, breaker_of(registry), self)
        watch.delivered = delivered
        watch.hits = old.hits if old is not None else 0
        self._watches[owner] = watch
        self.seek(watch, looked)

    def resume(self, story: "WatchStory", patterns: "PatternSet", looked: int) -> None:
        """Look on for these, as an earlier engine did up to the character ``looked``; more may have come since."""
        self.watch(story.owner, patterns, delivered=story.delivered, looked=looked)
        watch = self._watches[story.owner]
        watch.hits, watch.disabled = story.hits, story.disabled
        if self._scanner is not None and story.told_at == self._scanner.start:
            self._scanner.was_told(watch)

    def look_at_unfinished(self) -> None:
        """Look at the line that isn't finished, for whoever hasn't been told of it."""
        if self._scanner is not None:
            self._scanner.look()

    def hand_over(self, before: str, owner: str) -> None:
        """What was looked for on behalf of one owner is looked for on behalf of another."""
        watch = self._watches.pop(before, None)
        if watch is not None:
            watch.owner = owner
            self._watches[owner] = watch

    def beat(self, seconds: float) -> None:
        """Tell what the job wrote this often; 0 is never."""
        if self._heartbeat is not None:
            self._heartbeat.close()
            self._heartbeat = None
        if seconds:
            from engine.watches.heartbeat import HeartbeatTimer

            self._told_until = self._job.stream.buffer.end
            self._heartbeat = HeartbeatTimer(self._registry.clock, seconds, self._beat)

    def seek(self, seeker: "Seeker", looked: int = -1) -> "Scanner":
        """Let this one see all that comes; ``looked``: and of the unfinished line what is after this character."""
        scanner = self._scanner
        if scanner is None or scanner.idle:
            scanner = self._scanner = self._new_scanner(looked)
        scanner.add(seeker)
        return scanner

    def forget(self, seeker: "Seeker") -> None:
        """It looks for nothing any more."""
        if self._scanner is not None:
            self._scanner.remove(seeker)

    @property
    def looked_until(self) -> int:
        """Up to which character the output has been looked at; -1: nobody looks."""
        return self._scanner.start if self._scanner is not None and not self._scanner.idle else -1

    def _new_scanner(self, looked: int = -1) -> "Scanner":
        from engine.watches.scanner import Scanner

        settings, buffer = self._registry.settings, self._job.stream.buffer
        scanner = Scanner(self._registry.clock, settings, self._trouble)
        newest = buffer.newest(settings.watch_piece_chars - 1)
        unfinished = newest[newest.rfind("\n") + 1 :]
        cut = len(unfinished) == len(newest) and buffer.end > len(newest)
        start = buffer.end - len(unfinished)
        if start < looked <= buffer.end:
            unfinished, start, cut = buffer.text(looked), looked, False
        scanner.begin(unfinished, start, buffer.line_feeds, continued=cut)
        return scanner

    # -- what happens -------------------------------------------------------------------------------------------------

    def text_came(self, text: str) -> None:
        """The job wrote this; it is in the buffer already."""
        scanner = self._scanner
        if scanner is not None and not scanner.idle:
            buffer = self._job.stream.buffer
            scanner.feed(text, buffer.end - len(text), buffer.line_feeds)
        if self._heartbeat is not None:
            self._heartbeat.output_came()

    def output_ended(self) -> None:
        """Nothing more comes: the last line is looked at, finished or not."""
        if self._scanner is not None:
            self._scanner.finish()
        for watch in self._watches.values():
            watch.finish()
        if self._heartbeat is not None:
            self._heartbeat.close()

    def hit(self, watch: "Watch", hit: "Hit") -> None:
        """See `Told`."""

        def make(sequence: int, at: float) -> WatchHit:
            return WatchHit(sequence=sequence, at=at, session_id=self._job.session_id, owner=watch.owner, **vars(hit))

        if hit.delivered:
            told = self._registry.notify(watch.owner, make)
            if self._registry.hooks is not None and isinstance(told, WatchHit):
                self._registry.hooks.hit(self._job, told)
        else:
            self._registry.publish(make)
        self._registry.changed(self._job)
        self._registry.remember(self._job)

    def matched(self, match: "Match") -> None:
        """See `Told`."""
        for listener in tuple(self.listeners):
            listener(match)

    def redacted(self, match: "Match") -> str:
        """See `Told`."""
        job, buffer = self._job, self._job.stream.buffer
        return redact_part(
            buffer.text(max(0, match.at - _BEFORE_HIT), match.at),
            match.piece,
            assignments=job.reveals,
            live=not job.stream.ended and match.line >= buffer.line_feeds,
        ).text

    def disable(self, watch: "Watch", why: str, pattern: str) -> None:
        """See `Told`."""
        job = self._job
        nothing_left = pattern in watch.patterns.texts
        if nothing_left:
            self.forget(watch)
        ended = nothing_left or not pattern
        instead = ended and watch.owner == job.owner.owner and job.owner.async_delivery
        if instead:
            job.notify_on_complete = True
        self._registry.notify(
            watch.owner,
            lambda sequence, at: WatchDisabled(
                sequence=sequence,
                at=at,
                session_id=job.session_id,
                why=why,
                pattern=pattern,
                notify_on_complete=instead,
                owner=watch.owner,
            ),
        )
        self._registry.changed(job, at_once=True)

    def _beat(self) -> None:
        job, most = self._job, self._registry.settings.heartbeat_chars
        buffer = job.stream.buffer
        start = max(self._told_until, buffer.end - most * _RAW_PER_CLEAN)
        text, told_until = shown(job, start, hold=True)
        output = text[-most:]
        cut = start - self._told_until + len(text) - len(output)
        self._told_until = told_until
        self._registry.notify(
            job.owner.owner,
            lambda sequence, at: Heartbeat(
                sequence=sequence,
                at=at,
                session_id=job.session_id,
                output=output,
                output_cut=cut,
                uptime_seconds=job.uptime_seconds,
            ),
        )

    def _trouble(self, error: Exception) -> None:
        self._registry.trouble(f"a watch on {self._job.session_id} failed and was dropped", error)


_BEFORE_HIT = 4_000
"""Characters before a line that tell whether it is part of a private key."""
_RAW_PER_CLEAN = 3
"""Raw characters looked at for each that is shown."""


def breaker_of(registry: Registry) -> "Breaker":
    """The one bound over all jobs' hits."""
    if registry.breaker is None:
        from engine.watches.breaker import Breaker

        def watchers() -> set[str]:
            return {owner for job in registry.jobs.values() if not job.finished for owner in job.watching.owners}

        told: set[str] = set()

        def tripped(until: float) -> None:
            told.update(watchers())
            registry.broadcast.notify_all(told, lambda sequence, at: WatchOverflow(sequence, at, until))

        def released(count: int) -> None:
            # Also to whose jobs have ended meanwhile: who was told of the one is told of the other.
            owners = told | watchers()
            told.clear()
            registry.broadcast.notify_all(owners, lambda sequence, at: WatchReleased(sequence, at, count))

        registry.breaker = Breaker(registry.clock, registry.settings, tripped, released)
    return registry.breaker
