"""How the status stack is laid out: groups, and one or two lines a job."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.delegation import BatchView
from tui.arranging import Arrangement, Grouping, Sort, grouped, in_order
from tui.keymap import BY_ID, key_name
from tui.show.ages import ago, clock
from tui.show.batches import SIGN, batch_glyph, progress
from tui.show.cleaning import clean_line
from tui.show.hosts import at_host, connecting
from tui.show.keeping import KEPT, PENDING, keeps
from tui.show.numbers import percent, short_bytes, short_count
from tui.show.states import GLYPHS, LIVE, Look, ending_words, look, state_words
from tui.store import Slot
from tui.widgets.line import Piece, cut, cut_middle, fitted, width_of

_BATCH_TONES = {"good": Look.DONE, "bad": Look.FAILED, "wait": Look.RUNNING}
LEAST_MARKS = 4
"""The cells that marks have at least, so that times stand below each other."""
RAIL_WIDTH = 30
"""Narrower than this, a job gets one line."""


USES_WIDTH = 36
"""Narrower than this, names need the room that processor and memory would take."""
_USES_CELLS = 11
ROOMY_WIDTH = 48
"""From this width on the mark of a kept job has its word below it."""
LEAST_SAID = 12
"""With fewer cells left, what a job said last isn't begun."""


BatchOf = Callable[[str], BatchView | None]
"""A batch as it stands, by its id."""


class Parking(NamedTuple):
    """Who waits for whom, of one job."""

    waits_for: str = ""
    """The goal whose step it is waits for this."""
    waited_by: tuple[str, ...] = ()


NOT_PARKED = Parking()


class StackLine(NamedTuple):
    """One line: a job's first or second, or a group's head (then ``slot_id`` is empty)."""

    slot_id: str
    second: bool = False
    head: str = ""
    batch: str = ""
    """The head of this batch's children."""


def lay_out(slots: Sequence[Slot], batch_of: BatchOf, arranged: Arrangement, *, rail: bool) -> list[StackLine]:
    """The lines of the stack: groups with their heads, and the jobs in each as they are sorted."""
    groups = grouped(slots, arranged.group)
    lines: list[StackLine] = []
    for group in groups:
        if group.head and (not rail or len(groups) > 1):
            if lines and not rail:
                lines.append(StackLine(""))
            lines.append(StackLine("", head=group.head))
        for batch_id, jobs in _units(in_order(group.slots, arranged.sort), batch_of, arranged):
            if batch_id:
                lines.append(StackLine("", batch=batch_id))
            for slot in jobs:
                lines.append(StackLine(slot.id))
                if not rail:
                    lines.append(StackLine(slot.id, second=True))
    return lines


def _units(jobs: list[Slot], batch_of: BatchOf, arranged: Arrangement) -> list[tuple[str, list[Slot]]]:
    """Batches are kept together below who gave them; in the order of their tasks, where no other was asked for."""
    if arranged.group is not Grouping.OWNER:
        return [("", jobs)]
    return _by_batch(jobs, batch_of, as_tasks=arranged.sort is Sort.START)


def _by_batch(jobs: list[Slot], batch_of: BatchOf, *, as_tasks: bool) -> list[tuple[str, list[Slot]]]:
    """The children of a batch together, where its first one stands; other jobs by themselves."""
    units: dict[str, tuple[str, list[Slot]]] = {}
    for slot in jobs:
        batch_id = slot.job.batch_id if slot.job.batch_id != slot.job.session_id else ""
        units.setdefault(batch_id or slot.id, (batch_id, []))[1].append(slot)
    for batch_id, children in units.values():
        batch = batch_of(batch_id) if batch_id and as_tasks else None
        if batch is not None:
            places = {handle.session_id: place for place, handle in enumerate(batch.handles)}
            children.sort(key=lambda slot: places.get(slot.job.session_id, len(places)))
    return list(units.values())


def batch_head(batch_id: str, batch: BatchView | None, width: int) -> list[Piece]:
    """``● review the parser  2/5``: a batch and how far it is."""
    if batch is None:
        return [Piece(fitted(f" {SIGN} {batch_id}", width), "head")]
    sign, tone = batch_glyph(batch)
    how = f"  {progress(batch)} "
    name = cut_middle(clean_line(batch.name, 100), max(0, width - 5 - len(how)))
    return [
        Piece(f" {SIGN} ", "head"),
        Piece(f"{sign} ", _BATCH_TONES.get(tone, "head")),
        Piece(name, "name"),
        Piece(how, "quiet"),
    ]


def first_line(slot: Slot, width: int, now: float, parking: Parking = NOT_PARKED) -> list[Piece]:
    """Glyph, name, time and marks. The styles are names of tones."""
    job, seen = slot.job, look(slot.job, slot.use)
    marks = _marks(slot, parking)
    marks.append(Piece(" " * max(1, LEAST_MARKS - width_of(marks))))
    since = clock(now - job.started_at) if seen in LIVE else ago(now - (job.exited_at or now))
    if seen is Look.IDLE:
        since = ""  # nothing has happened that could be so long ago
    elif seen is Look.WAITING:
        since = "waits"
    uses = _uses(slot, width)
    name = clean_line(job.name or job.command, 200) + at_host(job)
    room = width - 5 - len(since) - len(uses) - width_of(marks)
    pieces = [
        Piece(f" {GLYPHS[seen]} ", seen),
        Piece(cut_middle(name, room), "name" if seen in LIVE else "ended"),
        Piece(f" {since}{uses} ", "quiet"),
        *marks,
    ]
    return [*pieces, Piece(" " * max(0, width - width_of(pieces)))]


def _uses(slot: Slot, width: int) -> str:
    """Processor and memory of its tree, in columns of their own; nothing in a rail, or of one that has ended."""
    if width < USES_WIDTH or not slot.live:
        return ""
    if slot.use is None:
        return " " * _USES_CELLS
    cpu = "" if slot.use.cpu is None else percent(slot.use.cpu)
    return f"{cpu:>5} {short_bytes(slot.use.rss):>5}"


def _marks(slot: Slot, parking: Parking) -> list[Piece]:
    new = ("!" if slot.rang else "") + ("•" if slot.unseen else "")
    pieces = []
    if keeps(slot.job):
        pieces.append(Piece(KEPT, "quiet"))
    if slot.job.receipt_pending:
        pieces.append(Piece(PENDING, "mark"))
    if slot.job.hits:
        sign, tone = ("⚐", "quiet") if slot.job.watch_disabled else ("⚑", "hits")
        pieces.append(Piece(f"{sign}{short_count(slot.job.hits)}", tone))
    if parking != NOT_PARKED:
        pieces.append(Piece(f"{' ' if pieces else ''}◷", "waits"))
    if new:
        pieces.append(Piece(new, "mark"))
    return pieces


def second_line(slot: Slot, width: int, grace: float, parking: Parking = NOT_PARKED) -> list[Piece]:
    """What the job said last; for an ended one first how it ended, for an ending one how long it has."""
    job, seen = slot.job, look(slot.job, slot.use)
    pieces = [Piece("   ")]
    if seen is Look.WAITING:
        pieces.append(Piece(clean_line(job.waits, 200), "waits"))
    elif seen is Look.STOPPED:
        pieces.append(Piece(state_words(job, slot.use), seen))
    elif seen is Look.ENDING:
        pieces.append(Piece(ending_words(job, grace), seen))
    elif seen is Look.DETACHED:
        pieces.append(Piece(f"detached · {key_name(BY_ID['job.kill'].keys[0])} ends it", seen))
    elif seen is Look.RUNNING and job.waits:
        pieces.append(
            Piece(f"{clean_line(job.waits, 80)} · {key_name(BY_ID['job.restart'].keys[0])} restarts it", "waits")
        )
    elif connecting(job):
        pieces.append(Piece(f"connecting to {clean_line(job.host, 24)}", seen))
    elif seen not in LIVE:
        pieces.append(Piece(state_words(job), seen))
        pieces.append(Piece(f" · {clean_line(job.waits, 80)}" if job.waits else "", "waits"))
        pieces.append(Piece(" · not saved yet" if job.receipt_pending else "", "mark"))
    waits = _waiting(parking)
    if waits:
        pieces.append(Piece((" · " if len(pieces) > 1 else "") + waits, "waits"))
    said = clean_line(job.start_error or job.last_line, 200)
    if said and width_of(pieces) + LEAST_SAID < width:
        pieces.append(Piece(" · " if len(pieces) > 1 else "", "faint"))
        pieces.append(Piece(said, "quiet"))
    word = f" kept{' ' * (LEAST_MARKS - 1)}" if keeps(job) and width >= ROOMY_WIDTH else " "
    shown = cut(pieces, width - len(word))
    return [*shown, Piece(" " * max(0, width - len(word) - width_of(shown))), Piece(word, "quiet")]


def _waiting(parking: Parking) -> str:
    if parking.waits_for:
        return f"parked {parking.waits_for}"
    if not parking.waited_by:
        return ""
    more = f" and {len(parking.waited_by) - 1} more" if len(parking.waited_by) > 1 else ""
    return f"◷ awaited by {clean_line(parking.waited_by[0], 60)}{more}"
