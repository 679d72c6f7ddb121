"""What is said on the way out, and what becomes of each running job."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.events import JobView
from engine.waiting import GoalView
from tui.show.cleaning import clean_line
from tui.show.keeping import SWITCH, keeps

LISTED = 5
NAMED = 3
"""So many names stand in a sentence."""


class Fates(NamedTuple):
    """The running jobs by what leaving makes of them."""

    kept: tuple[JobView, ...]
    """They can live on."""
    ended: tuple[JobView, ...]
    """They end with jobdeck whatever is chosen."""


def fates(jobs: Sequence[JobView]) -> Fates:
    """Which of them can be kept."""
    return Fates(tuple(job for job in jobs if keeps(job)), tuple(job for job in jobs if not keeps(job)))


def name_of(job: JobView) -> str:
    """How a job is called in a sentence."""
    return clean_line(job.name or job.command, 40)


def named(jobs: Sequence[JobView]) -> str:
    """``api``, ``api and web``, ``api, web, db and 4 more``."""
    names = [name_of(job) for job in jobs[:NAMED]]
    if len(jobs) > NAMED:
        return f"{', '.join(names)} and {len(jobs) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def why_not_kept(ended: Sequence[JobView]) -> str:
    """Why these can't be kept."""
    if all(job.detached for job in ended):
        return "taken over without what could keep " + ("it" if len(ended) == 1 else "them")
    if all(job.host for job in ended):
        return f"{'it runs' if len(ended) == 1 else 'they run'} on another machine"
    started = "it wasn't started" if len(ended) == 1 else "they weren't started"
    return f"{started} with “{SWITCH}”"


def how_to_keep(ended: Sequence[JobView]) -> str:
    """What has them live on another time; empty where nothing has."""
    if all(job.detached or job.host or job.goal_id for job in ended):
        return ""
    return "persist = true in jobdeck.toml, for a job or under [settings] for all, keeps jobs from their next start on."


def left_jobs(kept: Sequence[JobView]) -> str:
    """What is said below the console when it has gone: these live on."""
    if not kept:
        return ""
    lines = _listed([f"{name_of(job)}  {job.session_id}" for job in kept])
    several = len(kept) > 1
    live, them = ("jobs live", "them") if several else ("job lives", "it")
    return f"{len(kept)} {live} on; 'jobdeck' shows {them} again:\n{lines}"


def left_goals(goals: Sequence[GoalView]) -> str:
    """What is said below the console when it has gone: these are saved, and how they go on."""
    if not goals:
        return ""
    lines = _listed([f"{goal.goal_id}  {clean_line(goal.goal, 60)}" for goal in goals])
    several = len(goals) > 1
    return (
        f"{'Goals that are' if several else 'A goal that is'} not done {'stay' if several else 'stays'} saved, and "
        f"{'go' if several else 'goes'} on when jobdeck is opened again, or by 'jobdeck goal resume ID':\n{lines}"
    )


def _listed(entries: Sequence[str]) -> str:
    """The first of them, each on a line of its own, and how many more there are."""
    more = [f"and {len(entries) - LISTED} more"] if len(entries) > LISTED else []
    return "\n".join(f"  {entry}" for entry in [*entries[:LISTED], *more])
