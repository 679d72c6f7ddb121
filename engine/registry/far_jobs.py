"""Jobs on hosts: how they are started, let run, signalled and ended, and how a dead link is told (spec 4.7)."""

import signal as signals
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.hosts.far_side import FarSide, LinkState, found_again
from engine.hosts.host import Host, find_host
from engine.place import Place
from engine.process.aside import aside
from engine.process.program import Program, find_program
from engine.process.stdin import StdinQueue
from engine.process.teardown import Teardown
from engine.process.tree import Tree
from engine.registry.job import Job, own_folder
from engine.registry.killed import killed_as_ended
from engine.registry.tap import Tap
from engine.results import Killed, Survivor
from engine.spec import JobSpec, SpecError

if TYPE_CHECKING:
    from engine.ownership.checkpoint import Entry
    from engine.process.child import ProcessLink
    from engine.registry.registry import Registry


def for_host(registry: "Registry", spec: JobSpec, tap: Tap | None) -> JobSpec:
    """The spec of a job that is to run on a host, once it is clear that it can.

    Raises:
        SpecError: There is no such host, or what is asked for can't be had there.
    """
    find_host(registry.configuration.hosts, spec.host)
    if tap is not None:
        raise SpecError("a command in the foreground runs here; start it in the background to have it on a host")
    if spec.persist_on_release:
        raise SpecError("a job on a host dies with the engine that has its link: persist_on_release can't be had there")
    return msgspec.structs.replace(spec, persist_on_release=False)


def far_program(far: FarSide, env: Mapping[str, str]) -> Program:
    """What is started here for a job on a host. Touches the disk: not for the engine's loop.

    Raises:
        ProgramError: The link's program isn't there.
    """
    folder, words = own_folder(), far.words()
    find_program(words[0], dict(env), folder)
    return Program(words, folder)


def connect_far(registry: "Registry", job: Job, far: FarSide, link: "ProcessLink") -> None:
    """See to it that the job is let run over there, and that nothing of its input comes before that.

    At a terminal what is typed until then is the link's: it may ask for a password.
    """
    stdin = link.stdin
    if not isinstance(stdin, StdinQueue):
        raise RuntimeError("a link without an input of its own can't let its job run")
    if not job.spec.pty:
        stdin.hold()
    if not job.spec.pty and job.spec.stdin == "null":
        stdin.close()  # once the line that lets it run is through

    def begin() -> None:
        if job.kill is None and not job.exit_seen:  # else its gate stays closed
            far.state = LinkState.UP
            job.pending_line_bytes = 0
            registry.changed(job, at_once=True)  # its place goes into the checkpoint
            if job.spec.pty:
                stdin.write_if_room(far.key)
            else:
                stdin.release(far.key)

    def end() -> None:
        registry.loop.call_later(registry.settings.link_end_seconds, _hang_up, registry, job)

    far.on_begin, far.on_end = begin, end


def _hang_up(registry: "Registry", job: Job) -> None:
    """The job has ended over there and its link hasn't: something that it left behind holds that open."""
    if job.exit_seen or job.kill is not None or job.identity is None:
        return
    tree = Tree(registry.probe, job.identity, job.session_id, with_escaped=False)
    registry.background(
        registry.loop.create_task(Teardown(tree, registry.settings, job.hurry, parent_first=False).run())
    )


def far_of(registry: "Registry", spec: JobSpec, session_id: str, place: Place | None) -> FarSide | None:
    """Where a job without a link may still run, as the disk tells it; None if there is no such host any more."""
    entry = registry.configuration.hosts.get(spec.host)
    if entry is None or place is None:
        return None
    return found_again(Host(spec.host, entry), spec, session_id, place)


def end_left_there(registry: "Registry", entry: "Entry") -> None:
    """A dead engine's job on a host is lost: what it left there dies as all else of that engine does."""
    spec = JobSpec(command=entry.command, host=entry.host, persist_on_release=False)
    far = far_of(registry, spec, entry.session_id, entry.place)
    if far is not None and far.host.entry.remote_kill:
        registry.background(registry.loop.create_task(_end_left(registry, entry, far)))


async def _end_left(registry: "Registry", entry: "Entry", far: FarSide) -> None:
    await _end_there(registry, far, entry.session_id, parent_first=False, at_once=False)
    if far.may_live and far.place is not None:
        registry.notice(
            f"{entry.name}: {far.place.words} ({far.host.name}) can't be proved to have ended: {far.trouble}; "
            "kill it when the host can be reached",
            session_id=entry.session_id,
            owner=entry.owner_task_id,
        )


async def end_over_there(registry: "Registry", job: Job) -> None:
    """End a job's far side, if it may live. What comes of it is in ``job.far``: `FarSide.may_live`, ``trouble``."""
    far = job.far
    if far is None or not far.may_live:
        return
    if not far.host.entry.remote_kill:
        far.trouble = "remote_kill is off for this host"
        return
    parent_first = job.spec.kill_order == "parent-first"
    await _end_there(registry, far, job.session_id, parent_first=parent_first, at_once=job.hurry.is_set())


async def _end_there(registry: "Registry", far: FarSide, session_id: str, *, parent_first: bool, at_once: bool) -> None:
    from engine.hosts.ending import Order, end_there  # with what other jobs don't need

    settings = registry.settings
    assert far.place is not None
    order = Order(
        host=far.host,
        session_id=session_id,
        place=far.place,
        grace=None if at_once else settings.term_grace_seconds,
        proof=settings.kill_proof_seconds,
        parent_first=parent_first,
        seconds=settings.far_end_seconds,
    )
    async with registry.ending_there:
        far.trouble = await aside("jobdeck-far-end", partial(end_there, order))
    if not far.trouble:
        far.state = LinkState.OVER


async def end_lost(registry: "Registry", job: Job) -> Killed:
    """Kill what a job whose link is dead has left over there."""
    far = job.far
    assert far is not None
    await end_over_there(registry, job)
    registry.changed(job, at_once=True)
    if far.may_live:
        return unreached(job, far)
    return killed_as_ended(job, "killed")


def unreached(job: Job, far: FarSide) -> Killed:
    """The result of a kill that couldn't prove the far side's end."""
    words = far.place.words if far.place is not None else far.host.name
    return msgspec.structs.replace(
        killed_as_ended(job, "error"),
        error=f"its link is closed, but {words} ({far.host.name}) can't be proved to have ended: {far.trouble}; "
        "kill it again when the host can be reached",
        survivors=(
            Survivor(far.place.pid if far.place is not None else 0, f"{job.name} on {far.host.name}", far.trouble),
        ),
    )


async def signal_far(registry: "Registry", job: Job, far: FarSide, number: signals.Signals) -> str:
    """Send a signal to a job's processes over there; empty, or why that couldn't be done."""
    if far.place is None:
        return f"it doesn't run on {far.host.name} yet"
    from engine.hosts.ending import signal_there

    name = number.name.removeprefix("SIG")
    send = partial(signal_there, far.host, job.session_id, far.place, name, registry.settings.link_seconds)
    return await aside("jobdeck-far-signal", send)


def lost_words(job: Job, code: int | None) -> str:
    """Why a link is no more: ``code`` is its own, never the job's."""
    far = job.far
    assert far is not None
    program = Path(far.host.entry.via[0]).name
    how = "has vanished" if code is None else f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
    if far.place is None:
        return f"{program} {how} before the command began on {far.host.name}; nothing ran"
    if far.never_ran:
        return f"{program} {how} and passes no input on, so the command could not be let run on {far.host.name}"
    if said := " ".join(far.link_said.decode("utf-8", "replace").split()):
        how += f" ({said})"
    return f"{program} {how}; {far.place.words} ({far.host.name}) may still run"
