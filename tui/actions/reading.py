"""All of a wait or of a row of the feed, where the list shows only its beginning."""

import time

from engine.waiting import BarrierView
from tui.actions.jumping import go_to_row
from tui.actions.registry import Deck
from tui.screens.reading import Reading
from tui.show.cleaning import clean, clean_line
from tui.show.waits import awaited, how_long, outcome, when
from tui.signals.hit_log import GLYPHS, MOST_CHARACTERS, Row
from tui.signals.waits import Released

Lines = list[tuple[str, str]]


async def read_row(deck: Deck, row: Row) -> None:
    """Show the row; from there on to its job."""
    slot = deck.store.job(row.session_id)
    at = time.strftime("%H:%M:%S", time.localtime(row.at))
    lines: Lines = [(clean_line(part), "$quiet") for part in (_pattern(row), row.note) if part]
    cut = "…" if len(row.text) >= MOST_CHARACTERS else ""
    lines.append((clean(row.text.expandtabs()) + cut, "$foreground"))
    if row.session_id and slot is None:
        lines.append(("Its output is no longer here: it was restarted or taken off the list.", "$warning"))
    go = "" if slot is None else "Go to line" if row.line >= 0 else "Go to job"
    title = " ".join(part for part in (GLYPHS[row.kind], at, clean_line(row.name, 100)) if part)
    if await deck.show_dialog(Reading(title, lines, go)) and slot is not None:
        await go_to_row(deck, row, slot)


def _pattern(row: Row) -> str:
    where = f"line {row.line + 1:,}" if row.line >= 0 else ""
    return " · ".join(part for part in (where, row.pattern and f"matches {row.pattern}") if part)


async def read_wait(deck: Deck, item: BarrierView | Released) -> bool:
    """Show the wait. True: the operator wants to go to its job."""
    barrier, release = (item.barrier, item.release) if isinstance(item, Released) else (item, None)
    name = deck.store.name_of(barrier.session_id)
    lines: Lines = [(clean_line(barrier.reason), "$foreground")] if barrier.reason else []
    if release is None:
        lines.append((how_long(barrier, time.time()), "$foreground"))
    elif isinstance(item, Released):
        lines.append((f"{outcome(release)} · {when(item.at)}", "$foreground"))
    if barrier.then:
        ran = "then " if release is None else "then ran " if release.then_session_id else "not run: "
        lines.append((ran + clean_line(barrier.then, 2_000), "$quiet"))
    glyph = "◷" if release is None else "✓" if release.happened else "⊘" if release.outcome == "lifted" else "✗"
    title = f"{glyph} wait {awaited(barrier, name if name != barrier.session_id else '')}"
    there = (release.then_session_id if release is not None else "") or barrier.session_id
    go = "Go to job" if deck.store.job(there) is not None else ""
    return bool(await deck.show_dialog(Reading(title, lines, go)))
