"""A job's state as glyph, word and tone: told apart by shape and word, by colour only besides."""

from enum import StrEnum

from engine.events import JobState, JobView
from engine.results import NOT_STARTED, JobUse
from tui.keymap import BY_ID, key_name
from tui.show.hosts import connecting


class Look(StrEnum):
    """What an operator tells apart. The value names the colour's component class as well."""

    STARTING = "starting"
    WAITING = "waiting"
    """Of the configuration file: it starts as soon as others are ready."""
    IDLE = "idle"
    """Of the configuration file, and not started."""
    RUNNING = "running"
    ASKS = "asks"
    """It perhaps waits for input."""
    STOPPED = "stopped"
    ENDING = "ending"
    DETACHED = "detached"
    """Taken over without its streams: it runs, and that is all one sees."""
    DONE = "done"
    FAILED = "failed"
    KILLED = "killed"
    LOST = "lost"


GLYPHS: dict[Look, str] = {
    Look.STARTING: "○",
    Look.WAITING: "○",
    Look.IDLE: "·",
    Look.RUNNING: "●",
    Look.ASKS: "◉",
    Look.STOPPED: "■",
    Look.ENDING: "◌",
    Look.DETACHED: "?",
    Look.DONE: "✓",
    Look.FAILED: "✗",
    Look.KILLED: "⊘",
    Look.LOST: "?",
}

LIVE = frozenset({Look.STARTING, Look.WAITING, Look.RUNNING, Look.ASKS, Look.STOPPED, Look.ENDING, Look.DETACHED})
"""The looks of jobs that still run."""


def look(job: JobView, use: JobUse | None = None) -> Look:
    """How a job looks now; ``use`` tells of one that runs whether it asks for something or stands still."""
    match job.state:
        case JobState.STARTING:
            return Look.STARTING if job.has_run else Look.WAITING
        case JobState.RUNNING:
            if connecting(job):
                return Look.STARTING
            if job.detached:
                return Look.DETACHED
            if use is not None and (use.stopped or use.waiting):
                return Look.STOPPED if use.stopped else Look.ASKS
            return Look.RUNNING
        case JobState.ENDING:
            return Look.ENDING
    if job.completion_reason == NOT_STARTED:
        return Look.IDLE
    if job.completion_reason == "lost":
        return Look.LOST
    if job.completion_reason == "killed":
        return Look.KILLED
    return Look.FAILED if job.failed else Look.DONE


def state_words(job: JobView, use: JobUse | None = None) -> str:
    """The state in a word or two: ``running``, ``stopped``, ``exit 1``, ``SIGSEGV``, ``killed``."""
    seen = look(job, use)
    if connecting(job):
        return "connecting"
    if seen in LIVE or seen is Look.KILLED:
        return str(seen)
    return job.label


def ending_words(job: JobView, grace: float) -> str:
    """That it is ending, how long it is given for that in seconds (0: as long as it takes), and what hurries it."""
    if job.exited_at is not None:
        return "ending"
    hurry = key_name(BY_ID["job.kill_now"].keys[0])
    return f"ending · has {grace:g} s · {hurry} kills now" if grace else f"ending · {hurry} kills now"
