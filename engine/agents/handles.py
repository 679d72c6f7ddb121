"""Which batches and children this engine knows, and whose they are (spec 4.6). On its loop alone."""

from engine.agents.batch import Batch
from engine.agents.child import Child
from engine.agents.delivery import Delivery
from engine.delegation import BatchView
from engine.notices.postbox import Postbox
from engine.registry.ids import find_id
from engine.spec import Caller

_BATCH, _SUBAGENT = "deleg_", "sub_"


class Handles:
    """Batches of this engine by id, with their children, and those that earlier engines have left."""

    def __init__(self, postbox: Postbox, delivery: Delivery) -> None:
        self._postbox = postbox
        self._delivery = delivery
        self._batches: dict[str, Batch] = {}

    def add(self, batch: Batch) -> None:
        """A new one; of an id that is known the first stays."""
        self._batches.setdefault(batch.batch_id, batch)

    def forget(self, batch_id: str) -> None:
        """Nobody needs it any more."""
        self._batches.pop(batch_id, None)

    def get(self, batch_id: str) -> Batch | None:
        """One that this engine runs, or has run."""
        return self._batches.get(batch_id)

    def running(self) -> list[Batch]:
        """Those that aren't over."""
        return [batch for batch in self._batches.values() if not batch.over.is_set()]

    def views(self, caller: Caller) -> tuple[BatchView, ...]:
        """The batches that the caller may know of, oldest first."""
        found = {record.batch.batch_id: record.batch for record in self._delivery.all}
        found |= {batch_id: batch.view() for batch_id, batch in self._batches.items()}
        return tuple(sorted((view for view in found.values() if self.is_of(caller, view.owner)), key=_age))

    def is_of(self, caller: Caller, owner: str) -> bool:
        """May this caller know of what is this owner's?"""
        return caller.is_operator or self._postbox.proven(owner, caller)

    def find_batch(self, caller: Caller, wanted: str) -> str | None:
        """The whole id of a batch of the caller's."""
        return find_id(wanted, [view.batch_id for view in self.views(caller)], _BATCH)

    def find_child(self, caller: Caller, wanted: str) -> Child | None:
        """A child that this engine runs, or has run: by its own id, or its job's."""
        there = {
            child.subagent_id: child
            for batch in self._batches.values()
            if self.is_of(caller, batch.caller.owner)
            for child in batch.children
        }
        by_job = [child for child in there.values() if child.session_id and child.session_id == wanted]
        found = find_id(wanted, list(there), _SUBAGENT)
        return there[found] if found is not None else by_job[0] if by_job else None

    def child_that_asks(self, caller: Caller) -> Child | None:
        """The running child whose conversation this is, or whose continuation."""
        for batch in self.running():
            for child in batch.children:
                own = child.conversation
                if own is not None and not child.status.over and _is_within(caller.owner, own.id):
                    return child
        return None

    def nested(self, child: Child) -> list[Batch]:
        """What this child has dispatched in turn."""
        return [batch for batch in self._batches.values() if batch.parent == child.subagent_id]


def _age(view: BatchView) -> tuple[float, str]:
    return view.started_at, view.batch_id


def _is_within(owner: str, conversation: str) -> bool:
    """Is it this conversation or its continuation?"""
    return owner == conversation or owner.startswith(f"{conversation}.")
