"""The verb kill: ends a job's whole tree and is then the author of its end (spec 1.7)."""

import asyncio
import signal
import time
from functools import partial

import msgspec

from engine.events import EndingView, JobState, LivingProcess
from engine.process.identity import Identity, is_alive
from engine.process.table import command_of
from engine.process.teardown import Teardown
from engine.process.tree import Tree
from engine.redact import redact_command
from engine.registry.completing import reading
from engine.registry.ending import finish, reap
from engine.registry.far_jobs import end_lost, end_over_there, unreached
from engine.registry.job import End, Job
from engine.registry.killed import killed_as_ended
from engine.registry.recall import find_anywhere
from engine.registry.refusals import not_found, refused
from engine.registry.registry import Registry
from engine.registry.strays import describe, end_strays, watch_unended
from engine.registry.tails import tail
from engine.results import Killed, Refused, Survivor
from engine.spec import Caller

OPERATORS_SOURCES = ("operator", "quit", "kill_all", "owner_exit", "process.kill")
_TAIL_CHARS = 2_000
_NAMED = 5


async def kill(
    registry: Registry, caller: Caller, session_id: str, *, now: bool = False, escaped: bool = False, source: str = ""
) -> Killed | Refused:
    """End the job, or join the kill that is under way; ``now`` ends its grace.

    ``escaped``: end those too that left its session and parentage, or that it left behind when it ended.
    """
    if source and (not caller.is_operator or source not in OPERATORS_SOURCES):
        return refused("kill", f"source is one of {', '.join(OPERATORS_SOURCES)}, and the operator's to give")
    if (keeper := registry.keeper(caller, session_id)) is not None:
        called_off = keeper.pauses
        keeper.stopped()
        return Killed(status="killed", session_id=keeper.view().session_id, called_off=called_off)
    job = await find_anywhere(registry, caller, session_id)
    if job is None:
        return not_found("kill", session_id)
    source = source or ("operator" if caller.is_operator else "process.kill")
    called_off = job.finished and job.keeper is not None and job.keeper.pauses
    if not registry.owns(caller, job):
        return await end_job(registry, job, source, now=now, escaped=escaped)
    with reading(registry, caller, job) as saw_the_end:
        result = await end_job(registry, job, source, now=now, escaped=escaped)
        if called_off:
            result = msgspec.structs.replace(result, called_off=True)
        if result.status != "error":
            saw_the_end()
    return result


async def end_job(
    registry: Registry, job: Job, source: str, *, now: bool = False, escaped: bool = False, by_keeper: bool = False
) -> Killed:
    """End one job for the reason ``source`` names; whoever may ask for it has been checked.

    ``by_keeper``: to start it anew; else who keeps it as the configuration says is told that it is to stay ended.
    """
    if job.keeper is not None and not by_keeper:
        job.keeper.stopped()
    if job.kill is None and (job.end is not None or (job.exit_seen and not job.unended)):
        await job.ended.wait()
    if now:
        job.hurry.set()
    joined = job.kill is not None
    if not job.finished and job.kill is None:
        job.kill = registry.loop.create_task(_end(registry, job, source, escaped=escaped))
        registry.background(job.kill)
        job.state = JobState.ENDING
        registry.changed(job, at_once=True)
    elif job.finished and job.far is not None and job.far.may_live:
        return await end_lost(registry, job)
    result = killed_as_ended(job, "already_exited") if job.kill is None else await asyncio.shield(job.kill)
    if escaped and job.finished and job.strays and (joined or result.status == "already_exited"):
        return await end_strays(registry, job, result)
    return result


async def _end(registry: Registry, job: Job, source: str, *, escaped: bool) -> Killed:
    tree = Tree(registry.probe, job.identity, job.session_id, job.unended, with_escaped=escaped, members=job.members)
    try:
        await end_over_there(registry, job)
        try:
            survivors = await _teardown(registry, job, tree).run()
        except Exception as error:  # noqa: BLE001  a kill that fails leaves its job killable
            registry.trouble(f"the kill of {job.session_id} failed", error)
            survivors = [Survivor(job.pid or 0, job.name, f"the kill failed: {error}")]
        if survivors:
            return _survived(job, survivors)
        strays = await describe(tree.escaped.values(), job.link.output_names() if job.link else set())
        await job.child_dead.wait()
        if job.link is not None:
            await job.link.catch_up()
        job.strays = {identity: stray for identity, stray in strays.items() if is_alive(identity)}
        await _conclude(registry, job, source)
        return _killed(job) if job.far is None or not job.far.may_live else unreached(job, job.far)
    finally:
        job.kill = job.ending = None
        job.hurry.clear()
        if not job.finished:
            job.state = JobState.RUNNING
            registry.changed(job, at_once=True)
            if job.exit_seen:
                watch_unended(registry, job, tree.living(), partial(_conclude_later, registry, job, source))


def _teardown(registry: Registry, job: Job, tree: Tree) -> Teardown:
    settings = registry.settings
    since = time.time()
    named: dict[Identity, LivingProcess] = {}
    told: tuple[list[Identity], bool] | None = None

    def on_wait(living: list[Identity], kill_in: float | None) -> None:
        nonlocal told
        if told == (living, kill_in is None):
            return
        told = living, kill_in is None
        first = [named.setdefault(one, _named(one.pid)) for one in living[:_NAMED]]
        kill_at = None if kill_in is None else time.time() + kill_in
        job.ending = EndingView(since=since, kill_at=kill_at, count=len(living), waiting=tuple(first))
        registry.changed(job)

    parent_first = job.spec.kill_order == "parent-first"
    sweep = job.scope.kill if job.scope is not None else lambda: None
    return Teardown(tree, settings, job.hurry, parent_first=parent_first, on_wait=on_wait, sweep=sweep)


def _named(pid: int) -> LivingProcess:
    return LivingProcess(pid, redact_command(command_of(pid)))


def _conclude_later(registry: Registry, job: Job, source: str) -> None:
    registry.background(registry.loop.create_task(_conclude(registry, job, source)))


async def _conclude(registry: Registry, job: Job, source: str) -> None:
    """All are dead: keep the last words, reap the child, record the end."""
    if job.end is not None:
        return
    if job.link is not None:
        job.link.drain(registry.settings.drain_bytes)
    reap(job)
    if job.far is not None and job.far.may_live:
        await finish(registry, job, End(None, "lost", "lost"))
        return
    await finish(registry, job, End(-signal.SIGTERM, "killed", source))


def _killed(job: Job) -> Killed:
    output, cut = tail(job, _TAIL_CHARS)
    return Killed(
        status="killed",
        session_id=job.session_id,
        output=output,
        output_cut=cut or None,
        exit_code=job.exit_code,
        completion_reason=job.completion_reason,
        termination_source=job.termination_source,
        escaped=job.escaped,
    )


def _survived(job: Job, survivors: list[Survivor]) -> Killed:
    named = ", ".join(f"{one.pid} ({one.why})" for one in survivors[:_NAMED])
    return Killed(
        status="error",
        session_id=job.session_id,
        error=f"{len(survivors)} of its processes could not be ended: {named}",
        survivors=tuple(survivors),
        process_running=True,
    )
