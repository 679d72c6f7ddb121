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
    """The end is recorded: tell it if that was asked for, unless a read of the owner's is about to."""
    job.completion.end(_Telling(registry, job) if job.notify_on_complete else None)


@contextmanager
def reading(registry: Registry, caller: Caller, job: Job) -> Iterator[Callable[[], None]]:
    """A verb that waits for the end and answers with it; call what this yields when it does.

    The owner's consumes the completion; for another's it is only not repeated to that one.
    """
    if not registry.owns(caller, job):
        yield lambda: job.completion.observe(caller)
        return
    with job.completion.owner_read():
        yield job.completion.consume


class _Telling:
    """See `Teller`."""

    def __init__(self, registry: Registry, job: Job) -> None:
        self._registry = registry
        self._job = job
        self._letter: Letter | None = None

    def tell(self, except_for: Sequence[Caller]) -> None:
        """See `Teller`."""
        job = self._job
        output, cut = line_tail(job, self._registry.settings.completion_tail_chars)
        self._letter = self._registry.broadcast.notify(
            job.owner.owner,
            lambda sequence, at: Completion(
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
            ),
            except_for=except_for,
        )

    def withdraw(self, reader: Caller | None) -> None:
        """See `Teller`."""
        if self._letter is not None:
            self._registry.broadcast.withdraw(self._letter, reader)
