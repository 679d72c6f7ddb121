"""The verb that tells what a person would see on a job's terminal: screen (spec 1.6)."""

import asyncio

from engine.output.live_screen import LiveScreen
from engine.redact import redact
from engine.registry.recall import find_anywhere
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.registry.unstarted import missing
from engine.results import Cursor, Refused, Screened
from engine.spec import Caller

_SLICE_SECONDS = 0.004


async def screen(registry: Registry, caller: Caller, session_id: str) -> Screened | Refused:
    """The rendered terminal at one moment, secrets masked; made from what is kept, others get their turn meanwhile."""
    job = await find_anywhere(registry, caller, session_id)
    if job is None:
        return missing(registry, caller, "screen", session_id)
    if not job.spec.pty:
        return refused("screen", f"{job.session_id} runs on pipes and draws no screen; read its log")
    live = LiveScreen(job.stream.buffer, job.stream.buffer.end, lambda _answer: None)
    while live.advance(_SLICE_SECONDS):
        await asyncio.sleep(0)
    shown = live.screen
    rows = [row.rstrip() for row in shown.display]
    lines = redact("\n".join(rows), assignments=job.reveals).split("\n")
    return Screened(
        status="exited" if job.finished else "running",
        session_id=job.session_id,
        lines=tuple(lines),
        cursor=Cursor(row=shown.cursor.y, col=shown.cursor.x, hidden=shown.cursor.hidden),
        cols=shown.columns,
        rows=shown.lines,
        alternate=shown.alternate,
        title=redact(shown.title),
    )
