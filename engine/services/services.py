"""All jobs of the file: who has them, what a change of the file means, and what is left for the next jobdeck."""

import asyncio
import contextlib
import time
from pathlib import Path

from engine.config import Configuration
from engine.config.entries import JobEntry
from engine.config.slots import slot_of
from engine.events import JobView
from engine.ownership.checkpoint import Checkpoint, Entry
from engine.process.aside import aside
from engine.process.identity import Identity
from engine.registry.ids import find_id
from engine.registry.recovery import see_to_the_dead
from engine.registry.registry import Registry
from engine.services.changes import Changes
from engine.services.editing import edit
from engine.services.order import Order
from engine.services.service import Service
from engine.services.standing import Standing
from engine.services.turn import Turn

RECOVERY_SECONDS = 15.0
"""So long the jobs of the file wait at most for what dead engines left of them to be taken over."""


class Services:
    """The `Keepers` of an engine. On its loop alone."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.file: Path = registry.configuration.files[-1]
        """Whose jobs these are."""
        self._by_name: dict[str, Service] = {}
        self._order = Order(registry, self._by_name)
        self._turn = Turn(registry, self.file)
        self._asked = self._looking = self._again = False
        self._begins_at = 0.0
        self._gone: dict[str, Service] = {}
        """Who kept jobs that were taken out of the file, by their places."""
        self._changes: Changes | None = None
        self._watched: dict[str, tuple[str, ...]] = {}

    async def open(self, seeing: "asyncio.Task[None] | None" = None) -> None:
        """Have them, once no other jobdeck does: take over what runs of them, start what is to start. Once is enough,
        with the first that there are.

        ``seeing``: by which the engine takes over what dead ones left, as it starts.
        """
        registry = self._registry
        if self._asked or not registry.configuration.jobs:
            return
        self._asked = True
        try:
            await self._have(seeing)
        finally:
            self._beginning(False)

    async def _have(self, seeing: "asyncio.Task[None] | None") -> None:
        registry, succeeds = self._registry, False
        self._beginning(True)
        try:
            if not await self._turn.take():
                self._tell_who_has_them()
                self._beginning(False)
                await self._turn.wait()
                self._beginning(True)
                succeeds = True
        except OSError as error:
            registry.trouble("it can't be told whether another jobdeck runs these jobs, so they are run here", error)
        if seeing is not None:
            await asyncio.wait([seeing], timeout=RECOVERY_SECONDS)
        if succeeds:
            await self._take_over()
        if not registry.closing.is_set():
            await self._begin(succeeds=succeeds)

    def _beginning(self, on: bool) -> None:
        """Are their keepers about to be there, also for runs of theirs that are here already?"""
        if self._registry.keepers_begin is not None:
            self._registry.keepers_begin.set()
        self._registry.keepers_begin = asyncio.Event() if on else None
        self._begins_at = time.time()

    async def _begin(self, *, succeeds: bool) -> None:
        """They are ours. ``succeeds``: a jobdeck that had them has gone while we waited."""
        registry, noted = self._registry, self._turn.noted
        others = await self._others()
        if any(one.orphaned for one in others):  # its engine has gone since we looked
            await self._take_over()
            others = await self._others()
        registry.keepers = self
        self._put(registry.configuration.jobs, noted.slots)
        self._find_runs(others, noted.ready)
        for service in self._by_name.values():
            if (succeeds and service.name in noted.stopped and not service.runs) or self._killed_meanwhile(service):
                service.stays_stopped()
            service.show()
        for service in self._by_name.values():
            if service.entry.autostart and service.standing is Standing.IDLE:
                self._order.want(service)
        if succeeds and self._by_name:
            registry.notice(
                f"the jobs of {self.file} are run here now: the jobdeck that had them is gone", "information"
            )
        self._note()

    def _killed_meanwhile(self, service: Service) -> bool:
        """Was its run, which came here before its keeper, ended by hand?"""
        job = self._registry.at(service.id)
        if job is None or job.end is None or job.end.completion_reason != "killed":
            return False
        return (job.exited_at or 0.0) >= self._begins_at

    def take(self, after: Configuration) -> list[str]:
        """The file has changed; what that means for its jobs, in words."""
        if self._registry.keepers is not self:
            self._registry.background(self._registry.loop.create_task(self.open()))
            return []
        said = []
        found = edit({name: service.entry for name, service in self._by_name.items()}, after.jobs)
        for old, name in found.renamed.items():
            service = self._by_name[name] = self._by_name.pop(old)
            service.rename(name)
            said.append(f"{old} is called {name}")
        for name in found.gone:
            service = self._by_name.pop(name)
            said.append(f"{name} is gone" + (", its job runs on" if service.runs else ""))
            service.close()
            self._gone[service.id] = service
        for name in found.changed:
            service = self._by_name[name]
            service.take(after.jobs[name])
            said.append(f"{name} is changed" + (", which counts from its next start on" if service.outdated else ""))
        self._put(after.jobs, {})
        for name in found.new:
            service = self._by_name[name]
            if (job := service.run_in_place()) is not None:  # it was in the file before
                service.adopt(job)
            said.append(f"{name} is new" + (", and has a run that went on" if job is not None else ""))
            service.show()
        for name in (*found.new, *found.begin):
            service = self._by_name[name]
            if service.entry.autostart and not service.by_hand and service.standing is Standing.IDLE:
                self._order.want(service)
        for service in self._by_name.values():
            if service.wanted:
                self._order.want_others(service)
            service.wake()
        self._note()
        return said

    def find(self, session_id: str) -> Service | None:
        """See `Keepers`."""
        shown = {service.id: service for service in self._by_name.values() if service.shown}
        found = find_id(session_id, tuple(shown), "job_")
        return shown[found] if found is not None else None

    def name_at(self, slot: str) -> str:
        """See `Keepers`."""
        return next((service.name for service in self._by_name.values() if service.id == slot), "")

    def views(self) -> tuple[JobView, ...]:
        """See `Keepers`."""
        return tuple(service.view() for service in self._by_name.values() if service.shown)

    def stand_still(self, on: bool) -> None:
        """See `Keepers`."""
        for service in self._by_name.values():
            service.held_back = on
            service.wake()

    def close(self) -> None:
        """The engine ends: what runs of them is let go of, or has been ended."""
        if self._changes is not None:
            self._changes.close()
        self._turn.let_go()

    def closed(self) -> None:
        """The engine has ended: the next jobdeck may have them."""
        self._turn.release()

    def _put(self, jobs: dict[str, JobEntry], slots: dict[str, str]) -> None:
        for place, (name, entry) in enumerate(jobs.items(), start=1):
            if name not in self._by_name:
                slot = slots.get(name) or self._free_slot(name)
                service = Service(
                    self._registry,
                    name,
                    entry,
                    self.file.parent,
                    self._order.blocked,
                    slot=slot,
                    place=place,
                    before=self._gone.pop(slot, None),
                )
                self._by_name[name] = service
                service.on_change, service.before_asked = self._changed, self._order.want_others
                service.in_vain = self._order.in_vain
                over = self._registry.at(slot)
                if over is not None and over.finished:
                    service.remembers(over)
            self._by_name[name].stand_at(place)
        self._watch_files({name: entry.restart_on_change for name, entry in jobs.items() if entry.restart_on_change})

    def _free_slot(self, name: str) -> str:
        """The place of a new job: by file and name, unless one that was called so once has that."""
        taken = {service.id for service in self._by_name.values()}
        wanted = name
        while (slot := slot_of(self.file, wanted)) in taken:
            wanted += "\0"
        return slot

    def _changed(self, service: Service) -> None:
        self._order.changed(service)
        self._note()

    def _note(self) -> None:
        if self._registry.keepers is not self or self._registry.closing.is_set():
            return
        services = self._by_name.values()
        kept = [one for one in services if one.ready and one.job is not None and one.job.held is not None]
        self._turn.note(
            tuple(one.name for one in services if one.by_hand),
            tuple(one.job.session_id for one in kept if one.job is not None and not one.job.finished),
            {one.name: one.id for one in services if one.id != slot_of(self.file, one.name)},
        )

    # -- files that restart them --------------------------------------------------------------------------------------

    def _watch_files(self, patterns: dict[str, tuple[str, ...]]) -> None:
        if patterns == self._watched:
            return
        if self._changes is not None:
            self._changes.close()
        self._watched, self._changes = patterns, None
        if patterns:
            registry = self._registry
            self._changes = Changes(
                registry.loop, self.file.parent, patterns, self._file_changed, self._nowhere, registry.trouble
            )

    def _nowhere(self, pattern: str) -> None:
        self._registry.notice(f"restart_on_change: {pattern} isn't watched, as its folder isn't there")

    def _file_changed(self, name: str, path: str) -> None:
        service = self._by_name.get(name)
        if service is not None:
            with contextlib.suppress(ValueError):
                path = str(Path(path).relative_to(self.file.parent))
            service.restart_soon(f"{path} has changed")

    # -- other jobdecks -----------------------------------------------------------------------------------------------

    def _tell_who_has_them(self) -> None:
        host = self._turn.noted.host
        who = f" (process {host.pid})" if host is not None else ""
        self._registry.notice(
            f"the jobs of {self.file} are another jobdeck's already{who}, and shown there; once that is gone they are "
            "run here",
            "information",
        )

    async def _take_over(self) -> None:
        """Have what dead engines left among our jobs."""
        seeing = asyncio.ensure_future(see_to_the_dead(self._registry, recovers=True))
        self._registry.background(seeing)
        await asyncio.wait([seeing], timeout=RECOVERY_SECONDS)

    async def _others(self) -> tuple[Entry, ...]:
        """Runs of jobs of files that aren't ours."""
        registry = self._registry
        try:
            entries = await aside("jobdeck-jobs", lambda: Checkpoint(registry.home, registry.told_by_file).entries())
        except OSError as error:
            registry.trouble("it can't be told what other jobdecks run", error)
            return ()
        return tuple(one for one in entries if one.slot and one.runs and one.session_id not in registry.jobs)

    def _find_runs(self, others: tuple[Entry, ...], ready: tuple[str, ...] = ()) -> None:
        there = {one.slot: one for one in others if not one.orphaned}
        for service in self._by_name.values():
            if service.runs:
                continue
            if (job := service.run_in_place()) is not None:
                service.adopt(job, ready=job.session_id in ready)
            elif (entry := there.get(service.id)) is not None:
                service.elsewhere(f"runs under another jobdeck (process {entry.owner_pid})")
                owner = Identity(entry.owner_pid, entry.owner_started_at)
                for one in (entry.identity, owner):
                    self._registry.ends.watch(one, self._look_elsewhere)
            else:
                service.back_here()

    def _look_elsewhere(self) -> None:
        """A run that another jobdeck had is over, or that jobdeck is: what goes on without one is ours."""
        self._again = True
        if not self._looking:
            self._looking = True
            self._registry.background(self._registry.loop.create_task(self._look()))

    async def _look(self) -> None:
        try:
            while self._again and not self._registry.closing.is_set():
                self._again = False
                await self._take_over()
                self._find_runs(await self._others())
        finally:
            self._looking = False
