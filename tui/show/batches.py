"""How agents, batches and what came of them are put in words."""

from engine.delegation import BatchView, ChildStatus, TaskResult
from engine.events import JobView
from tui.show.cleaning import clean, clean_line
from tui.show.states import GLYPHS, look, state_words
from tui.signals.batches import Batches, Entry

SIGN = "▾"
_GLYPHS = {
    ChildStatus.WAITING: "○",
    ChildStatus.RUNNING: "●",
    ChildStatus.DONE: "✓",
    ChildStatus.FAILED: "✗",
    ChildStatus.CANCELLED: "⊘",
}
_TONES = {ChildStatus.DONE: "good", ChildStatus.FAILED: "bad", ChildStatus.RUNNING: "wait"}


def progress(batch: BatchView) -> str:
    """``2/5``, with what didn't go well: ``4/5 · 1 ✗ · 1 ⊘``."""
    parts = [f"{batch.over}/{len(batch.handles)}"]
    for status in (ChildStatus.FAILED, ChildStatus.CANCELLED):
        if count := batch.count(status):
            parts.append(f"{count} {_GLYPHS[status]}")
    return " · ".join(parts)


def counts(batch: BatchView) -> str:
    """How one that is over went: ``3 of 5 done · 1 ✗``."""
    parts = [f"{batch.count(ChildStatus.DONE)} of {len(batch.handles)} done"]
    for status in (ChildStatus.FAILED, ChildStatus.CANCELLED):
        if count := batch.count(status):
            parts.append(f"{count} {_GLYPHS[status]}")
    return " · ".join(parts)


def batch_glyph(batch: BatchView) -> tuple[str, str]:
    """A batch's sign and its tone."""
    if batch.ended_at is None:
        return "●", "wait"
    if batch.status == "done":
        return "✓", "good"
    return ("✗", "bad") if batch.status == "error" else ("⊘", "ended")


def glyph(entry: Entry) -> tuple[str, str]:
    """An entry's sign and its tone."""
    if entry.handle is not None:
        return _GLYPHS[entry.handle.status], _TONES.get(entry.handle.status, "ended")
    if entry.batch is not None:
        return batch_glyph(entry.batch)
    if entry.job is None:
        return "?", "ended"
    seen = look(entry.job)
    ended = entry.job.exited_at is not None
    return GLYPHS[seen], "wait" if not ended else "bad" if entry.job.failed else "good"


def told(batches: Batches, entry: Entry) -> list[tuple[str, str]]:
    """What is known of it, as text with tones: of a batch all results in order."""
    if entry.job is not None:
        return _background(batches, entry.job)
    if entry.batch is None:
        return []
    results = {one.subagent_id: one for one in batches.results(entry.batch.batch_id) or ()}
    handles = entry.batch.handles if entry.handle is None else (entry.handle,)
    lines: list[tuple[str, str]] = []
    for handle in handles:
        result = results.get(handle.subagent_id)
        number = entry.batch.handles.index(handle) + 1
        sign = _GLYPHS[handle.status]
        lines.append((f"{sign} {number} · {clean_line(handle.goal, 300)}", "$foreground"))
        lines += _result(result) if result is not None else [(f"  {handle.status}", "$quiet")]
    if entry.handle is None and entry.batch.live_transcripts is not None:
        lines += [("", ""), (f"live: {entry.batch.live_transcripts.follow}", "$quiet")]
    return lines


def _result(result: TaskResult) -> list[tuple[str, str]]:
    lines = [(f"  {clean_line(result.error, 300)}", "$error")] if result.error else []
    if result.output_cut:
        lines.append((f"  … {result.output_cut:,} characters before this are in its pane", "$quiet"))
    return [*lines, *((f"  {line}", "$quiet") for line in _lines(result.output))]


def _background(batches: Batches, job: JobView) -> list[tuple[str, str]]:
    lines = [(f"{job.name or job.command} · {state_words(job)}", "$foreground")]
    said = batches.said(job.session_id) or job.last_line
    return [*lines, *((f"  {line}", "$quiet") for line in _lines(said))]


def _lines(text: str) -> list[str]:
    return [clean(line) for line in text.rstrip("\n").split("\n") if line.strip()]
