"""What the operator is told of his own accord: toasts for ends, releases, notices, by the display mode."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from engine.events import (
    BarrierReleased,
    BatchDone,
    Completion,
    EngineNotice,
    Event,
    GoalChanged,
    Heartbeat,
    WatchDisabled,
    WatchHit,
)
from tui.keymap import BY_ID, key_name
from tui.show.ages import span
from tui.show.batches import batch_glyph
from tui.show.cleaning import clean_line
from tui.show.waits import awaited, outcome

VARIABLE = "JOBDECK_NOTIFICATIONS"
LISTED = 3
"""So many names stand in a banner for several ends."""
TAIL_LINES, RESULT_LINES = 2, 8


class Mode(StrEnum):
    """How much is told."""

    CONCISE = "concise"
    """A line for each end; a failure adds its tail."""
    ALL = "all"
    """Hits and heartbeats too."""
    RESULT = "result"
    """The end of the output with each end."""
    ERROR = "error"
    """Only what failed."""
    OFF = "off"
    """Nothing; the feed has it."""


def mode_of(setting: str, environ: Mapping[str, str]) -> tuple[Mode, str]:
    """The mode that holds, and what is wrong with the one that was asked for (else empty)."""
    wanted, source = (environ[VARIABLE], VARIABLE) if environ.get(VARIABLE) else (setting, "notifications")
    try:
        return Mode(wanted.strip().lower()), ""
    except ValueError:
        modes = ", ".join(Mode)
        return Mode.CONCISE, f"{source} is one of {modes}, not '{clean_line(wanted, 40)}': concise holds"


class Toast:
    """One thing to tell."""

    def __init__(
        self, text: str, severity: str = "information", lines: int = 1 + TAIL_LINES, *, outside: str = ""
    ) -> None:
        self.text, self.severity = text, severity
        self.lines = lines
        """So many lines of it are shown."""
        self.outside = outside
        """What is told of it to who looks elsewhere; empty: nothing."""


def wanted(ended: Sequence[Completion], mode: Mode) -> list[Completion]:
    """Those of the ends that the mode wants told."""
    if mode is Mode.OFF:
        return []
    return [one for one in ended if not _told_where_asked(one) and (one.failed or mode is not Mode.ERROR)]


def hit_wanted(hit: WatchHit, mode: Mode) -> bool:
    """Does the mode want this hit told to who looks elsewhere? Of what the operator watches himself more than of what
    agents do."""
    if not hit.delivered or mode in (Mode.ERROR, Mode.OFF):
        return False
    return mode is Mode.ALL or not hit.owner


def completions(ended: Sequence[Completion], mode: Mode) -> list[Toast]:
    """The ends that came together: one banner, with a failure never hidden inside it."""
    told = wanted(ended, mode)
    if not told:
        return []
    if len(told) == 1:
        return [_completion(told[0], mode)]
    bad = [one for one in told if one.failed]
    good = [one for one in told if not one.failed]
    lines = []
    if bad:
        of = f" of {len(told)}" if good else ""
        lines.append(f"✗ {len(bad)}{of} jobs failed: {_names(bad, how=True)}")
    if good:
        lines.append(f"✓ {len(good)} jobs ended: {_names(good, how=False)}")
    return [Toast("\n".join(lines), "error" if bad else "information")]


def _names(ended: Sequence[Completion], *, how: bool) -> str:
    named = []
    for one in ended[:LISTED]:
        _, words = glyph_and_words(one)
        name = clean_line(one.name or one.command, 20)
        named.append(f"{name} ({words.removeprefix('failed (').removesuffix(')')})" if how else name)
    return ", ".join(named) + (f" and {len(ended) - LISTED} more" if len(ended) > LISTED else "")


def glyph_and_words(end: Completion) -> tuple[str, str]:
    """The sign of an end, and the end in words."""
    first, _, rest = end.text.partition(" ")
    if first in ("✓", "✗"):
        return first, rest
    lost = end.completion_reason == "lost" or end.exit_code is None
    return ("⊘" if not end.failed else "?" if lost else "✗"), end.text


def _told_where_asked(end: Completion) -> bool:
    """A start of the operator's own that failed: the dialog or the verb that asked for it says so."""
    return end.completion_reason == "failed_start" and not end.owner


def _completion(end: Completion, mode: Mode) -> Toast:
    glyph, words = glyph_and_words(end)
    text = f"{glyph} {clean_line(end.name or end.command, 40)} {words}"
    if end.completion_reason != "failed_start":
        text += f" after {span(end.exited_at - end.started_at)}"
    if end.failed:
        text += f" · {key_name(BY_ID['job.restart'].keys[0])} starts it again"
    said = end.start_error or end.output
    background = end.session_id.startswith("bg_")
    most = RESULT_LINES if mode is Mode.RESULT or background else TAIL_LINES if end.failed else 0
    tail = [line.rstrip() for line in said.rstrip().split("\n") if line.strip()][-most:] if most else []
    return Toast("\n".join([text, *tail]), "error" if end.failed else "information", 1 + most)


def others(event: Event, mode: Mode, name_of: Callable[[str], str]) -> Toast | None:
    """What is told of anything but an end."""
    toast = _other(event, mode, name_of)
    if toast is None or mode is Mode.OFF or (mode is Mode.ERROR and toast.severity == "information"):
        return None
    return toast


def _other(event: Event, mode: Mode, name_of: Callable[[str], str]) -> Toast | None:
    match event:
        case EngineNotice():
            known = event.severity in ("information", "warning", "error")
            return Toast(event.text, event.severity if known else "warning")
        case WatchDisabled():
            told = " · its end will be told" if event.notify_on_complete else ""
            name = clean_line(name_of(event.session_id), 40)
            return Toast(f"⚑ {name} is no longer watched: {event.why}{told}", "warning")
        case BarrierReleased(barrier=barrier) if not barrier.goal_id:
            return _released(event, name_of(barrier.session_id) if barrier.session_id else "")
        case GoalChanged(goal=goal) if goal.status == "done":  # that one is paused is told by a notice
            text = f"✓ goal “{clean_line(goal.goal, 60)}” is done after {goal.turns_used} turns"
            return Toast(text, outside=text)
        case BatchDone():
            glyph, _tone = batch_glyph(event.batch)
            key = key_name(BY_ID["agents.open"].keys[0])
            text = f"{glyph} agents: {clean_line(event.batch.name, 40)} · {event.text}"
            return Toast(f"{text} · {key} reads it", "error" if event.failed else "information", outside=text)
        case WatchHit(delivered=True) if mode is Mode.ALL:
            return Toast(f"⚑ {clean_line(name_of(event.session_id), 40)} · {clean_line(event.text, 120)}")
        case Heartbeat() if mode is Mode.ALL:
            last = event.output.rstrip().rsplit("\n", 1)[-1]
            return Toast(f"♥ {clean_line(name_of(event.session_id), 40)} · {clean_line(last, 120)}")
    return None


def _released(event: BarrierReleased, name: str) -> Toast | None:
    barrier, release = event.barrier, event.release
    if release.outcome in ("lifted", "replaced"):
        return None  # who did it knows
    why = clean_line(barrier.reason, 60) + ": " if barrier.reason else ""
    glyph = "✓" if release.happened else "✗"
    text = f"{glyph} {why}wait {awaited(barrier, name)} · {outcome(release)}"
    if release.then_session_id:
        text += f" · {clean_line(barrier.then, 60)} runs"
    elif barrier.then and not release.happened:
        text += f" · {clean_line(barrier.then, 60)} was not run"
    return Toast(text, "information" if release.happened else "warning", outside=text)
