"""What the operator is told of his own accord: toasts for ends, notices and trouble."""

from collections.abc import Callable, Sequence

from engine.events import EngineNotice, Event, JobExited, JobView
from tui.keymap import BY_ID, key_name
from tui.show.ages import span
from tui.show.cleaning import clean_line
from tui.show.states import GLYPHS, Look, look, state_words

MANY = 3
"""From so many ends of one kind at once on, one toast speaks for all."""

Say = Callable[[str, str], None]
"""Shows a text with a severity."""


def tell(events: Sequence[Event], say: Say, *, current: Callable[[str], bool]) -> None:
    """Toasts for what the engine said. Kills by the operator and jobs that were restarted are told by their verbs.

    Args:
        events: What came, in order.
        say: Shows one toast.
        current: Is this session id still the one in its slot?
    """
    ended = [
        event.job
        for event in events
        if isinstance(event, JobExited) and current(event.job.session_id) and not _told_where_asked(event.job)
    ]
    bad = [job for job in ended if look(job) in (Look.FAILED, Look.LOST)]
    good = [job for job in ended if look(job) is Look.DONE]
    _say_all(bad, "error", "failed", say)
    _say_all(good, "information", "done", say)
    for event in events:
        if isinstance(event, EngineNotice):
            say(event.text, event.severity if event.severity in ("information", "warning", "error") else "warning")


def _told_where_asked(job: JobView) -> bool:
    """A start of the operator's own that failed: the dialog or the verb that asked for it says so."""
    return job.completion_reason == "failed_start" and not job.owner


def _say_all(jobs: Sequence[JobView], severity: str, word: str, say: Say) -> None:
    if len(jobs) > MANY:
        names = ", ".join(clean_line(job.name or job.command, 20) for job in jobs[:MANY])
        say(f"{GLYPHS[look(jobs[0])]} {len(jobs)} jobs {word}: {names} …", severity)
        return
    for job in jobs:
        say(_end(job), severity)


def _end(job: JobView) -> str:
    seen = look(job)
    name = clean_line(job.name or job.command, 40)
    text = f"{GLYPHS[seen]} {name} · {state_words(job)}"
    if job.exited_at is not None and job.completion_reason != "failed_start":
        text += f" after {span(job.exited_at - job.started_at)}"
    if seen is Look.FAILED:
        text += f" · {key_name(BY_ID['job.restart'].keys[0])} starts it again"
    said = clean_line(job.start_error or (job.last_line if seen is Look.FAILED else ""), 110)
    return f"{text}\n{said}" if said else text
