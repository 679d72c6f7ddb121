"""What outlives jobdeck and what doesn't, in words: jobs that are kept, those taken over, results on the disk."""

from pathlib import Path

from engine.events import JobState, JobView
from engine.store.home import home_folder
from tui.show.cleaning import clean_line

KEPT = "∞"
"""The mark of a job that lives on when jobdeck ends."""
PENDING = "⇡"
"""The mark of a result that isn't on the disk yet."""
SWITCH = "keep when jobdeck ends"
"""What the switch is called that makes a job outlive jobdeck."""


def keeps(job: JobView) -> bool:
    """Does it run, and live on when jobdeck ends?"""
    return job.persist_on_release and not job.detached and job.state is not JobState.EXITED


def kept_words(job: JobView) -> str:
    """What becomes of a running job when jobdeck ends; empty for one that ends with it, as jobs do."""
    return f"{KEPT} kept when jobdeck ends" if keeps(job) else ""


def detached_words(kill_key: str) -> str:
    """What can be done with a job that was taken over without its streams."""
    return f"taken over without its output: {kill_key} ends it, its end will be told"


def raw_log(job: JobView) -> str:
    """The folder in which a job that is kept has more of its output than panes hold; empty for others."""
    if not keeps(job):
        return ""
    home, folder = str(Path.home()), str(home_folder() / "held" / job.session_id)
    return clean_line("~" + folder.removeprefix(home) if folder.startswith(f"{home}/") else folder)


def receipt_words(job: JobView) -> str:
    """Where a result stands that isn't safe yet; empty once it is, and for what runs."""
    return f"{PENDING} its result isn't on the disk yet; it is tried again" if job.receipt_pending else ""
