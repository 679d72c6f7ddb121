"""All jobs of the file: who waits for whom, what a change of the file means, and one host for them at a time."""

import contextlib
from pathlib import Path

from engine.config import Configuration
from engine.config.entries import JobEntry
from engine.config.slots import slot_of
from engine.events import JobView
from engine.process.aside import aside
from engine.registry.registry import Registry
from engine.services.changes import Changes
from engine.services.service import Service
from engine.services.standing import Standing
from engine.store.home import private_folder
from engine.store.lock import FileLock


class Services:
    """The `Keepers` of an engine. On its loop alone."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._by_name: dict[str, Service] = {}
        self._lock: FileLock | None = None
        self._changes: Changes | None = None
        self._watched: dict[str, tuple[str, ...]] = {}
        self._told: dict[str, str] = {}
        """What was told last of one that others wait for in vain."""

    @property
    def file(self) -> Path:
        """Whose jobs these are."""
        return self._registry.configuration.files[-1]

    async def open(self) -> None:
        """Be their host, unless another jobdeck is; take over runs that have outlived one; start what is to start."""
        registry = self._registry
        if not registry.configuration.jobs or not await self._claim():
            return
        registry.keepers = self
        self._put(registry.configuration.jobs)
        for service in self._by_name.values():
            running = [job for job in registry.jobs.values() if job.slot == service.id and not job.finished]
            if running:
                service.adopt(running[-1])
            else:
                service.show()
        for service in self._by_name.values():
            if service.entry.autostart and not service.wanted:
                self.want(service)

    def take(self, before: Configuration, after: Configuration) -> list[str]:
        """The file has changed; what that means for its jobs, in words."""
        if self._registry.keepers is not self:
            if after.jobs and not before.jobs:
                self._registry.background(self._registry.loop.create_task(self.open()))
            return []
        said = []
        for name in [name for name in self._by_name if name not in after.jobs]:
            service = self._by_name.pop(name)
            said.append(f"{name} is gone" + (", its job runs on" if service.runs else ""))
            service.close()
        for name in after.jobs.keys() & before.jobs.keys() & self._by_name.keys():
            if after.jobs[name] != before.jobs[name]:
                service = self._by_name[name]
                service.take(after.jobs[name])
                said.append(f"{name} is changed" + (", which counts from its next start on" if service.runs else ""))
        new = [name for name in after.jobs if name not in self._by_name]
        self._put(after.jobs)
        for name in new:
            said.append(f"{name} is new")
            self._by_name[name].show()
            if self._by_name[name].entry.autostart:
                self.want(self._by_name[name])
        return said

    def want(self, service: Service) -> None:
        """Start it, and whom it waits for if those were never started."""
        self._want_others(service)
        service.start()

    def _want_others(self, service: Service) -> None:
        for name in service.entry.after:
            other = self._by_name.get(name)
            if other is not None and not other.wanted and other.standing is Standing.IDLE:
                self.want(other)

    def find(self, session_id: str) -> Service | None:
        """See `Keepers`."""
        return next((one for one in self._by_name.values() if one.id == session_id), None)

    def views(self) -> tuple[JobView, ...]:
        """See `Keepers`."""
        return tuple(service.view() for service in self._by_name.values() if service.shown)

    def stand_still(self, on: bool) -> None:
        """See `Keepers`."""
        for service in self._by_name.values():
            service.held_back = on
            service.wake()

    def close(self) -> None:
        """The engine ends."""
        if self._changes is not None:
            self._changes.close()
        if self._lock is not None:
            self._lock.release()

    def _put(self, jobs: dict[str, JobEntry]) -> None:
        for place, (name, entry) in enumerate(jobs.items(), start=1):
            if name not in self._by_name:
                service = self._by_name[name] = Service(self._registry, name, entry, self.file, self._blocked)
                service.on_change, service.before_asked = self._changed, self._want_others
            self._by_name[name].place = place
        self._watch_files({name: entry.restart_on_change for name, entry in jobs.items() if entry.restart_on_change})

    def _watch_files(self, patterns: dict[str, tuple[str, ...]]) -> None:
        if patterns == self._watched:
            return
        if self._changes is not None:
            self._changes.close()
        self._watched, self._changes = patterns, None
        if patterns:
            registry = self._registry
            self._changes = Changes(registry.loop, self.file.parent, patterns, self._file_changed, registry.trouble)
            for pattern in self._changes.nowhere:
                registry.notice(f"restart_on_change: {pattern} isn't watched, as its folder isn't there")

    def _file_changed(self, name: str, path: str) -> None:
        service = self._by_name.get(name)
        if service is not None:
            with contextlib.suppress(ValueError):
                path = str(Path(path).relative_to(self.file.parent))
            service.restart_soon(f"{path} has changed")

    # Who waits for whom

    def _blocked(self, service: Service) -> str:
        others = [self._by_name[name] for name in service.entry.after if name in self._by_name]
        unready = sorted((other for other in others if not other.ready), key=lambda other: not other.failure)
        if not unready:
            return ""
        first, more = unready[0], len(unready) - 1
        return f"waits for {first.name}{_why(first)}" + (f", and for {more} more" if more else "")

    def _changed(self, service: Service) -> None:
        """Whoever waits for it looks again, and whoever waits for those: their rows tell why."""
        for other in self._by_name.values():
            if service.name in other.entry.after:
                other.wake()
        if not service.failure:
            self._told.pop(service.name, None)
            return
        waiting = self._waiting_for(service.name)
        if waiting and self._told.get(service.name) != service.failure:
            self._told[service.name] = service.failure
            wait = "waits" if len(waiting) == 1 else "wait"
            session_id = service.job.session_id if service.job is not None else ""
            text = f"{service.name} {service.failure}: {', '.join(waiting)} {wait} for it"
            self._registry.notice(text, "error", session_id)

    def _waiting_for(self, name: str) -> list[str]:
        """Who is to run and can't before that one is ready, nor those that wait for them."""
        found: list[str] = []
        heads = [name]
        while heads:
            head = heads.pop(0)
            for other in self._by_name.values():
                if head in other.entry.after and other.wanted and not other.runs and other.name not in found:
                    found.append(other.name)
                    heads.append(other.name)
        return found

    # One host

    async def _claim(self) -> bool:
        registry = self._registry
        lock = FileLock(registry.home / f"{slot_of(self.file, '')}.lock")
        try:
            taken = await aside("jobdeck-jobs", lambda: private_folder(registry.home) is not None and lock.acquire())
        except OSError as error:
            registry.trouble("it can't be told whether another jobdeck runs these jobs, so they are run here", error)
            return True
        if not taken:
            registry.notice(
                f"the jobs of {self.file} are another jobdeck's already; they are shown there", "information"
            )
            return False
        self._lock = lock
        return True


def _why(service: Service) -> str:
    if service.failure:
        return f", which {service.failure}"
    match service.standing:
        case Standing.STOPPED:
            return ", which was stopped"
        case Standing.WAITING:
            return f", which {service.waits}"
        case Standing.BACKING_OFF:
            return f", which has ended: {service.waits}"
        case Standing.IDLE:
            return ", which isn't started"
    return f": {service.entry.ready.wanted}" if service.entry.ready is not None else ""
