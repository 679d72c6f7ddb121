"""Kills of many jobs, and turns, in-process; see `EndingApi` for what each does."""

from collections.abc import Collection

from engine.api.call import Call
from engine.api.hosting import Host
from engine.registry import bulk
from engine.results import KilledAll, Refused, RunningIds, TurnSaid
from engine.spec import Caller


class LocalEndings:
    """See `EndingApi`."""

    _host: Host
    _caller: Caller

    def kill_all(
        self,
        owner: str | None = None,
        exclude_ids: Collection[str] = (),
        source: str = "kill_all",
        consume_output: bool = False,
    ) -> Call[KilledAll | Refused]:
        """See `EndingApi`."""
        return self._host.call_async(
            "kill_all",
            lambda: bulk.kill_all(self._host.registry, self._caller, owner, exclude_ids, source, consume_output),
            self._kill_seconds,
        )

    def snapshot_running_ids(self, owner: str | None = None) -> Call[RunningIds | Refused]:
        """See `EndingApi`."""
        return self._host.call(
            "snapshot_running_ids", lambda: bulk.snapshot_running_ids(self._host.registry, self._caller, owner)
        )

    def kill_started_since(
        self, owner: str | None, baseline: Collection[str], source: str = "kill_all", consume_output: bool = False
    ) -> Call[KilledAll | Refused]:
        """See `EndingApi`."""
        return self._host.call_async(
            "kill_started_since",
            lambda: bulk.kill_started_since(self._host.registry, self._caller, owner, baseline, source, consume_output),
            self._kill_seconds,
        )

    def turn_begin(self) -> Call[TurnSaid]:
        """See `EndingApi`."""

        def begin() -> TurnSaid:
            return TurnSaid(status="open", turn_id=self._host.registry.turns.begin(self._caller.owner))

        return self._host.call("turn_begin", begin)

    def turn_end(self, turn_id: str = "") -> Call[TurnSaid]:
        """See `EndingApi`."""

        def end() -> TurnSaid:
            ended = self._host.registry.turns.end(self._caller.owner, turn_id)
            return TurnSaid(status="ended" if ended else "not_open", turn_id=ended or turn_id)

        return self._host.call("turn_end", end)

    def turn_abandon(self, turn_id: str = "") -> Call[KilledAll]:
        """See `EndingApi`."""

        async def abandon() -> KilledAll:
            ended = self._host.registry.turns.end(self._caller.owner, turn_id)
            return await bulk.abandon_turn(self._host.registry, ended) if ended else KilledAll(status="ok", killed=())

        return self._host.call_async("turn_abandon", abandon, self._kill_seconds)

    @property
    def _kill_seconds(self) -> float:
        settings = self._host.registry.settings
        here = settings.hold_seconds + settings.term_grace_seconds + settings.kill_proof_seconds
        return here + (settings.far_end_seconds if self._host.registry.configuration.hosts else 0.0)
