"""A job's completion: made at its end, told or not by what its owner has read (spec 2.2)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from engine.events import Completion
from engine.notices.letter import Letter
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.tails import line_tail
from engine.spec import Caller


def tell_completion(registry: Registry, job: Job) -> None:
    """The end is recorded: tell it if that was asked for, unless a read of the owner's is about to. What was lost with
    its engine is told to whoever owns it."""
    lost = job.detached and job.completion_reason == "lost" and bool(job.owner.owner) and not job.batch_id
    job.completion.end(_Telling(registry, job) if job.notify_on_complete or lost else None)


def once_told(registry: Registry, job: Job, then: Callable[[], None]) -> None:
    """Take away, by ``then``, what the disk has of a job that has ended, so that an engine that comes after us still
    tells its end: at once while the checkpoint has the job, else when its completion is on the disk.

    ``then`` may be called on the writer's thread.
    """
    if job.completion.asked and not registry.checkpoint.has(job.session_id):
        job.completion.when_settled(lambda: registry.undelivered.once_written(then))
    else:
        then()


@contextmanager
def reading(registry: Registry, caller: Caller, job: Job) -> Iterator[Callable[[], None]]:
    """A verb that waits for the end and answers with it; call what this yields when it does.

    The owner's consumes the completion; for another's it is only not repeated to that one.
    """
    if not registry.owns(caller, job):
        yield lambda: job.completion.observe(caller)
        return

    def consume() -> None:
        job.completion.consume()
        registry.told(job.session_id)

    with job.completion.owner_read():
        yield consume


def completion_of(registry: Registry, job: Job, sequence: int, at: float) -> Completion:
    """What a finished job's completion says."""
    output, cut = line_tail(job, registry.settings.completion_tail_chars)
    return Completion(
        sequence=sequence,
        at=at,
        session_id=job.session_id,
        name=job.name,
        command=job.command,
        owner=job.owner.owner,
        exit_code=job.exit_code,
        completion_reason=job.completion_reason or "exited",
        termination_source=job.termination_source,
        output=output,
        output_cut=cut,
        started_at=job.started_at,
        exited_at=job.exited_at or job.started_at,
        start_error=redact(job.start_error),
        through_shell=job.through_shell,
    )


def told_before(registry: Registry, job: Job) -> None:
    """It ended in an earlier engine: what tells it and hasn't been taken is taken back once its owner reads the end."""
    letter = registry.undelivered.completion_of(job.session_id)
    job.completion.end(None)
    if letter is not None:
        telling = _Telling(registry, job)
        telling.letter = letter
        job.completion.told_by(telling)


class _Telling:
    """See `Teller`."""

    def __init__(self, registry: Registry, job: Job) -> None:
        self._registry = registry
        self._job = job
        self.letter: Letter | None = None

    def tell(self, except_for: Sequence[Caller]) -> None:
        """See `Teller`."""
        registry, job = self._registry, self._job
        self.letter = registry.broadcast.notify(
            job.owner.owner,
            lambda sequence, at: completion_of(registry, job, sequence, at),
            except_for=except_for,
        )

    def withdraw(self, reader: Caller | None) -> None:
        """See `Teller`."""
        if self.letter is not None:
            self._registry.broadcast.withdraw(self.letter, reader)
