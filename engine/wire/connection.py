"""One client of an engine's socket. Lives on the engine's loop (spec 4.2)."""

import asyncio
import base64
import binascii
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from engine.api.call import Call
from engine.api.protocol import EngineApi
from engine.spec import Caller
from engine.wire import VERSION, messages
from engine.wire.failures import failure_of
from engine.wire.messages import Answer, Hello, Message, Welcome
from engine.wire.peer import is_ours
from engine.wire.streams import Streams
from engine.wire.verbs import OPERATOR_ONLY, verbs

_HELLO_SECONDS = 10.0
_FULL_BYTES = 1_048_576
"""With so much unsent nothing more is read from a client, and no event is taken for it."""
_MOST_CALLS = 256
"""Unanswered calls of one client; what it sends above waits in its socket."""

Params = msgspec.Struct


class Admitted(msgspec.Struct, frozen=True):
    """Who a client is, and what it is told."""

    caller: Caller
    welcome: Welcome


class Door(Protocol):
    """The engine, as a connection sees it."""

    def admit(self, hello: Hello) -> Admitted:
        """Who this is.

        Raises:
            UnknownToken: A token proves nothing.
        """

    def api(self, caller: Caller) -> EngineApi:
        """The engine's verbs for this caller."""

    def bye(self, caller: Caller) -> "Call[Any]":
        """The conversation ends."""

    def left(self, connection: "Connection", caller: Caller | None, *, said_bye: bool) -> None:
        """The client is gone."""


class Connection(asyncio.Protocol):
    """Reads lines, calls verbs, writes answers. What a client does wrong ends at most its own connection."""

    def __init__(self, door: Door, loop: asyncio.AbstractEventLoop) -> None:
        self._door = door
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._api: EngineApi | None = None
        self._streams: Streams | None = None
        self._calls: dict[int | str, Call[Any]] = {}
        self._full = False
        self._reading = True
        self._said_bye = False
        self._deadline: asyncio.TimerHandle | None = None
        self.caller: Caller | None = None
        """Who it is, once it has said so."""

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Only processes of our own user are heard."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=_FULL_BYTES)
        peer = transport.get_extra_info("socket")
        if peer is None or not is_ours(peer):
            transport.abort()
            return
        self._deadline = self._loop.call_later(_HELLO_SECONDS, self._hang_up, "no hello came")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Whoever waited for an answer waits no longer; what wasn't taken is kept."""
        if self._deadline is not None:
            self._deadline.cancel()
        for call in tuple(self._calls.values()):
            call.leave()
        self._calls.clear()
        if self._streams is not None:
            self._streams.close()
        self._door.left(self, self.caller, said_bye=self._said_bye)

    def pause_writing(self) -> None:
        """It doesn't read: so nothing more is read from it, nor taken for it."""
        self._full = True
        self._weigh()

    def resume_writing(self) -> None:
        """It reads again."""
        self._full = False
        self._weigh()
        if self._streams is not None:
            self._streams.go_on()

    def data_received(self, data: bytes) -> None:
        """Whole lines are messages."""
        self._received += data
        self._take_lines()

    def _take_lines(self) -> None:
        while self._transport is not None and not self._transport.is_closing():
            if self._full or len(self._calls) >= _MOST_CALLS:
                break  # the rest is taken when there is room
            end = self._received.find(b"\n")
            if end < 0:
                if len(self._received) > messages.LONGEST_LINE:
                    self._hang_up(f"a line of more than {messages.LONGEST_LINE:,} bytes")
                break
            line = bytes(self._received[:end])
            del self._received[: end + 1]
            if len(line) > messages.LONGEST_LINE:
                self._hang_up(f"a line of more than {messages.LONGEST_LINE:,} bytes")
                return
            if line.strip():
                self._take(line)
        self._weigh()

    def _weigh(self) -> None:
        """Read on only while there is room for answers."""
        if self._transport is None or self._transport.is_closing():
            return
        wanted = not self._full and len(self._calls) < _MOST_CALLS
        if wanted != self._reading:
            self._reading = wanted
            if wanted:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    # A message

    def _take(self, line: bytes) -> None:
        try:
            message = msgspec.json.decode(line, type=Message)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self._answer(messages.failure(None, messages.PARSE_ERROR, f"not a JSON-RPC message: {error}"))
            self._hang_up("garbage")
            return
        if message.jsonrpc != "2.0" or not message.method:
            code = messages.INVALID_REQUEST
            self._answer(messages.failure(message.id, code, 'a request has "jsonrpc": "2.0" and a "method"'))
            return
        try:
            self._do(message)
        except msgspec.ValidationError as error:
            text = f"{message.method}: {error}"
            self._answer(messages.failure(message.id, messages.INVALID_PARAMS, text))
        except Exception as error:  # noqa: BLE001  one message costs no other anything
            self._answer(failure_of(message.id, error))

    def _do(self, message: Message) -> None:
        if message.method == "hello":
            self._hello(message)
        elif self._api is None or self._streams is None or self.caller is None:
            self._answer(messages.failure(message.id, messages.INVALID_REQUEST, "the first request is hello"))
        elif message.id is None:
            self._notified(self._streams, message)
        elif message.method == "bye":
            self._said_bye = True
            self._call(message.id, self._door.bye(self.caller))
        elif message.method in Streams.METHODS:
            self._streams.begin(message)
        else:
            self._verb(self._api, self.caller, message, message.id)

    def _hello(self, message: Message) -> None:
        if self._api is not None:
            self._answer(messages.failure(message.id, messages.INVALID_REQUEST, "hello is said once"))
            return
        hello = msgspec.json.decode(message.params, type=Hello)
        if hello.version != VERSION:
            text = f"this engine speaks version {VERSION} of the wire, not {hello.version}: use its jobdeck"
            self._answer(messages.failure(message.id, messages.INVALID_PARAMS, text))
            return
        admitted = self._door.admit(hello)
        self.caller = admitted.caller
        self._api = self._door.api(admitted.caller)
        self._streams = Streams(self._api, self._answer, lambda: not self._full, self._loop)
        if self._deadline is not None:
            self._deadline.cancel()
        self._answer(messages.answer(message.id, admitted.welcome))

    def _notified(self, streams: Streams, message: Message) -> None:
        if message.method == "leave":
            call = self._calls.get(msgspec.json.decode(message.params, type=_Leave).id)
            if call is not None:
                call.leave()
        else:
            streams.notified(message)

    def _verb(self, api: EngineApi, caller: Caller, message: Message, id: int | str) -> None:
        verb = verbs().get(message.method)
        if verb is None or (verb.name in OPERATOR_ONLY and not caller.is_operator):
            text = f"there is no method {message.method!r} for you"
            self._answer(messages.failure(id, messages.NO_SUCH_METHOD, text))
            return
        if id in self._calls:
            self._answer(messages.failure(id, messages.INVALID_REQUEST, f"the id {id!r} is still in use"))
            return
        params = msgspec.json.decode(message.params, type=verb.params)
        arguments = {name: getattr(params, name) for name in verb.signature.parameters if name != "self"}
        if encoded := getattr(params, "base64", ""):
            arguments["data"] = _decoded(encoded)
        self._call(id, getattr(api, verb.name)(**arguments))

    def _call(self, id: int | str, call: Call[Any]) -> None:
        self._calls[id] = call
        call.when_done(lambda done: self._on_loop(lambda: self._called(id, done)))

    def _called(self, id: int | str, call: Call[Any]) -> None:
        if self._calls.pop(id, None) is None:
            return  # the client is gone
        error = call.future.exception()
        if error is not None:
            self._answer(failure_of(id, error))
        else:
            result = call.future.result()
            answer = Answer(type(result).__name__, msgspec.Raw(messages.encode(result)))
            self._answer(messages.answer(id, answer))
        self._take_lines()

    def _on_loop(self, do: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(do)
        except RuntimeError:
            return  # the engine has ended

    # Out

    def _answer(self, line: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(line)

    def _hang_up(self, why: str) -> None:
        """Say why, if it still reads, and close."""
        if self._transport is not None and not self._transport.is_closing():
            self._answer(messages.failure(None, messages.INVALID_REQUEST, f"{why}: this connection is closed"))
            self._transport.close()
            self._loop.call_later(_HELLO_SECONDS, self._transport.abort)

    def close(self) -> None:
        """The engine goes."""
        if self._transport is not None:
            self._transport.close()


class _Leave(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: int | str


def _decoded(encoded: str) -> str:
    """Bytes as a text of which the engine makes the same bytes again."""
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8", "surrogateescape")
    except binascii.Error as error:
        raise msgspec.ValidationError(f"base64 holds no base64: {error} - at `$.base64`") from error
