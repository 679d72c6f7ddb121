"""A home none of whose engines is there any more: what its jobs left on the disk, asked as an engine is."""

import sys
import time
from typing import Any

from engine import Caller, Engine, Settings
from engine.notices.letter import may_receive
from engine.ownership.checkpoint import Checkpoint, Entry
from engine.ownership.conversations import UnknownToken, open_conversations
from engine.results import JobRow
from engine.store.home import home_folder
from engine.wire.short import Failed

_NOTHING_GOES = {"receipts_kept": 1_000_000, "receipts_kept_days": 1e6}
"""An engine that takes over what is left may need them: only such a one removes any."""


class OnDisk:
    """Results of ended jobs, and who lives on without an engine. A context manager; knows ``list``, ``poll``, ``wait``,
    ``log``, ``screen`` and ``results``."""

    def __init__(self, who: dict[str, Any]) -> None:
        """Look as this one (`reaching.whom`).

        Raises:
            Failed: Its token proves nothing.
            OSError: The home can't be read.
        """
        try:
            owner = "" if who.get("operator") else open_conversations().prove(who["token"]).id
        except UnknownToken as error:
            raise Failed({"message": str(error)}) from error
        self._caller = Caller(owner, async_delivery=False)
        self._engine = Engine(Settings(**_NOTHING_GOES), recovers=False)  # type: ignore[arg-type]

    def __enter__(self) -> "OnDisk":
        return self

    def __exit__(self, *_exc: object) -> None:
        self._engine.shutdown()

    def ask(self, method: str, params: dict[str, Any], timeout: float | None = None) -> Any:
        """As `Short.ask`."""
        verb = getattr(self._engine.api(self._caller), method)
        answer = verb(**params).result(timeout).to_dict()
        if method == "list":
            known = {row["session_id"] for row in answer["processes"]}
            living = [row.to_dict() for row in self._living() if row.session_id not in known]
            answer["processes"] = [*answer["processes"], *living]
        return answer

    def _living(self) -> list[JobRow]:
        """Jobs that go on under their holders, or got away from a dead engine."""
        entries = Checkpoint(home_folder(), lambda text: print(text, file=sys.stderr)).entries()  # noqa: T201
        caller = self._caller
        return [
            _row(entry)
            for entry in entries
            if entry.runs and (caller.is_operator or may_receive(entry.owner_task_id, caller))
        ]


def _row(entry: Entry) -> JobRow:
    return JobRow(
        session_id=entry.session_id,
        name=entry.name,
        command=entry.command,
        cwd=entry.cwd,
        pid=entry.pid,
        owner_task_id=entry.owner_task_id,
        started_at=entry.started_at,
        uptime_seconds=max(0.0, time.time() - entry.started_at),
        status="running",
        output_preview="",
        watch_patterns=(),
        watch_hit=False,
        notify_on_complete=entry.notify_on_complete,
        exit_code=None,
        exited_at=None,
        completion_reason=None,
        persist_on_release=entry.persist_on_release,
        detached=True,
        host=entry.host,
    )
