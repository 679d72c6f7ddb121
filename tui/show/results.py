"""Retained results in words: how a job ended, when, and how much of its output there is."""

import time

from engine.events import JobView
from engine.results import ResultRow
from tui.show.numbers import short_count
from tui.show.owners import whose
from tui.show.states import Look

MARK = "↩"
"""What is shown comes from the disk."""


def ended_as(result: ResultRow) -> Look:
    """How it ended."""
    if result.completion_reason == "lost":
        return Look.LOST
    if result.completion_reason == "killed":
        return Look.KILLED
    return Look.DONE if result.exit_code == 0 else Look.FAILED


def end_words(result: ResultRow) -> str:
    """The end in a word or two."""
    return "killed" if result.completion_reason == "killed" else result.label


def when(at: float, now: float) -> str:
    """A time of the last days: ``14:03`` today, else ``28 Nov 14:03``."""
    there, today = time.localtime(at), time.localtime(now)
    same = (there.tm_year, there.tm_yday) == (today.tm_year, today.tm_yday)
    return time.strftime("%H:%M" if same else "%d %b %H:%M", there)


def size(chars: int) -> str:
    """How much it printed."""
    return f"{short_count(chars)} chars" if chars else "no output"


def owner(result: ResultRow) -> str:
    """Whose job it was."""
    return whose(result.owner_task_id)


def matches(result: ResultRow, text: str) -> bool:
    """Does this stand somewhere in its row?"""
    row = " ".join((result.name, end_words(result), owner(result), result.command, result.session_id))
    return " ".join(text.lower().split()) in row.lower()


def read_back(job: JobView) -> bool:
    """Was it ended when this engine came, so that its receipt is all there is of it?"""
    return job.recovered and job.exited_at is not None and job.pid is None


def only_masked(job: JobView) -> bool:
    """Is the command known masked alone? For a job of the file that says what is to run."""
    return read_back(job) and not job.place


def read_back_words(job: JobView, most: int) -> str:
    """That a pane shows a receipt, and how much of the output is in it (at most so many characters)."""
    if job.completion_reason == "lost" and not job.total_output_chars:
        return f"{MARK} what it printed went with the jobdeck that died"
    there = f"the last {most:,} characters" if job.total_output_chars > most else "all of its output"
    return f"{MARK} read back from its receipt, secrets masked · {there}"
