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
    ended = [event.job for event in events if isinstance(event, JobExited) and current(event.job.session_id)]
    bad = [job for job in ended if look(job) in (Look.FAILED, Look.LOST)]
    good = [job for job in ended if look(job) is Look.DONE]
    _say_all(bad, "error", "failed", say)
    _say_all(good, "information", "done", say)
    for event in events:
        if isinstance(event, EngineNotice):
            say(event.text, event.severity if event.severity in ("information", "warning", "error") else "warning")


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
    if job.start_error:
        text += f"\n{clean_line(job.start_error)}"
    elif seen is Look.FAILED:
        said = clean_line(job.last_line, 120)
        text += f"\n{said}" if said else ""
        text += f"\n{key_name(BY_ID['job.restart'].keys[0])} starts it again"
    return text
