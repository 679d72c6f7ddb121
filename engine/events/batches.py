"""What is said of batches of agents."""

import msgspec

from engine.delegation import BatchView, ChildStatus, TaskResult


class BatchChanged(msgspec.Struct, frozen=True, tag=True):
    """A batch of agents stands otherwise than before."""

    sequence: int
    at: float
    batch: BatchView


class BatchDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A batch's one completion: told exactly once, to who dispatched it and to the operator's consoles."""

    sequence: int
    at: float
    batch: BatchView
    results: tuple[TaskResult, ...]
    """In the order of the tasks."""

    @property
    def owner(self) -> str:
        """The conversation it is addressed to; empty for the operator."""
        return self.batch.owner

    @property
    def failed(self) -> bool:
        """Have all children failed?"""
        return self.batch.status == "error"

    @property
    def text(self) -> str:
        """How it went in words: ``3 of 5 done, 1 failed, 1 cancelled``."""
        count = self.batch.count
        parts = [f"{count(ChildStatus.DONE)} of {len(self.batch.handles)} done"]
        parts += [f"{count(one)} {one}" for one in (ChildStatus.FAILED, ChildStatus.CANCELLED) if count(one)]
        return ", ".join(parts)
