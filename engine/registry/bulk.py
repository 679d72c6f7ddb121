"""Kills of many jobs at once: all of an owner's, or those that it started since a baseline (spec 1.7)."""

import asyncio
from collections.abc import Collection, Iterable

from engine.registry.job import Job
from engine.registry.kill import OPERATORS_SOURCES, end_job
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.results import Killed, KilledAll, Refused, RunningIds
from engine.spec import Caller


async def kill_all(
    registry: Registry,
    caller: Caller,
    owner: str | None = None,
    exclude_ids: Collection[str] = (),
    source: str = "kill_all",
    consume_output: bool = False,
) -> KilledAll | Refused:
    """End all running jobs that the caller sees, or that ``owner`` started; not those that outlive their owner."""
    return await _kill(registry, caller, "kill_all", owner, exclude_ids, source, consume_output)


def snapshot_running_ids(registry: Registry, caller: Caller, owner: str | None = None) -> RunningIds | Refused:
    """A baseline: whose jobs run now."""
    running = _running(registry, caller, owner)
    if running is None:
        return _not_yours("snapshot_running_ids")
    return RunningIds(status="ok", session_ids=tuple(job.session_id for job in running))


async def kill_started_since(
    registry: Registry,
    caller: Caller,
    owner: str | None,
    baseline: Collection[str],
    source: str = "kill_all",
    consume_output: bool = False,
) -> KilledAll | Refused:
    """End what ``owner`` started after the baseline was taken; earlier, finished and other owners' jobs stay."""
    return await _kill(registry, caller, "kill_started_since", owner, baseline, source, consume_output)


async def _kill(
    registry: Registry,
    caller: Caller,
    verb: str,
    owner: str | None,
    spared: Collection[str],
    source: str,
    consume: bool,
) -> KilledAll | Refused:
    if source not in OPERATORS_SOURCES or (source != "kill_all" and not caller.is_operator):
        return refused(verb, f"source is one of {', '.join(OPERATORS_SOURCES)}; only kill_all is everybody's to give")
    running = _running(registry, caller, owner)
    if running is None:
        return _not_yours(verb)
    if not caller.is_operator:
        running = [job for job in running if not job.batch_id]  # they outlive their owner; stop ends them
    return await end_jobs((job for job in running if job.session_id not in spared), registry, source, consume=consume)


async def abandon_turn(registry: Registry, turn_id: str) -> KilledAll:
    """End what was started in this turn and runs still; nobody will read of it."""
    jobs = [job for job in registry.jobs.values() if job.turn == turn_id and not job.finished]
    return await end_jobs(jobs, registry, "turn_abandoned", consume=True)


async def end_jobs(jobs: Iterable[Job], registry: Registry, source: str, *, consume: bool) -> KilledAll:
    """End these at the same time, but for those that outlive their owner; ``consume``: nobody need be told of it."""

    async def end(job: Job) -> None:
        with job.completion.owner_read():
            results.append(await end_job(registry, job, source))
            if consume:
                job.completion.consume()

    results: list[Killed] = []
    await asyncio.gather(*(end(job) for job in jobs if not job.persist_on_release))
    failed = tuple(result for result in results if result.status == "error")
    return KilledAll(
        status="error" if failed else "ok",
        killed=tuple(result.session_id for result in results if result.status == "killed"),
        failed=failed,
        error=f"{len(failed)} of {len(results)} jobs could not be ended" if failed else None,
    )


def _running(registry: Registry, caller: Caller, owner: str | None) -> list[Job] | None:
    """The running jobs that are meant, oldest first; None if they aren't the caller's to know of."""
    if owner is not None and not caller.is_operator and owner != caller.owner:
        return None
    jobs = (registry.jobs[session_id] for session_id in registry.visible(caller))
    return [job for job in jobs if not job.finished and owner in (None, job.owner.owner)]


def _not_yours(verb: str) -> Refused:
    return refused(verb, "a conversation can name only itself as the owner")
