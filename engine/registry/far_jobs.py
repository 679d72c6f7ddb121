"""Jobs on hosts: how they are started, let run, signalled and ended, and how a dead link is told (spec 4.7)."""

import signal as signals
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.hosts.ending import Order, end_there, signal_there
from engine.hosts.far_side import FarSide, LinkState
from engine.hosts.host import find_host
from engine.process.aside import aside
from engine.process.program import Program, find_program
from engine.process.stdin import StdinQueue
from engine.process.teardown import Teardown
from engine.process.tree import Tree
from engine.registry.job import Job, own_folder
from engine.registry.tap import Tap
from engine.results import Killed, Survivor
from engine.spec import JobSpec, SpecError

if TYPE_CHECKING:
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
    """Hold back the job's input until it has been let run over there."""
    stdin = link.stdin
    if not isinstance(stdin, StdinQueue):
        raise RuntimeError("a link without an input of its own can't let its job run")
    stdin.hold()
    if not job.spec.pty and job.spec.stdin == "null":
        stdin.close()  # once the line that lets it run is through

    def begin() -> None:
        registry.changed(job, at_once=True)  # its place is in the checkpoint from here on
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


async def end_over_there(registry: "Registry", job: Job) -> None:
    """End a job's far side, if it may live. What comes of it is in ``job.far``: `FarSide.may_live`, ``trouble``."""
    far, settings = job.far, registry.settings
    if far is None or not far.may_live or far.place is None:
        return
    if not far.host.entry.remote_kill:
        far.trouble = "remote_kill is off for this host"
        return
    order = Order(
        host=far.host,
        session_id=job.session_id,
        place=far.place,
        grace=None if job.hurry.is_set() else settings.term_grace_seconds,
        proof=settings.kill_proof_seconds,
        parent_first=job.spec.kill_order == "parent-first",
        seconds=settings.far_end_seconds,
    )
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
    return Killed(
        status="killed",
        session_id=job.session_id,
        exit_code=job.exit_code,
        completion_reason=job.completion_reason,
        termination_source=job.termination_source or None,
    )


def unreached(job: Job, far: FarSide) -> Killed:
    """The result of a kill that couldn't prove the far side's end."""
    words = far.place.words if far.place is not None else far.host.name
    return Killed(
        status="error",
        session_id=job.session_id,
        exit_code=job.exit_code,
        completion_reason=job.completion_reason,
        termination_source=job.termination_source or None,
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
    return f"{program} {how}; {far.place.words} ({far.host.name}) may still run"
