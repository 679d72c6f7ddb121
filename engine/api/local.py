"""`EngineApi` in-process: each method makes one call on the engine's loop, bound to one caller."""

import asyncio
from collections.abc import Callable, Sequence

from engine.api.agents import LocalAgents
from engine.api.call import Call
from engine.api.conversation import LocalConversation
from engine.api.endings import LocalEndings
from engine.api.goals import LocalGoals
from engine.api.hosting import Host
from engine.api.inspection import LocalInspection
from engine.api.protocol import Attachment, EventFeed, NoticeFeed
from engine.api.receipts import LocalReceipts
from engine.notices.inbox import Inbox
from engine.registry import alerts, attach, kill, read, restart, start, steer
from engine.registry.feed import Feed
from engine.replay import Sink
from engine.results import AlertsSet, Done, Killed, Listed, Logged, Polled, Refused, Started, Waited, Written
from engine.spec import Caller, JobSpec


class LocalApi(LocalGoals, LocalEndings, LocalConversation, LocalInspection, LocalReceipts, LocalAgents):
    """See `EngineApi` for what each method does."""

    def __init__(self, host: Host, caller: Caller) -> None:
        super().__init__(host, caller)

    def spawn(self, spec: JobSpec) -> Call[Started]:
        """See `EngineApi`."""
        return self._host.call_async("spawn", lambda: start.spawn(self._host.registry, self._caller, spec))

    def list(self) -> Call[Listed]:
        """See `EngineApi`."""
        return self._host.call_async("list", lambda: read.list_jobs(self._host.registry, self._caller))

    def poll(self, session_id: str, since: int | None = None) -> Call[Polled | Refused]:
        """See `EngineApi`."""
        return self._host.call_async("poll", lambda: read.poll(self._host.registry, self._caller, session_id, since))

    def wait(self, session_id: str, timeout: float | None = None) -> Call[Waited | Refused]:
        """See `EngineApi`."""
        settings = self._host.registry.settings
        patience = min(timeout or settings.wait_max_seconds, settings.wait_max_seconds)
        away = asyncio.Event()
        call = self._host.call_async(
            "wait", lambda: read.wait(self._host.registry, self._caller, session_id, timeout, away), patience
        )
        call.on_leave = lambda: self._host.post(away.set)
        return call

    def log(
        self, session_id: str, offset: int | None = None, limit: int | None = None, raw: bool = False
    ) -> Call[Logged | Refused]:
        """See `EngineApi`."""
        return self._host.call_async(
            "log", lambda: read.log(self._host.registry, self._caller, session_id, offset, limit, raw=raw)
        )

    def write(self, session_id: str, data: str) -> Call[Written | Refused]:
        """See `EngineApi`."""
        return self._host.call("write", lambda: steer.write(self._host.registry, self._caller, session_id, data))

    def type_in(self, session_id: str, data: str) -> Call[Written | Refused]:
        """See `EngineApi`."""
        return self._host.call("write", lambda: steer.type_in(self._host.registry, self._caller, session_id, data))

    def submit(self, session_id: str, data: str) -> Call[Written | Refused]:
        """See `EngineApi`."""
        return self._host.call("submit", lambda: steer.submit(self._host.registry, self._caller, session_id, data))

    def close(self, session_id: str) -> Call[Written | Refused]:
        """See `EngineApi`."""
        return self._host.call("close", lambda: steer.close(self._host.registry, self._caller, session_id))

    def kill(
        self, session_id: str, now: bool = False, source: str = "", escaped: bool = False
    ) -> Call[Killed | Refused]:
        """See `EngineApi`."""
        return self._host.call_async(
            "kill",
            lambda: kill.kill(self._host.registry, self._caller, session_id, now=now, source=source, escaped=escaped),
            self._kill_seconds,
        )

    def signal(self, session_id: str, name: str) -> Call[Done | Refused]:
        """See `EngineApi`."""
        return self._host.call_async(
            "signal", lambda: steer.signal(self._host.registry, self._caller, session_id, name), self._kill_seconds
        )

    def restart(self, session_id: str) -> Call[Started | Refused]:
        """See `EngineApi`."""
        return self._host.call_async(
            "restart", lambda: restart.restart(self._host.registry, self._caller, session_id), self._kill_seconds
        )

    def dismiss(self, session_id: str) -> Call[Done | Refused]:
        """See `EngineApi`."""
        return self._host.call("dismiss", lambda: steer.dismiss(self._host.registry, self._caller, session_id))

    def resize(self, session_id: str, cols: int, rows: int) -> Call[Done | Refused]:
        """See `EngineApi`."""
        return self._host.call(
            "resize", lambda: steer.resize(self._host.registry, self._caller, session_id, cols, rows)
        )

    def set_watches(self, session_id: str, patterns: Sequence[str]) -> Call[AlertsSet | Refused]:
        """See `EngineApi`."""
        wanted = tuple(patterns)
        return self._host.call(
            "set_watches", lambda: alerts.set_watches(self._host.registry, self._caller, session_id, wanted)
        )

    def set_notify(self, session_id: str, on: bool) -> Call[AlertsSet | Refused]:
        """See `EngineApi`."""
        return self._host.call(
            "set_notify", lambda: alerts.set_notify(self._host.registry, self._caller, session_id, on)
        )

    def set_heartbeat(self, session_id: str, seconds: float) -> Call[AlertsSet | Refused]:
        """See `EngineApi`."""
        return self._host.call(
            "set_heartbeat", lambda: alerts.set_heartbeat(self._host.registry, self._caller, session_id, seconds)
        )

    def events(self, on_ready: Callable[[], None] | None = None) -> EventFeed:
        """See `EngineApi`."""
        feed = Feed(
            on_ready,
            lambda closed: self._host.post(lambda: self._host.registry.broadcast.unsubscribe(closed)),
            self._caller,
        )
        self._host.post(lambda: self._host.registry.subscribe(feed))
        return feed

    def notices(self, on_ready: Callable[[], None] | None = None) -> NoticeFeed:
        """See `EngineApi`."""
        inbox = Inbox(
            on_ready,
            lambda closed: self._host.post(lambda: self._host.registry.broadcast.postbox.disconnect(closed)),
            self._caller,
        )
        self._host.post(lambda: self._host.registry.broadcast.receive(inbox))
        return inbox

    def attach(
        self, session_id: str, at: int | None, sink: Sink, *, redacted: bool | None = None
    ) -> Call[Attachment | Refused]:
        """See `EngineApi`."""
        return self._host.call(
            "attach", lambda: attach.attach(self._host.registry, self._caller, session_id, at, sink, redacted)
        )
