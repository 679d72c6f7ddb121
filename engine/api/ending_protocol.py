"""The part of `EngineApi` that ends many jobs at once, and what was started in a turn (spec 1.7, 3.8)."""

from collections.abc import Collection
from typing import Protocol

from engine.api.call import Call
from engine.results import KilledAll, Refused, RunningIds, TurnSaid


class EndingApi(Protocol):
    """Bulk kills pass jobs by that outlive their owner. ``owner`` None: every job that the caller sees."""

    def kill_all(
        self,
        owner: str | None = None,
        exclude_ids: Collection[str] = (),
        source: str = "kill_all",
        consume_output: bool = False,
    ) -> Call[KilledAll | Refused]:
        """End all running jobs, at the same time; ``consume_output``: their completions are told to nobody."""

    def snapshot_running_ids(self, owner: str | None = None) -> Call[RunningIds | Refused]:
        """Which jobs run now: a baseline."""

    def kill_started_since(
        self, owner: str | None, baseline: Collection[str], source: str = "kill_all", consume_output: bool = False
    ) -> Call[KilledAll | Refused]:
        """End the owner's running jobs that aren't in the baseline."""

    def turn_begin(self) -> Call[TurnSaid]:
        """The caller begins a turn; one that is open still has ended by that. Each of its calls is a sign of life."""

    def turn_end(self, turn_id: str = "") -> Call[TurnSaid]:
        """The turn is over, and what it left running was left on purpose: no later stop ends that."""

    def turn_abandon(self, turn_id: str = "") -> Call[KilledAll]:
        """The turn is stopped: end what was started in it and runs still. Nothing, if it isn't open (any more)."""
