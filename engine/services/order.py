"""Who of the file's jobs waits for whom, and in vain."""

from collections.abc import Mapping

from engine.registry.registry import Registry
from engine.services.service import Service
from engine.services.standing import Standing


class Order:
    """Reads the jobs; wakes those that wait and tells who waits in vain. On the engine's loop alone."""

    def __init__(self, registry: Registry, jobs: Mapping[str, Service]) -> None:
        self._registry, self._jobs = registry, jobs
        self._told: dict[str, str] = {}
        """What was told last of one that others wait for in vain."""

    def want(self, service: Service) -> None:
        """Start it, and whom it waits for if those were never started."""
        self.want_others(service)
        service.start()

    def want_others(self, service: Service) -> None:
        """Start whom it waits for if those were never started."""
        for name in service.entry.after:
            other = self._jobs.get(name)
            if other is not None and not (other.wanted or other.by_hand) and other.standing is Standing.IDLE:
                self.want(other)

    def blocked(self, service: Service) -> str:
        """For whom it has to wait now, in words; empty: for nobody."""
        gone = [name for name in service.entry.after if name not in self._jobs]
        others = [self._jobs[name] for name in service.entry.after if name in self._jobs]
        unready = sorted((other for other in others if not other.ready), key=lambda other: not other.failure)
        more = len(gone) + len(unready) - 1
        if more < 0:
            return ""
        first = f"{gone[0]}, which isn't in the file any more" if gone else f"{unready[0].name}{_why(unready[0])}"
        return f"waits for {first}" + (f", and for {more} more" if more else "")

    def in_vain(self, service: Service) -> bool:
        """Does it wait for what won't become ready before somebody does something?"""
        heads, seen = [service], {service.name}
        while heads:
            for name in heads.pop().entry.after:
                other = self._jobs.get(name)
                if other is None:
                    return True
                if other.ready or name in seen:
                    continue
                if not other.wanted or (other.failure and not other.runs):
                    return True
                seen.add(name)
                if not other.runs:
                    heads.append(other)
        return False

    def changed(self, service: Service) -> None:
        """Whoever waits for it looks again, and whoever waits for those: their rows tell why."""
        for other in self._jobs.values():
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
            for other in self._jobs.values():
                if head in other.entry.after and other.wanted and not other.runs and other.name not in found:
                    found.append(other.name)
                    heads.append(other.name)
        return found


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
