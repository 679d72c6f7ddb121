"""Taking over a job that an earlier engine left under its holder: output, input, size, watches, end (spec 3.4)."""

import asyncio
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from socket import socket
from typing import NamedTuple

from engine.events import JobStarted, JobState
from engine.output.stream import OutputStream
from engine.ownership.calling import HolderError, is_alone, reached
from engine.ownership.held import Held, Story, decode_story, held_folder
from engine.ownership.held_link import Busy, HeldLink
from engine.ownership.history import History, Piece, read_history
from engine.ownership.holding import frames
from engine.ownership.holding.folder import read_exit, read_holder, remove_folder
from engine.ownership.holding.frames import frame
from engine.ownership.holding.log import Start
from engine.ownership.ledger import boot_id
from engine.process.aside import aside
from engine.process.identity import Identity, identify, is_alive, send_signal
from engine.registry import alerts
from engine.registry.holding import watch_holder
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.scoping import found_scope
from engine.registry.start import connect
from engine.registry.watching import Watching
from engine.spec import SpecError
from engine.store.home import home_folder

_ANSWER_SECONDS = 15.0
_LEAVING_SECONDS = 2.0
_SLICE_BYTES = 262_144
"""So much of a history is taken in before others get their turn."""


class Outcome(StrEnum):
    """What became of an attempt to take over a held job."""

    ADOPTED = "adopted"
    """It is a job of ours, whole; if it has ended meanwhile, its end follows as any job's does."""
    TAKEN = "taken"
    """A living engine has it: its entry is that one's to change."""
    SILENT = "silent"
    """Its holder lives and doesn't answer (stopped, or a disk that hangs): nothing was done."""
    GONE = "gone"
    """There is no holder; or there was, and the job's end has a receipt already."""


class Adoption(NamedTuple):
    """How it went. ``exit_code`` and ``exited_at``: of one that is gone, where its holder has left them behind."""

    outcome: Outcome
    job: Job | None = None
    exit_code: int | None = None
    exited_at: float | None = None


async def readopt(registry: Registry, held: Held) -> Adoption:
    """Take over this job, unless another living engine has it. Announces it as started; never raises."""
    link: HeldLink | None = None
    try:
        link = await _reach(registry, held)
        if link is None:
            return await _gone(held)
        if link.standing.status is not None and await aside("jobdeck-held", partial(_recorded, registry, held)):
            link.collected()  # its engine died between writing that down and letting the holder know
            return Adoption(Outcome.GONE)
        async with registry.taking_over:
            return Adoption(Outcome.ADOPTED, await _take_over(registry, held, link))
    except Busy:
        return Adoption(Outcome.TAKEN)
    except Exception as error:  # noqa: BLE001  one that can't be taken over keeps nobody from the others
        if link is not None:
            link.let_go()
        # One whose job is over and recorded doesn't listen any more, and is about to end.
        if await registry.ends.ended(held.holder, _LEAVING_SECONDS):
            return await _gone(held)
        registry.trouble(f"{held.session_id} can't be taken over from its holder", error)
        return Adoption(Outcome.SILENT)


async def forget(registry: Registry, held: Held) -> None:
    """Its end is known and on the disk (a receipt): let its holder go and remove its folder. Never raises."""
    try:
        link = await _reach(registry, held)
        if link is not None and link.standing.status is not None:
            link.collected()
        elif link is not None:
            link.let_go()  # it runs: its end isn't known after all
        else:
            await aside("jobdeck-forget", lambda: remove_folder(str(_folder(held))))
    except (Busy, OSError, HolderError):
        return


def find_held() -> list[Held]:
    """The held jobs of this home by their folders, checkpoint or not. Blocks: not for the loop."""
    found = []
    with suppress(OSError):
        for folder in sorted(held_folder(home_folder()).iterdir()):
            noted = read_holder(str(folder))
            if noted is not None:
                found.append(Held(session_id=folder.name, **vars(noted)))
    return found


async def _reach(registry: Registry, held: Held) -> HeldLink | None:
    """A link to its holder, which has said how the job stands; None if there is none any more.

    Raises:
        Busy, OSError, HolderError: It can't be had.
    """
    if held.boot != boot_id() or not is_alive(held.holder):
        return None
    folder = _folder(held)
    try:
        sock = await aside("jobdeck-holder", partial(reached, folder, held.holder_pid), socket.close)
    except OSError as error:
        if is_alone(error) and not is_alive(held.holder):
            return None
        raise
    link = HeldLink(registry.loop, sock, folder, registry.settings)
    ourselves = identify(os.getpid()) or Identity(os.getpid(), 0)
    await link.ask(frame(frames.HELLO, ourselves.pid, float(ourselves.start_time)), _ANSWER_SECONDS)
    return link


async def _gone(held: Held) -> Adoption:
    noted = await aside("jobdeck-holder", lambda: read_exit(str(_folder(held))))
    return Adoption(Outcome.GONE) if noted is None else Adoption(Outcome.GONE, None, *noted)


def _recorded(registry: Registry, held: Held) -> bool:
    return registry.retained.folder.path(held.session_id).exists()


async def _take_over(registry: Registry, held: Held, link: HeldLink) -> Job:
    standing, settings = link.standing, registry.settings
    story = decode_story(standing.story)
    end = Start(standing.end, standing.end_char, standing.end_feeds, standing.end_pending, standing.cols, standing.rows)
    history = await aside(
        "jobdeck-history",
        lambda: read_history(_folder(held), end, least_chars=settings.replay_chars, wanted=standing.seen),
    )
    job = _job(registry, held, link, story, history)
    stream = job.stream
    await _take_in(stream, (piece for piece in history.pieces if piece.byte < standing.seen), until=standing.seen)
    _watch_again(registry, job, story, standing.looked)
    stream.on_text = job.watching.text_came
    unheard = stream.buffer.end
    await _take_in(stream, (piece for piece in history.pieces if piece.end > standing.seen), since=standing.seen)
    if stream.buffer.end == unheard:
        job.watching.look_at_unfinished()
    if job.spec.pty:
        job.cols, job.rows = standing.cols, standing.rows
        stream.buffer.marks.add_size(stream.buffer.end, job.cols, job.rows)
    if story.ending:
        await _let_go_on(registry, job)
    if registry.closing.is_set():
        raise HolderError("the engine is shutting down")
    registry.add(job)
    registry.owned.keep(held, job.command)
    registry.publish(lambda sequence, at: JobStarted(sequence, at, job.view()))
    watch_holder(registry, job, link)
    connect(registry, job, link)
    registry.output_came(job, stream.buffer.kept)
    return job


def _job(registry: Registry, held: Held, link: HeldLink, story: Story, history: History) -> Job:
    spec, start = story.spec, history.start
    cols, rows = (start.cols, start.rows) if spec.pty and start.cols else (spec.cols, spec.rows)
    stream = OutputStream(registry.loop, registry.settings, cols, rows, pty=spec.pty)
    if start.byte:
        stream.resume(start.char, start.feeds, start.pending, cols, rows)
    job = Job(
        held.session_id,
        spec,
        story.owner,
        stream,
        slot=story.slot,
        goal_id=story.goal_id,
        goal_part=story.goal_part,
    )
    job.batch_id = story.batch_id
    job.replaces, job.pending_line_bytes = story.replaces, story.pending_line_bytes
    job.link, job.identity, job.held = link, link.identity, held
    job.scope = found_scope(job.session_id, link.identity.pid, registry.settings)
    job.recovered, job.state = True, JobState.RUNNING
    job.cwd, job.started_at, job.through_shell = story.cwd, story.started_at, story.through_shell
    job.notify_on_complete = story.notify_on_complete
    job.watching = Watching(registry, job)
    return job


async def _take_in(stream: OutputStream, pieces: Iterable[Piece], *, since: int = 0, until: int | None = None) -> None:
    """Feed what is kept between two bytes, with its times and sizes; others get their turn."""
    taken = 0
    for piece in pieces:
        data = piece.data[max(0, since - piece.byte) : None if until is None else max(0, until - piece.byte)]
        if piece.size is not None and piece.byte >= since:
            stream.buffer.marks.add_size(stream.buffer.end, *piece.size)
        stream.feed(data, at=piece.at)
        taken += len(data)
        if taken >= _SLICE_BYTES:
            taken = 0
            await asyncio.sleep(0)


def _watch_again(registry: Registry, job: Job, story: Story, looked: int) -> None:
    """From here on lines are looked at that nobody has looked at yet."""
    for watch in story.watches:
        try:
            patterns = alerts.compiled(watch.patterns)
        except SpecError as error:
            registry.trouble(f"a watch on {job.session_id} can't be taken over", error)
            continue
        if patterns is not None:
            job.watching.resume(watch, patterns, looked)
    job.watching.beat(story.heartbeat_seconds)


async def _let_go_on(registry: Registry, job: Job) -> None:
    """A kill was under way, in which processes are stopped: nobody else lets them go on."""
    look = await registry.probe.look()
    for row in look.table.tree(job.identity, marked=[row.pid for row in look.marked.get(job.session_id, ())]):
        if row.state == "T":
            with suppress(OSError):
                send_signal(row.identity, signal.SIGCONT)


def _folder(held: Held) -> Path:
    return held_folder(home_folder()) / held.session_id
