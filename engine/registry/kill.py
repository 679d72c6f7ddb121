"""Ending a job's whole tree: TERM, a grace, KILL, and a look whether it is really gone (spec 1.7)."""

import asyncio
import signal

from engine.events import JobState
from engine.process.identity import Identity, is_alive, send_signal
from engine.process.table import Row, command_of
from engine.registry.completing import reading
from engine.registry.ending import End, finish
from engine.registry.job import Job
from engine.registry.refusals import not_found, refused
from engine.registry.registry import Registry
from engine.registry.tails import tail
from engine.results import EscapedProcess, Killed, Refused, Survivor
from engine.spec import Caller

_OPERATORS_SOURCES = ("operator", "quit", "kill_all", "owner_exit", "process.kill")
_TAIL_CHARS = 2_000
_FIRST_LOOK_SECONDS = 0.005
_LATER_LOOKS_SECONDS = 0.05


async def kill(
    registry: Registry, caller: Caller, session_id: str, *, now: bool = False, source: str = ""
) -> Killed | Refused:
    """End the job, or join the kill that is under way; ``now`` ends its grace."""
    if source and (not caller.is_operator or source not in _OPERATORS_SOURCES):
        return refused("kill", f"source is one of {', '.join(_OPERATORS_SOURCES)}, and the operator's to give")
    job = registry.find(caller, session_id)
    if job is None:
        return not_found("kill", session_id)
    if not registry.owns(caller, job):
        return await _kill(registry, caller, job, now=now, source=source)
    with reading(registry, caller, job) as saw_the_end:
        result = await _kill(registry, caller, job, now=now, source=source)
        if result.status != "error":
            saw_the_end()
    return result


async def _kill(registry: Registry, caller: Caller, job: Job, *, now: bool, source: str) -> Killed:
    if job.kill is None and job.exit_seen:
        await job.ended.wait()
    if job.finished:
        return _already(job)
    if now:
        job.hurry.set()
    if job.kill is None:
        source = source or ("operator" if caller.is_operator else "process.kill")
        job.kill = registry.loop.create_task(_end(registry, job, source))
        registry.background(job.kill)
        job.state = JobState.ENDING
        registry.changed(job, at_once=True)
    result = await asyncio.shield(job.kill)
    return result if isinstance(result, Killed) else _already(job)


async def _end(registry: Registry, job: Job, source: str) -> Killed:
    try:
        try:
            survivors = await _end_tree(registry, job)
        except Exception as error:  # noqa: BLE001  a kill that fails leaves its job killable
            registry.trouble(f"the kill of {job.session_id} failed", error)
            survivors = [Survivor(job.pid or 0, job.name, f"the kill failed: {error}")]
        if survivors and not job.exit_seen:
            return _survived(job, survivors)
        if job.child_gone is not None:
            job.raw_exit_code = await job.child_gone
        if job.link is not None:
            job.link.drain(registry.settings.drain_bytes)
        job.escaped = tuple(EscapedProcess(one.pid, one.command) for one in survivors)
        finish(registry, job, End(-signal.SIGTERM, "killed", source), [])
        if survivors:
            return _survived(job, survivors)
        output, cut = tail(job, _TAIL_CHARS)
        return Killed(
            status="killed",
            session_id=job.session_id,
            output=output,
            output_cut=cut or None,
            exit_code=job.exit_code,
            completion_reason=job.completion_reason,
            termination_source=job.termination_source,
        )
    finally:
        job.kill = None
        job.hurry.clear()
        if not job.finished:
            job.state = JobState.RUNNING
            registry.changed(job, at_once=True)


class _Tree:
    """The processes that a kill has seen, and what it could not do to them."""

    def __init__(self, registry: Registry, job: Job) -> None:
        self._registry = registry
        self._job = job
        self._seen: dict[Identity, Row] = {}
        self._looked = False
        self._refused: dict[Identity, str] = {}
        if job.identity is not None:  # known without a look, should none be possible
            leader = job.identity
            self._seen[leader] = Row(leader.pid, 0, leader.pid, leader.pid, "?", leader.start_time)

    async def look(self) -> list[Row]:
        """Look again; what is new, in the order in which to signal."""
        if self._job.identity is None:
            return []
        try:
            look = await self._registry.probe.look()
        except OSError as error:
            self._registry.trouble("the processes of this machine can't be listed for a kill", error)
            return []
        known = [identity.pid for identity in self._seen if is_alive(identity)]
        rows = look.table.tree(self._job.identity, marked=known)
        if not self._looked:
            self._looked = True
            self._seen.clear()
        new = [row for row in rows if row.identity not in self._seen]
        self._seen.update((row.identity, row) for row in rows)
        return new[::-1] if self._job.spec.kill_order == "parent-first" else new

    def living(self) -> list[Identity]:
        """Who of them still runs."""
        return [identity for identity in self._seen if is_alive(identity)]

    def signal(self, identities: list[Identity], number: int) -> None:
        """Signal each that is still the process it was."""
        for identity in identities:
            try:
                send_signal(identity, number)
            except OSError as error:
                self._refused[identity] = error.strerror or str(error)

    def survivors(self) -> list[Survivor]:
        """Who is still alive, and why as far as we know."""
        return [
            Survivor(identity.pid, command_of(identity.pid), self._refused.get(identity, "still alive after KILL"))
            for identity in self.living()
        ]


async def _end_tree(registry: Registry, job: Job) -> list[Survivor]:
    settings = registry.settings
    tree = _Tree(registry, job)
    await tree.look()
    if not job.hurry.is_set():
        tree.signal(tree.living(), signal.SIGTERM)
        tree.signal(tree.living(), signal.SIGCONT)  # a stopped process takes its TERM only when it goes on
        deadline = registry.loop.time() + (settings.term_grace_seconds or settings.kill_proof_seconds)
        while await _wait_for_death(registry, tree, deadline, job.hurry):
            new = await tree.look()
            if not new:
                return []
            tree.signal([row.identity for row in new], signal.SIGTERM)
        if settings.term_grace_seconds == 0 and not job.hurry.is_set():
            return tree.survivors()
    deadline = registry.loop.time() + settings.kill_proof_seconds
    while True:
        await tree.look()
        tree.signal(tree.living(), signal.SIGKILL)
        dead = await _wait_for_death(registry, tree, deadline, None)
        if not dead:
            return tree.survivors()
        if not await tree.look():
            return []


async def _wait_for_death(registry: Registry, tree: _Tree, deadline: float, hurry: asyncio.Event | None) -> bool:
    """True when all are dead; False at the deadline or when there is no more time to wait."""
    pause = _FIRST_LOOK_SECONDS
    while tree.living():
        left = deadline - registry.loop.time()
        if left <= 0 or (hurry is not None and hurry.is_set()):
            return False
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 2, _LATER_LOOKS_SECONDS)
    return True


def _survived(job: Job, survivors: list[Survivor]) -> Killed:
    named = ", ".join(f"{one.pid} ({one.why})" for one in survivors[:5])
    return Killed(
        status="error",
        session_id=job.session_id,
        error=f"{len(survivors)} of its processes could not be ended: {named}",
        survivors=tuple(survivors),
        process_running=True,
    )


def _already(job: Job) -> Killed:
    return Killed(
        status="already_exited",
        session_id=job.session_id,
        exit_code=job.exit_code,
        completion_reason=job.completion_reason,
        termination_source=job.termination_source or None,
    )
