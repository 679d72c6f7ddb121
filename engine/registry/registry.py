"""Jobs by id, and what all of them share. Lives on the engine's loop alone."""

import asyncio
import os
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from engine.clock import Clock, RealClock
from engine.config import Configuration, Settings
from engine.config.slots import is_slot
from engine.delegation import BatchView
from engine.events import BatchDone, Event, JobChanged, Notice
from engine.notices.letter import Letter
from engine.ownership.owned import Ownership
from engine.process.end_watch import EndWatches
from engine.process.probe import Probe
from engine.registry.broadcast import Broadcast
from engine.registry.concerns import concerned
from engine.registry.feed import Feed, Picture
from engine.registry.ids import find_id
from engine.registry.job import Job
from engine.registry.metering import Metering
from engine.registry.operator_notices import OperatorNotices
from engine.registry.output_room import OutputRoom
from engine.registry.retained import Retained
from engine.registry.shelf import Shelf
from engine.registry.turns import Turns
from engine.registry.views import Views
from engine.spec import Caller
from engine.store.home import home_folder
from engine.store.writer import Writer
from engine.waiting import BarrierView, GoalView

_TAKEN_OVER_AT_ONCE = 4
_ENDED_THERE_AT_ONCE = 6
_WRITE_SECONDS = 2.0
"""What the engine's end waits for a disk."""

if TYPE_CHECKING:
    from engine.process.scopes import Scopes
    from engine.registry.checkpointing import Checkpointing
    from engine.registry.hooking import HookRunner
    from engine.registry.keeper import Keeper, Keepers
    from engine.registry.leasing import Leasing
    from engine.registry.undelivered import Undelivered
    from engine.watches.breaker import Breaker


def _began(job: Job) -> float:
    return job.started_at


class Registry:
    """All jobs of one engine. Verbs are functions beside it, a family a module."""

    keepers_begin: asyncio.Event | None = None
    """Set once the keepers of the file's jobs have begun (or won't), if they are about to: runs of an earlier engine
    may be here before them."""
    breaker: "Breaker | None" = None
    """The one bound over all jobs' watches, made with the first of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, settings: Settings, clock: Clock | None = None) -> None:
        self.loop = loop
        self.clock = clock or RealClock(loop)
        self.settings = settings
        self.configuration = Configuration(settings=settings)
        """What the files say: agents, hosts and jobs by name. Another one takes its place when they change."""
        self.jobs: dict[str, Job] = {}
        notices = OperatorNotices(loop, self.notify)
        self.notice, self.trouble, self.told_by_file = notices.notice, notices.trouble, notices.by_file
        self.views = Views(loop, lambda: self.settings.view_interval_seconds, self._tell)
        """When changes of jobs are told."""
        self.shelf = Shelf(self)
        """How long finished jobs stay."""
        self._room = OutputRoom(self.jobs, lambda: self.settings)
        self.probe = Probe()
        self.metering = Metering(self.probe)
        self.broadcast = Broadcast(self.clock, settings, trouble=self.trouble, warn=self.notice)
        self.writer = Writer(notices.by_writer)
        """Saves files of state, off the loop."""
        self.closing = asyncio.Event()
        """The engine is shutting down: who waits is told so."""
        self.scopes: Scopes | None = None
        """Makes scopes with bounds on memory, if this engine is meant to; with the first job."""
        self.turns = Turns(self.clock, settings.turn_inactivity_seconds)
        self.taking_over = asyncio.Semaphore(_TAKEN_OVER_AT_ONCE)
        """Histories of held jobs are megabytes each: a few at a time."""
        self.ending_there = asyncio.Semaphore(_ENDED_THERE_AT_ONCE)
        """Each end of a job on a host is a connection, and servers turn away those that come all at once."""
        self.ends = EndWatches(loop)
        """Watches on processes that aren't our children."""
        self.home = home_folder()
        warn = partial(self.notice, severity="error")
        self.retained = Retained(loop, settings, self.home, self.writer, report=self.told_by_file, warn=warn)
        """Results of finished jobs, on the disk."""
        self.owned = Ownership(
            loop, settings, self.home, probe=self.probe, ends=self.ends, notice=self.notice, trouble=self.trouble
        )
        self.supervisor = self.owned.supervisor
        self.retained.spared = self._not_settled
        self.broadcast.keep = self._keep
        self.barrier_views: Callable[[Caller], tuple[BarrierView, ...]] = lambda _caller: ()
        self.goal_views: Callable[[Caller], tuple[GoalView, ...]] = lambda _caller: ()
        self.batch_views: Callable[[Caller], tuple[BatchView, ...]] = lambda _caller: ()
        """What snapshots tell beside the jobs: it belongs to rooms above this one, which put themselves in here."""
        self.keep_batch: Callable[[Letter], object] = lambda _letter: None
        """Likewise: keeps a batch's completion until it is taken."""
        self.hooks: HookRunner | None = None
        """Likewise: runs what the configuration says at ends and hits."""
        self.keepers: Keepers | None = None
        """Who keeps the jobs of the configuration file, if this engine does."""
        self.starting: set[str] = set()
        """Jobs whose process may be there, and that aren't among ``jobs`` yet."""
        self._background: set[asyncio.Task[object]] = set()

    @cached_property
    def leases(self) -> "Leasing":
        """What only one process may do, and whether it is us. Loaded when first asked for."""
        from engine.registry.leasing import Leasing

        return Leasing(self)

    @cached_property
    def checkpoint(self) -> "Checkpointing":
        """What runs here, on the disk. Loaded with the first job that isn't run in the foreground."""
        from engine.registry.checkpointing import Checkpointing

        return Checkpointing(self)

    @cached_property
    def undelivered(self) -> "Undelivered":
        """Notices that nobody has taken, on the disk. Loaded with the first that is sent."""
        from engine.registry.undelivered import Undelivered

        made = Undelivered(self.home, self.writer, self.told_by_file)
        made.unsettled = self._unsettled
        return made

    # -- finding ------------------------------------------------------------------------------------------------------

    def find(self, caller: Caller, wanted: str) -> Job | None:
        """The caller's job with that id or unique prefix; None when there is none, or more than one. A place in lists
        (``job_…``) means the newest run there."""
        job = self.at(str(wanted).strip())  # what all but people give: not to be looked for among all jobs
        if job is not None:
            return job if caller.is_operator or self.owns(caller, job) else None
        found = find_id(wanted, self.visible(caller))
        return self.jobs[found] if found else None

    def at(self, session_id: str) -> Job | None:
        """The job of this very id, whoever's it is, or the newest in this place (``job_…``)."""
        if is_slot(session_id):
            return max((job for job in self.jobs.values() if job.slot == session_id), key=_began, default=None)
        return self.jobs.get(session_id)

    def keeper(self, caller: Caller, session_id: str) -> "Keeper | None":
        """The keeper of a job of the configuration file that is known by this id while it has no run."""
        return self.keepers.find(session_id) if self.keepers is not None and caller.is_operator else None

    def visible(self, caller: Caller) -> list[str]:
        """The ids of the jobs that the caller may know of, oldest first."""
        if caller.is_operator:
            return list(self.jobs)
        owners = {job.owner.owner for job in self.jobs.values()}
        own = {owner for owner in owners if self.broadcast.postbox.proven(owner, caller)}
        return [session_id for session_id, job in self.jobs.items() if job.owner.owner in own]

    def owns(self, caller: Caller, job: Job) -> bool:
        """Is the caller the job's owner, or its continuation?"""
        return self.broadcast.postbox.proven(job.owner.owner, caller)

    def has_started(self, session_id: str) -> bool:
        """Was this job started by this engine, or is it just being started?"""
        job = self.jobs.get(session_id)
        return session_id in self.starting or (job is not None and not job.recovered)

    def new_id(self) -> str:
        """An id that no job has."""
        while (session_id := f"proc_{os.urandom(6).hex()}") in self.jobs:
            pass
        return session_id

    # -- telling ------------------------------------------------------------------------------------------------------

    def subscribe(self, feed: Feed) -> None:
        """Begin a feed with a snapshot of this moment; what is published from now on follows it."""

        def picture() -> Picture:
            jobs = tuple(self.jobs[session_id].view() for session_id in self.visible(feed.caller))
            if self.keepers is not None and feed.caller.is_operator:
                jobs += self.keepers.views()
            caller = feed.caller
            return Picture(jobs, self.barrier_views(caller), self.goal_views(caller), self.batch_views(caller))

        self.broadcast.subscribe(feed, picture)

    def publish(self, make: Callable[[int, float], Event]) -> None:
        """Tell one event, made with the next sequence number and the time, to the operator and to whose it is."""
        self.broadcast.publish(make, lambda event: concerned(event, self.jobs))

    def notify(self, owner: str, make: Callable[[int, float], Notice]) -> Notice:
        """Tell one event to the operator's consoles and, as a notice that is kept until it is taken, to its owner."""
        return self.broadcast.notify(owner, make).notice

    def changed(self, job: Job, *, at_once: bool = False) -> None:
        """A job's view is no longer what was told: tell it, at most once in ``view_interval_seconds``."""
        if at_once:
            self.remember(job)
            self.views.tell(job)
        else:
            self.views.changed(job)

    def remember(self, job: Job, *, now: bool = False) -> None:
        """What the next engine is to know of a job has changed; its holder knows it ``now``, or within a moment."""
        if job.link is not None and job.held is not None:
            from engine.registry.stories import encoded_story

            job.link.remember(partial(encoded_story, job), now=now)
        if "checkpoint" in self.__dict__:
            self.checkpoint.changed(job)

    def _tell(self, job: Job) -> bool:
        if self.jobs.get(job.session_id) is not job or not self.broadcast.heard:
            return False
        self.publish(lambda sequence, at: JobChanged(sequence, at, job.view()))
        return True

    # -- keeping ------------------------------------------------------------------------------------------------------

    def add(self, job: Job) -> None:
        """A new job."""
        self.jobs[job.session_id] = job
        job.stream.on_viewer_error = lambda error: self.trouble("a viewer failed and was detached", error)

    def output_came(self, job: Job, chars: int) -> None:
        """A job wrote something: its view changes, and all jobs' buffers share one bound."""
        self.changed(job)
        self._room.came(chars)

    def _not_settled(self) -> set[str]:
        """Jobs that have ended and of which the disk may still say that they run: their receipts tell better."""
        return self.owned.unsettled() | self._unsettled()

    def _keep(self, letter: Letter) -> None:
        if isinstance(letter.notice, BatchDone):
            self.keep_batch(letter)  # its own file tells of it
        else:
            self.undelivered.keep(letter)

    def told(self, session_id: str) -> None:
        """The owner knows how this job has ended: no later engine need tell it."""
        if session_id in self._unsettled():
            self.undelivered.told(session_id)

    def _unsettled(self) -> frozenset[str]:
        return self.checkpoint.unsettled if "checkpoint" in self.__dict__ else frozenset()

    # -- tasks --------------------------------------------------------------------------------------------------------

    def background(self, task: "asyncio.Task[object]") -> None:
        """Keep a task alive and tell of its failure."""
        self._background.add(task)
        task.add_done_callback(self._background_done)

    def _background_done(self, task: "asyncio.Task[object]") -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.trouble("a task of the engine failed", error)

    def forked(self) -> None:
        """In a forked child of ours: what tells others of our end must not be kept open by it."""
        self.supervisor.forked()
        for job in list(self.jobs.values()):
            if job.link is not None:
                job.link.forked()

    def close(self) -> None:
        """The loop is about to end: let go of timers, threads and the supervisor."""
        self.closing.set()
        self.views.close()
        self.shelf.close()
        if self.breaker is not None:
            self.breaker.close()
        if "leases" in self.__dict__:
            self.leases.close()
        if "checkpoint" in self.__dict__:
            self.checkpoint.let_go()
        if "undelivered" in self.__dict__:
            self.undelivered.let_go()
        self.clock.close()
        self.writer.close(_WRITE_SECONDS)
        self.ends.close()
        for job in self.jobs.values():
            if job.link is not None:
                job.link.let_go()
        left = [job.link for job in self.jobs.values() if job.link is not None and not job.finished]

        def reap() -> None:
            for link in left:
                link.reap_if_dead()

        self.owned.close(reap)
        reap()
