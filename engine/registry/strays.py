"""Processes that an ended job left behind: named until they end, known to the supervisor until then, ended on request.

A job's group stays registered while somebody is in it. Those who left it carry the job's id, by which the supervisor
seeks them.
"""

from collections.abc import Callable, Iterable
from functools import partial

from engine.process.aside import aside
from engine.process.identity import Identity, is_alive
from engine.process.table import Row, command_of, open_files_of
from engine.process.teardown import Teardown
from engine.process.tree import Tree, marked_in
from engine.redact import redact_command
from engine.registry.completing import once_told
from engine.registry.job import Job, Stray
from engine.registry.registry import Registry
from engine.registry.scoping import let_go
from engine.results import EscapedProcess, Killed


async def find_strays(
    registry: Registry, job: Job, leader: Identity | None, output_names: set[str]
) -> dict[Identity, Stray]:
    """Who of a job still lives though its direct child is dead; ``leader`` None if its number is no longer the job's.

    Raises:
        OSError: The processes of this machine can't be listed.
    """
    look = await registry.probe.look()
    marked = [row.pid for row in marked_in(look, job.session_id, job.members)]
    rows = [row for row in look.table.tree(leader, marked=marked) if row.identity != leader]
    return await describe(rows, output_names)


async def describe(rows: Iterable[Row], output_names: set[str]) -> dict[Identity, Stray]:
    """What they are called, and who has any of ``output_names`` open."""
    listed = tuple(rows)

    def stray(row: Row) -> Stray:
        holds = bool(output_names and output_names & open_files_of(row.pid))
        return Stray(row, EscapedProcess(row.pid, redact_command(command_of(row.pid)), holds))

    return await aside("jobdeck-describe", lambda: {row.identity: stray(row) for row in listed}) if listed else {}


def watch_strays(registry: Registry, job: Job) -> None:
    """From now on take who has ended out of ``job.strays``, and let the supervisor know who is left."""
    for identity in job.strays:
        registry.ends.watch(identity, partial(_gone, registry, job, identity))
    _settle(registry, job)


def _gone(registry: Registry, job: Job, identity: Identity) -> None:
    if job.strays.pop(identity, None) is not None and not registry.closing.is_set():
        registry.changed(job, at_once=True)
        registry.background(registry.loop.create_task(_look_again(registry, job)))


async def _look_again(registry: Registry, job: Job) -> None:
    """One of them has ended, and may have started others since it was found."""
    leader = job.identity if job.identity and registry.owned.owns(job.identity.pid) else None
    try:
        found = await find_strays(registry, job, leader, set())
    except OSError as error:
        registry.trouble(f"what {job.session_id} left behind can't be looked for", error)
        return  # its group stays registered
    new = {identity: stray for identity, stray in found.items() if identity not in job.strays}
    job.strays.update(new)
    for identity in new:
        registry.ends.watch(identity, partial(_gone, registry, job, identity))
    if new:
        registry.changed(job, at_once=True)
    _settle(registry, job)


def _settle(registry: Registry, job: Job) -> None:
    """The number of a group becomes somebody else's once nobody is in it."""
    if job.identity is None:
        return
    group = job.identity.pid
    once = partial(once_told, registry, job)
    if any(group in (stray.row.group, stray.row.session) for stray in job.strays.values()):
        registry.owned.settle(group, once)
        return
    if job.held is not None:
        pass  # who is left of a job that outlives us may do so too
    elif job.strays:
        registry.supervisor.seek(job.session_id)  # before the group is let go: we may die in between
    else:
        registry.supervisor.forget(job.session_id)
    registry.owned.disown(group, once)
    if not job.strays:
        let_go(registry, job)


async def end_strays(registry: Registry, job: Job, ended: Killed) -> Killed:
    """End who was left behind, with grace; ``ended`` is what there is to say of the job itself."""
    named = job.escaped
    tree = Tree(registry.probe, None, job.session_id, tuple(job.strays), with_escaped=True, members=job.members)
    try:
        survivors = await Teardown(tree, registry.settings, job.hurry, parent_first=False).run()
    finally:
        job.hurry.clear()
    lost = {one.pid for one in survivors}
    return Killed(
        status="error" if survivors else ended.status,
        session_id=job.session_id,
        output=ended.output,
        output_cut=ended.output_cut,
        exit_code=ended.exit_code,
        completion_reason=ended.completion_reason,
        termination_source=ended.termination_source,
        error=f"{len(survivors)} of what it left behind could not be ended" if survivors else None,
        survivors=tuple(survivors),
        escaped_ended=tuple(one for one in named if one.pid not in lost),
    )


def watch_unended(registry: Registry, job: Job, who: list[Identity], conclude: Callable[[], None]) -> None:
    """A kill left these alive though the direct child is dead: the job ends when they do, if no other kill ends it."""
    job.unended = tuple(who)

    def look() -> None:
        if not job.finished and job.kill is None and not any(is_alive(one) for one in job.unended):
            conclude()

    if not who:
        look()
    for identity in who:
        registry.ends.watch(identity, look)
