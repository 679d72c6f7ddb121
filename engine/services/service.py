"""One job of the file over all its runs: one task decides and starts, so there are never two runs and it never wedges.

Verbs only say what is wanted and wake the task; the task looks at how things stand and does the next step towards it.
(Longer than other files: what is wanted, what is done and what is shown of one job is one state with one owner.)
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.config.entries import JobEntry
from engine.events import JobChanged, JobDismissed, JobView
from engine.process.aside import aside
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.kill import end_job
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.registry.start import StartError, spawn
from engine.results import Refused, Started
from engine.services.asked import Answer, Asked
from engine.services.backing_off import BackOff
from engine.services.becoming_ready import BecomingReady
from engine.services.ends import Ended, read_end
from engine.services.specs import runs_otherwise, spec_of
from engine.services.standing import Standing, view_without_run
from engine.spec import OPERATOR, SpecError


class Service:
    """A `Keeper`. On the engine's loop alone."""

    def __init__(
        self,
        registry: Registry,
        name: str,
        entry: JobEntry,
        folder: Path,
        around: Callable[["Service"], str],
        *,
        slot: str,
        place: int,
        before: "Service | None" = None,
    ) -> None:
        """Keep it.

        Args:
            registry: The jobs.
            name: As the file calls it.
            entry: What the file says of it.
            folder: The file's.
            around: For whom it has to wait now, in words; empty: for nobody.
            slot: Its place in lists.
            place: See `Keeper`.
            before: Who kept it until it was taken out of the file, and may be in the middle of a start.
        """
        self.name, self.entry = name, entry
        self.id = slot
        """Its place in lists, and what it is called by while it has no run."""
        self.place = place
        """See `Keeper`."""
        self.job: Job | None = None
        """Its last run, as long as that is on the shelf."""
        self.standing = Standing.IDLE
        self.waits = ""
        """What it waits for, in words; empty if for nothing."""
        self.wanted = False
        """Is it to run?"""
        self.by_hand = False
        """Was it stopped by hand, and not started since?"""
        self.on_change: Callable[[Service], object] = lambda _service: None
        """Told when ``ready``, ``failure`` or ``standing`` may have changed."""
        self.before_asked: Callable[[Service], object] = lambda _service: None
        """Told before it is started because somebody asked for it."""
        self.in_vain: Callable[[Service], bool] = lambda _service: False
        """Does it wait for what won't come before somebody does something?"""
        self.held_back = False
        """Is nothing to be started just now?"""
        self._registry, self._folder, self._around = registry, folder, around
        self._again = False
        self._source = ""
        """Who wants its run to end, as a `termination_source` tells it; empty: a changed file does."""
        self._ran = entry
        """What its last run was started as."""
        self._taken: Job | None = None
        """The run whose end has been seen to."""
        self._asked = Asked()
        self._moved = asyncio.Event()
        """How it stands has changed since this was put in here."""
        self._back_off = BackOff(registry, self.wake)
        self._began = 0.0
        """Its last run, by the clock that no hand moves."""
        self._readiness = BecomingReady(registry, lambda: self.on_change(self))
        self._closed = False
        self._before = before
        self._at_rest = asyncio.Event()
        """It is in the middle of no start."""
        self._at_rest.set()
        self._since = time.time()
        self._hidden = False
        self._woken = asyncio.Event()
        self._task = registry.loop.create_task(self._run())

    # What is wanted

    def start(self) -> None:
        """It is to run, from now on."""
        self.wanted, self.by_hand = True, False
        self._readiness.failure = ""
        self.wake()

    def stopped(self) -> None:
        """See `Keeper`."""
        leaving = self.held_back or self._registry.closing.is_set()
        self.by_hand = self.by_hand or not leaving  # what ends with its jobdeck wasn't stopped by anybody
        self.wanted = self._again = False
        self._source = "operator"
        self._back_off.cancel()
        self._asked.answer(refused("restart", f"{self.name} was stopped meanwhile"))
        self.on_change(self)
        self.wake()

    def stays_stopped(self) -> None:
        """Somebody has stopped it by hand, in the jobdeck that had it before us."""
        self.by_hand = True
        self._stand(Standing.STOPPED)

    async def restart(self) -> Started | Refused:
        """See `Keeper`. Many at once are one."""
        if self.standing is Standing.ELSEWHERE:
            return refused("restart", f"{self.name} {self.waits}: end it there first")
        self._again, self._source = True, "operator"
        self._back_off.forget()
        self.before_asked(self)
        self.start()
        return await self._asked.answered()

    def restart_soon(self, why: str) -> None:
        """Something that it depends on has changed: run it anew, unless it was stopped by hand or waits anyway."""
        resting = (Standing.STOPPED, Standing.IDLE, Standing.WAITING, Standing.ELSEWHERE)
        if self.by_hand or self.standing in resting:  # stopped by hand, its run may still be ending
            return
        self._registry.notice(f"{self.name} is restarted: {why}", "information")
        if not self._again:
            self._again, self._source = True, ""
        self._back_off.forget()
        self.start()

    def adopt(self, job: Job, *, ready: bool = False) -> None:
        """A run that still goes on: an earlier engine's, or of the time before the file had it. ``ready``: it was so
        already, and is."""
        self._give_up_row()
        self.wanted = True
        job.name = redact(self.name)  # it may have been started under another
        if not job.detached:
            spec = job.spec
            self._ran = msgspec.structs.replace(self.entry, command=spec.command or "", argv=spec.argv or ())
        self._follow(job, ready=ready)
        if job.kill is not None:  # by hand, before we came
            self.stopped()

    def remembers(self, job: Job) -> None:
        """See `Keeper`."""
        self._give_up_row()
        self.job, job.keeper, self._taken = job, self, job
        job.name = redact(self.name)
        self._registry.changed(job, at_once=True)

    def elsewhere(self, where: str) -> None:
        """Another jobdeck has a run of it. ``where``: which, in words."""
        self.wanted = False
        self._readiness.rest(ready=True)  # it has gone on since before we came
        self._stand(Standing.ELSEWHERE, where)

    def back_here(self) -> None:
        """No other jobdeck has a run of it any more."""
        if self.standing is Standing.ELSEWHERE:
            self._readiness.rest()
            self._stand(Standing.IDLE)

    async def next_run(self) -> Job | str:
        """See `Keeper`."""
        while self.job is None:
            if why := self._no_run():
                return f"{self.name} {why}"
            await self._moved.wait()
        return self.job

    def _no_run(self) -> str:
        if self.by_hand:
            return "was stopped; restart starts it"
        match self.standing:
            case Standing.WAITING if self.in_vain(self):
                return f"{self.waits}: that must be seen to first"
            case Standing.FAILED:
                return f"could not be started: {self.failure}"
            case Standing.ELSEWHERE:
                return self.waits
        return "" if self.wanted else "is not started; restart starts it"

    def stand_at(self, place: int) -> None:
        """Its place in the file."""
        if place != self.place:
            self.place = place
            if self.job is not None:
                self._registry.changed(self.job, at_once=True)
            self.show()

    def hidden(self) -> None:
        """See `Keeper`."""
        self._hidden = True
        if self.job is None:
            self._hide_row()

    def forgotten(self) -> None:
        """See `Keeper`."""
        self.job = None
        self.show()

    def take(self, entry: JobEntry) -> None:
        """The file says something else of it now. A run that goes on isn't touched: what it was started as counts from
        its next start on, all else at once."""
        before, self.entry = self.entry, entry
        job = self.job
        if self.runs and job is not None:
            if not self.ready and before.ready != entry.ready:
                self._readiness.look(job, entry.ready)
            self._mark(job, self._outdated())
        elif job is not None and self._taken is job and not self.by_hand:
            self._judge_again(job)
        self.show()
        self.on_change(self)
        self.wake()

    def rename(self, name: str) -> None:
        """The file calls it otherwise; run, row and place stay."""
        self.name = name
        if self.job is not None:
            self.job.name = redact(name)
            self._registry.changed(self.job, at_once=True)
        self.show()

    async def at_rest(self) -> None:
        """Wait until it is in the middle of no start."""
        await self._at_rest.wait()

    def wake(self) -> None:
        """Something may have changed: look at how things stand."""
        self._woken.set()

    def close(self) -> None:
        """Keep it no longer. Its run goes on as any other job; one that is being started comes to be one."""
        self._closed, self.wanted = True, False
        self._back_off.cancel()
        self._readiness.cancel()
        self._asked.answer(refused("restart", "the jobs of the file are kept no longer"))
        if self.job is not None:
            self.job.keeper = None
            self._mark(self.job, "")
        elif not self._hidden:
            self._hide_row()
        self.wake()

    # How it is shown

    @property
    def ready(self) -> bool:
        """May those that wait for it go on?"""
        return self._readiness.ready

    @property
    def failure(self) -> str:
        """Why they can't, unless somebody does something, in words: ``failed (exit 1)``."""
        return self._readiness.failure

    def run_in_place(self) -> Job | None:
        """A run in its place that goes on: ours, an earlier engine's, or of the time before it was taken out of the
        file."""
        job = self._registry.at(self.id)
        return job if job is not None and not job.finished else None

    @property
    def runs(self) -> bool:
        """Has it a run that goes on?"""
        return self.job is not None and not self.job.finished

    @property
    def pauses(self) -> bool:
        """See `Keeper`."""
        return self.wanted and not self.runs

    @property
    def outdated(self) -> bool:
        """Has it a run that goes on as something else than the file says now?"""
        return self.runs and runs_otherwise(self._ran, self.entry)

    @property
    def shown(self) -> bool:
        """Has it a row of its own, as there is no run to show?"""
        return self.job is None and not self._hidden and self.standing is not Standing.ELSEWHERE

    def view(self) -> JobView:
        """Its row while it has no run."""
        failed = self.failure if self.standing is Standing.FAILED else ""
        return view_without_run(
            self.id, self.name, self.entry, str(self._folder), self.standing, place=self.place, since=self._since,
            waits=self.waits, error=failed,
        )  # fmt: skip

    def _stand(self, standing: Standing, waits: str = "") -> None:
        if (standing, waits) == (self.standing, self.waits):
            return
        if standing is not self.standing:
            self._since, self._hidden = time.time(), False
        was_shown = self.shown
        self.standing, self.waits = standing, waits
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
        if self.job is not None:
            self._mark(self.job, waits)
        if was_shown and not self.shown:
            self._hide_row()
        self.show()
        self.on_change(self)

    def show(self) -> None:
        """Tell its row, if it has one of its own."""
        if self.shown:
            self._registry.publish(lambda sequence, at: JobChanged(sequence, at, self.view()))

    def _hide_row(self) -> None:
        self._registry.publish(lambda sequence, at: JobDismissed(sequence, at, self.id))

    def _give_up_row(self) -> None:
        """For a run that is older than the row, and would count there as that of a job before."""
        if self.shown:
            self._hide_row()

    def _mark(self, job: Job, waits: str) -> None:
        if job.waits != waits:
            job.waits = waits
            self._registry.changed(job, at_once=True)

    # The one task

    async def _run(self) -> None:
        while not self._closed:
            await self._woken.wait()
            self._woken.clear()
            try:
                await self._step()
            except Exception as error:  # noqa: BLE001  one step that fails must not end the keeping
                self._registry.trouble(f"keeping {self.name} failed", error)

    async def _step(self) -> None:
        """One step towards what is wanted. It is woken again by whatever changes."""
        if self._registry.closing.is_set() or self.held_back or self._closed:
            return
        job = self.job
        if job is not None and not job.finished:
            if job.ended.is_set() or (self.wanted and not self._again):
                return
            if not await self._end(job):
                return  # some of it lives on: a second run beside it is no restart
        if job is not None and job.finished and self._taken is not job:
            self._take_end(job)
        if not self.wanted:
            if self.standing in (Standing.WAITING, Standing.BACKING_OFF):
                self._stand(Standing.STOPPED)
            return
        blocked = self._around(self)
        if blocked:
            self._stand(Standing.WAITING, blocked)
            self._asked.answer(refused("restart", f"{self.name} {blocked}; it starts by itself as soon as it may"))
        elif not self._back_off.pending:
            await self._start()

    async def _end(self, job: Job) -> bool:
        """End its run; False if that can't be done: it is told then, and asked for again by whoever wants it."""
        answer = await end_job(self._registry, job, self._source, by_keeper=True)
        if answer.status != "error":
            return True
        self._again = False
        self._asked.answer(refused("restart", f"the old run can't be ended: {answer.error}"))
        return False

    async def _start(self) -> None:
        if self._before is not None:
            await self._before.at_rest()
            self._before = None
            if (job := self.run_in_place()) is not None:
                self.adopt(job)
                self.wake()  # should somebody want it anew
                return
        self._again = False
        asked = self._asked.take()
        self._at_rest.clear()
        before = self.job.session_id if self.job is not None else self.id
        answer: Answer = refused("restart", f"{self.name} was stopped meanwhile")
        try:
            spec = await aside("jobdeck-check", lambda: spec_of(self.name, self.entry, self._folder))
            if not self.wanted or self.held_back or self._registry.closing.is_set():
                return
            self._ran = self.entry
            answer = await spawn(self._registry, OPERATOR, spec, slot=self.id, replaces=before)
            self._follow(self._registry.jobs[answer.session_id])
        except StartError as error:
            answer = error
            self._follow(self._registry.jobs[error.session_id])
        except Exception as error:  # noqa: BLE001  whatever it was, it would be so again, at once and for ever
            if not isinstance(error, SpecError | OSError):
                self._registry.trouble(f"starting {self.name} failed", error)
            answer = error
            self.wanted = False
            self._readiness.rest(str(error))
            self._stand(Standing.FAILED, f"not started again: {error}" if self.job is not None else "")
        finally:
            self._at_rest.set()
            asked.answer(answer)
            self.wake()  # what was asked for meanwhile counts

    def _follow(self, job: Job, *, ready: bool = False) -> None:
        if self._closed:
            return
        if self.job is not None and self.job is not job:
            self._mark(self.job, "")
            self.job.keeper = None
        self.job, job.keeper, self._began = job, self, self._registry.clock.now()
        self._registry.changed(job)  # its place in the file is known with its keeper
        self._readiness.rest(ready=ready)
        self._stand(Standing.RUNNING)
        self.on_change(self)
        if job.finished:
            return
        self._mark(job, self._outdated())
        self._registry.background(self._registry.loop.create_task(self._see_end(job)))
        if not ready:
            self._readiness.look(job, self.entry.ready)

    def _outdated(self) -> str:
        return "changed in the file" if self.outdated else ""

    async def _see_end(self, job: Job) -> None:
        await job.ended.wait()
        self.wake()

    # Its end

    def _take_end(self, job: Job) -> None:
        self._taken, self._readiness.was = job, self.ready
        if self._again or not self.wanted:
            self._readiness.rest()
            if not self._again:
                self._stand(Standing.STOPPED)
            return
        end = read_end(self.entry, job, was_ready=self.ready)
        if end.again:
            self._readiness.rest(ready=end.ready)
            self._pause(end.label)
        else:
            self._rest(end)

    def _rest(self, end: Ended) -> None:
        """It has ended and isn't started again."""
        self.wanted = False
        self._readiness.rest(end.failure, ready=end.ready)
        self._stand(Standing.ENDED if end.well else Standing.FAILED)

    def _judge_again(self, job: Job) -> None:
        """The file says something else of an end that was seen to; it starts nothing that rested already."""
        end = read_end(self.entry, job, was_ready=self._readiness.was)
        if self._back_off.pending and not end.again:
            self._back_off.forget()
            self._rest(end)
        elif self.standing in (Standing.ENDED, Standing.FAILED) and not end.again:
            self._rest(end)

    def _pause(self, label: str) -> None:
        seconds = self._back_off.begin(self.entry, self._registry.clock.now() - self._began)
        times = self._back_off.restarts
        if seconds is not None:
            self._stand(Standing.BACKING_OFF, f"restart {times} in {seconds:g} s")
            return
        self.wanted = False
        self._readiness.rest(f"failed ({label}) after {times} restart{'s' * (times != 1)}")
        self._stand(Standing.FAILED, f"no more restarts after {times}")
