"""What a holder remembers of its job for the next engine, and making the job's watches again from it."""

from engine.events import JobState
from engine.ownership.held import Story, WatchStory
from engine.registry.job import Job


def story_of(job: Job) -> Story:
    """The job as it stands, but for its output."""
    return Story(
        spec=job.spec,
        owner=job.owner,
        slot=job.slot,
        cwd=job.cwd,
        started_at=job.started_at,
        through_shell=job.through_shell,
        goal_id=job.goal_id,
        goal_part=job.goal_part,
        batch_id=job.batch_id,
        replaces=job.replaces,
        pending_line_bytes=job.pending_line_bytes,
        notify_on_complete=job.notify_on_complete,
        watches=tuple(
            WatchStory(
                owner=owner,
                patterns=job.watching.patterns(owner),
                hits=job.watching.hits_of(owner),
                delivered=job.watching.delivered(owner),
                disabled=job.watching.disabled(owner),
                told_at=job.watching.told_at(owner),
            )
            for owner in job.watching.owners
        ),
        heartbeat_seconds=job.watching.heartbeat_seconds,
        ending=job.state is JobState.ENDING and job.kill is not None,
    )


def encoded_story(job: Job) -> bytes:
    """As it is sent."""
    return story_of(job).encode()
