"""An engine in another process, with the interface of one in this (spec 4.1)."""

import base64
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import msgspec

from engine.api.call import Call, EngineGone
from engine.api.protocol import Attachment
from engine.config import Configuration, Settings
from engine.replay import Sink
from engine.results import Refused
from engine.spec import SpecError
from engine.wire import messages
from engine.wire.failures import Refusal, raised_by
from engine.wire.link import Line, open_line
from engine.wire.messages import Answer, Attached, EngineInfo, Hello, Message, Welcome
from engine.wire.outputs import Outputs
from engine.wire.spoken import Spoken
from engine.wire.taker import Taker
from engine.wire.unasked import Events, Notices, Output, OutputPart
from engine.wire.verbs import Verb

_PATIENCE = {
    **dict.fromkeys(("wait", "batch_result", "await_room"), 180.0),
    **dict.fromkeys(("kill", "kill_all", "kill_started_since", "restart", "search"), 10.0),
    **dict.fromkeys(("delegate", "stop", "cancel"), 10.0),
}
"""Seconds that a call of these may rightly take."""


class RemoteEngine(Spoken):
    """An engine behind a socket. Its verbs are those of `EngineApi`, made from the table of `verbs`.

    Calls may be made on any thread. Answers, feeds' ``on_ready`` and sinks run on the wire's thread, which all remote
    engines share: they must not block.
    """

    def __init__(self, path: Path, hello: Hello, *, timeout: float = 5.0) -> None:
        """Connect and say hello.

        Raises:
            OSError: Nobody listens there, or it isn't ours.
            Refusal: The engine doesn't take us, or went meanwhile.
            TimeoutError: It didn't answer in ``timeout`` seconds.
        """
        self.path = path
        self.settings = Settings()
        self._lock = threading.Lock()
        self._number = 0
        self._waiting: dict[int, tuple[Future[Any], Callable[[Any], Any]]] = {}
        self._on_death: list[Callable[[], None]] = []
        self._gone = False
        self._events: Taker | None = None
        self._notices: Taker | None = None
        self._outputs = Outputs(self._notify)
        self._last_words = "the engine has gone"
        self._line: Line = open_line(path, self._came, self._lost)
        try:
            welcome = self._request("hello", hello, lambda raw: raw, raw=True).result(timeout)
        except EngineGone as error:
            raise Refusal(f"{path}: {error}") from error
        except BaseException:
            self._line.close()
            raise
        told = msgspec.json.decode(welcome, type=Welcome)
        self.info: EngineInfo = told.engine
        self.conversation, self.token = told.conversation, told.token
        self.settings = msgspec.json.decode(told.settings, type=Settings)
        self.configuration = Configuration(settings=self.settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close_connection()

    @property
    def alive(self) -> bool:
        """Is the connection there?"""
        return not self._gone

    def on_death(self, callback: Callable[[], None]) -> None:
        """Run ``callback`` on the wire's thread when the connection is lost; at once if it is."""
        with self._lock:
            gone = self._gone
            if not gone:
                self._on_death.append(callback)
        if gone:
            callback()

    def close_connection(self) -> None:
        """Hang up; calls that are still unanswered fail with `EngineGone`."""
        self._on_death.clear()
        self._line.close()

    def bye(self) -> Call[Any]:
        """The conversation ends, with its jobs; what the engine says of them."""
        from engine.results import ConversationEnded

        return self._request("bye", {}, lambda answer: msgspec.json.decode(answer.value, type=ConversationEnded))

    # -- streams ------------------------------------------------------------------------------------------------------

    def events(self, on_ready: Callable[[], None] | None = None) -> Any:
        """See `EngineApi`; one feed a connection."""
        if self._events is not None:
            raise RuntimeError("a connection has one feed of events")
        self._events = Taker(on_ready, lambda _sequence: self._notify("events_taken", {}))
        self._request("events", {}, lambda _answer: True)
        return self._events

    def notices(self, on_ready: Callable[[], None] | None = None) -> Any:
        """See `EngineApi`; one feed a connection."""
        if self._notices is not None:
            raise RuntimeError("a connection has one feed of notices")
        self._notices = Taker(on_ready, lambda sequence: self._notify("notices_taken", {"sequence": sequence}))
        self._request("notices", {}, lambda _answer: True)
        return self._notices

    def attach(
        self, session_id: str, at: int | None, sink: Sink, *, redacted: bool | None = None
    ) -> Call[Attachment | Refused]:
        """See `EngineApi`."""

        def attached(answer: Answer) -> Attachment | Refused:
            if answer.type == "Refused":
                return msgspec.json.decode(answer.value, type=Refused)
            return self._outputs.attach(msgspec.json.decode(answer.value, type=Attached).attachment, sink)

        params = {"session_id": session_id, "at": at, "redacted": redacted}
        return self._request("attach", params, attached)

    # -- calls --------------------------------------------------------------------------------------------------------

    def _say(self, verb: Verb, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call[Any]:
        arguments = dict(verb.signature.bind(self, *args, **kwargs).arguments)
        del arguments["self"]
        data = arguments.get("data")
        if isinstance(data, str) and not _is_text(data):
            raw = data.encode("utf-8", "surrogateescape")
            arguments = {**arguments, "data": "", "base64": base64.b64encode(raw).decode()}
        params = {
            name: list(value) if isinstance(value, set | frozenset) else value for name, value in arguments.items()
        }

        def decode(answer: Answer) -> Any:
            kind = verb.results.get(answer.type)
            if kind is None:
                raise RuntimeError(f"{verb.name} answered with an unknown {answer.type!r}: another version of jobdeck?")
            return msgspec.json.decode(answer.value, type=kind)

        return self._request(verb.name, params, decode)

    def _request(self, method: str, params: object, decode: Callable[[Any], Any], *, raw: bool = False) -> Call[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            self._number += 1
            number = self._number
            gone = self._gone
            if not gone:
                take: Callable[[Any], Any] = decode if raw else partial(_read, decode)
                self._waiting[number] = (future, take)
        call: Call[Any] = Call(future, method, _PATIENCE.get(method, 0.0))
        call.on_leave = lambda: self._notify("leave", {"id": number})
        if gone:
            future.set_exception(EngineGone("the engine has gone"))
            return call
        line = messages.request(number, method, params)
        if len(line) > messages.LONGEST_LINE:
            self._waiting.pop(number, None)
            future.set_exception(
                SpecError(f"{method}: too large, {len(line):,} bytes: {messages.LONGEST_LINE:,} is the most")
            )
            return call
        self._line.send(line)
        return call

    def _notify(self, method: str, params: object) -> None:
        self._line.send(messages.request(None, method, params))

    # -- what comes, on the wire's thread -----------------------------------------------------------------------------

    def _came(self, line: bytes) -> None:
        message = msgspec.json.decode(line, type=Message)
        match message.method:
            case "":
                self._answered(message)
            case "events" if self._events is not None:
                self._events.put(cast(list[Any], msgspec.json.decode(message.params, type=Events).events))
            case "notices" if self._notices is not None:
                self._notices.put(cast(list[Any], msgspec.json.decode(message.params, type=Notices).notices))
            case "output":
                self._outputs.take(msgspec.json.decode(message.params, type=Output))
            case "output_part":
                self._outputs.take_part(msgspec.json.decode(message.params, type=OutputPart))

    def _answered(self, message: Message) -> None:
        with self._lock:
            waiting = self._waiting.pop(message.id, None) if isinstance(message.id, int) else None
        if waiting is None:
            if message.id is None and message.error is not None:
                self._last_words = message.error.message
            return
        future, take = waiting
        if message.error is not None:
            future.set_exception(raised_by(message.error))
            return
        try:
            result = take(message.result)
        except Exception as error:  # noqa: BLE001  it is the asker's to handle
            future.set_exception(error)
        else:
            future.set_result(result)

    def _lost(self) -> None:
        with self._lock:
            self._gone = True
            waiting, self._waiting = list(self._waiting.values()), {}
            told, self._on_death = self._on_death, []
        for future, _decode in waiting:
            future.set_exception(EngineGone(self._last_words))
        for taker in (self._events, self._notices):
            if taker is not None:
                taker.close()
        for callback in told:
            callback()


def _read(decode: Callable[[Answer], Any], result: msgspec.Raw) -> Any:
    return decode(msgspec.json.decode(result, type=Answer))


def _is_text(data: str) -> bool:
    try:
        data.encode()
    except UnicodeEncodeError:
        return False
    return True
