"""The bridge: the console's only code that knows the engine runs on another thread."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from engine import Attachment, Call, Configuration, EngineApi, EngineGone, EventFeed, Settings
from engine.events import Event
from engine.replay import StreamItem
from engine.results import Refused
from tui.bridge.mailbox import Mailbox
from tui.bridge.pump import Pump
from tui.bridge.stream import PaneStream, PaneTerminal
from tui.bridge.watchdog import Watchdog

T = TypeVar("T")


class LivingEngine(EngineApi, Protocol):
    """An engine as the console holds it: the operator's verbs, and word of its death."""

    @property
    def settings(self) -> Settings:
        """Its figures."""

    @property
    def configuration(self) -> Configuration:
        """What its files say now."""

    @property
    def alive(self) -> bool:
        """Does the engine's thread run?"""

    def on_death(self, callback: Callable[[], None]) -> object:
        """Run ``callback`` on the dying thread."""


class Listener(Protocol):
    """Who hears what comes over the bridge; always on the screen's loop."""

    def take_events(self, events: Sequence[Event]) -> None:
        """What the engine said, in order, all that came since the last time."""

    def overdue(self, what: str) -> None:
        """A call has had no answer for longer than it may take."""

    def engine_died(self) -> None:
        """The engine's thread has ended without having been asked to."""

    def visible_streams(self) -> Sequence[PaneStream]:
        """The streams of the panes that can be seen, the focused one first."""


class Bridge:
    """Makes calls and brings answers, events and output back to the loop that runs it."""

    def __init__(self, engine: LivingEngine, listener: Listener) -> None:
        self.engine = engine
        self._listener = listener
        self._mailbox = Mailbox(asyncio.get_running_loop())
        self.pump = Pump(listener.visible_streams)
        self._watchdog = Watchdog(lambda call: self._mailbox.put(listener.overdue, call.what))
        self._feed: EventFeed | None = None
        self.redact_panes = engine.settings.redact_panes
        """Are secrets masked in panes that attach from now on?"""

    def open(self) -> None:
        """Subscribe to events and begin to watch over calls."""
        self._watchdog.start()
        self.engine.on_death(lambda: self._mailbox.put(self._died, None))
        self._feed = self.engine.events(on_ready=lambda: self._mailbox.put(self._take_events, None))
        self._take_events(None)

    def close(self) -> None:
        """Hear nothing more. The engine and its jobs go on."""
        self.pump.stop()
        self._mailbox.close()
        self._watchdog.stop()
        if self._feed is not None:
            self._feed.close()

    async def ask(self, call: Call[T]) -> T:
        """The answer to a call, awaited on the screen's loop without holding it up.

        Raises:
            EngineGone: The engine ended before it answered.
        """
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def deliver(done: Call[T]) -> None:
            if answer.done():
                return
            error = done.future.exception()
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(done.future.result())

        self._send(call, deliver)
        return await answer

    def stream(self, terminal: PaneTerminal) -> PaneStream:
        """A new pane's stream; it attaches when it is told whose output to show."""
        return PaneStream(self, terminal)

    def attach(
        self,
        session_id: str,
        at: int | None,
        sink: Callable[[StreamItem], object],
        answer: Callable[[Attachment | Refused], object],
    ) -> None:
        """Have a job's output delivered to ``sink``, and the attachment to ``answer``, both on the loop."""

        def deliver(done: Call[Attachment | Refused]) -> None:
            error = done.future.exception()
            if error is None:
                answer(done.future.result())
            elif not isinstance(error, EngineGone):
                answer(Refused(status="error", error=str(error)))

        call = self.engine.attach(
            session_id, at, lambda item: self._mailbox.put(sink, item), redacted=self.redact_panes
        )
        self._send(call, deliver)

    def report(self, handler: Callable[[T], object], item: T) -> None:
        """Run ``handler(item)`` on the screen's loop. From any thread."""
        self._mailbox.put(handler, item)

    def _send(self, call: Call[Any], deliver: Callable[[Call[Any]], None]) -> None:
        self._watchdog.watch(call)

        def answered(done: Call[Any]) -> None:
            self._watchdog.answered(done)
            self._mailbox.put(deliver, done)

        call.when_done(answered)

    def _take_events(self, _: None) -> None:
        if self._feed is not None and (events := self._feed.take()):
            self._listener.take_events(events)

    def _died(self, _: None) -> None:
        self._listener.engine_died()
