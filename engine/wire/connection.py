"""One client of an engine's socket. Lives on the engine's loop (spec 4.2)."""

import asyncio
import base64
import binascii
import threading
from collections.abc import Callable
from typing import Any

import msgspec

from engine.api.call import Call
from engine.api.protocol import EngineApi
from engine.spec import Caller
from engine.wire import VERSION, messages
from engine.wire.asked import READS, Asked
from engine.wire.door import Door
from engine.wire.failures import failure_of
from engine.wire.lines import Lines, TooLong
from engine.wire.messages import Answer, Hello, Message
from engine.wire.peer import is_ours
from engine.wire.streams import Streams
from engine.wire.verbs import OPERATOR_ONLY, verbs

HELLO_SECONDS = 10.0
_FULL_BYTES = 1_048_576
"""With so much unsent nothing more is read from a client, and no event is taken for it."""
_LINES_AT_A_TIME = 16
"""Then others have their turn."""
_LONGEST_ID = 128


class Connection(asyncio.Protocol):
    """Reads lines, calls verbs, writes answers. What a client does wrong ends at most its own connection."""

    def __init__(self, door: Door, loop: asyncio.AbstractEventLoop) -> None:
        self._door = door
        self._loop = loop
        self._thread = threading.get_ident()
        self._transport: asyncio.Transport | None = None
        self._lines = Lines(door.intake)
        self._api: EngineApi | None = None
        self._streams: Streams | None = None
        self._asked = Asked()
        self._goes_on = False
        """It is this client's turn again soon."""
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
        if not self._door.came(self):
            self.hang_up("as many clients as this engine takes are here already")
            return
        self._deadline = self._loop.call_later(HELLO_SECONDS, self.hang_up, "no hello came")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Whoever waited for an answer waits no longer; what wasn't taken is kept."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._lines.drop()
        self._asked.leave()
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
        if self._streams is not None:
            self._streams.go_on()
        self._take_lines()

    def data_received(self, data: bytes) -> None:
        """Whole lines are messages."""
        try:
            self._lines.put(data)
        except TooLong as error:
            self.hang_up(str(error))
            return
        self._take_lines()

    def _take_lines(self) -> None:
        """As many as there is room for, in turns: who sends much at once holds up nobody."""
        try:
            for _ in range(_LINES_AT_A_TIME):
                if not self._open or not self._has_room or (line := self._lines.take()) is None:
                    self._weigh()
                    return
                if line.strip():
                    self._take(line)
        except TooLong as error:
            self.hang_up(str(error))
            return
        if not self._goes_on:
            self._goes_on = True
            self._loop.call_soon(self._go_on)
            self._weigh()

    def _go_on(self) -> None:
        self._goes_on = False
        self._take_lines()

    @property
    def _open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def _has_room(self) -> bool:
        """May more be asked of us?"""
        behind = self._full or (self._streams is not None and self._streams.behind)
        return self._asked.has_room and not behind

    def _weigh(self) -> None:
        """Read on only while there is room for answers, and what was read has been taken."""
        if self._transport is None or not self._open:
            return
        wanted = self._has_room and not self._goes_on
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
        except msgspec.ValidationError as error:
            self._answer(messages.failure(None, messages.INVALID_REQUEST, f"not a JSON-RPC message: {error}"))
            return
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._answer(messages.failure(None, messages.PARSE_ERROR, f"not a JSON-RPC message: {error}"))
            self.hang_up("garbage")
            return
        if wrong := _wrong_with(message):
            id = None if _too_long(message.id) else message.id
            self._answer(messages.failure(id, messages.INVALID_REQUEST, wrong))
            return
        try:
            self._do(message, len(line))
        except msgspec.ValidationError as error:
            text = f"{message.method}: {error}"
            self._answer(messages.failure(message.id, messages.INVALID_PARAMS, text))
        except Exception as error:  # noqa: BLE001  one message costs no other anything
            self._answer(failure_of(message.id, error))

    def _do(self, message: Message, size: int) -> None:
        if message.method == "hello":
            self._hello(message)
        elif self._api is None or self._streams is None or self.caller is None:
            self._answer(messages.failure(message.id, messages.INVALID_REQUEST, "the first request is hello"))
        elif message.id is None:
            self._notified(self._streams, message)
        elif message.id in self._asked:
            self._answer(messages.failure(message.id, messages.INVALID_REQUEST, f"the id {message.id!r} is in use"))
        elif message.method == "bye":
            self._said_bye = True
            self._call(message.id, self._door.bye(self.caller), size)
        elif message.method in Streams.METHODS:
            self._streams.begin(message)
        else:
            self._verb(self._api, self.caller, message, message.id, size)

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
        self._streams = Streams(self._api, self._answer, lambda: not self._full, self._take_lines, self._loop)
        self._lines.known()
        if self._deadline is not None:
            self._deadline.cancel()
        self._answer(messages.answer(message.id, admitted.welcome))

    def _notified(self, streams: Streams, message: Message) -> None:
        if message.method == "leave":
            call = self._asked.get(msgspec.json.decode(message.params, type=_Leave).id)
            if call is not None:
                call.leave()
        else:
            streams.notified(message)

    def _verb(self, api: EngineApi, caller: Caller, message: Message, id: int | str, size: int) -> None:
        verb = verbs().get(message.method)
        if verb is None or (verb.name in OPERATOR_ONLY and not caller.is_operator):
            text = f"there is no method {message.method!r} for you"
            self._answer(messages.failure(id, messages.NO_SUCH_METHOD, text))
            return
        params = msgspec.json.decode(message.params, type=verb.params)
        arguments = {name: getattr(params, name) for name in verb.signature.parameters if name != "self"}
        if encoded := getattr(params, "base64", ""):
            arguments["data"] = _decoded(encoded)
        self._call(id, getattr(api, verb.name)(**arguments), size, is_read=verb.name in READS)

    def _call(self, id: int | str, call: Call[Any], size: int, *, is_read: bool = False) -> None:
        self._asked.add(id, call, size, is_read=is_read)
        call.when_done(lambda done: self._on_loop(lambda: self._called(id, done)))

    def _called(self, id: int | str, call: Call[Any]) -> None:
        if not self._asked.answered(id):
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
            (self._loop.call_soon if threading.get_ident() == self._thread else self._loop.call_soon_threadsafe)(do)
        except RuntimeError:
            return  # the engine has ended

    # Out

    def _answer(self, line: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(line)

    def hang_up(self, why: str) -> None:
        """Say why, if it still reads, and close."""
        if self._transport is not None and not self._transport.is_closing():
            self._answer(messages.failure(None, messages.INVALID_REQUEST, f"{why}: this connection is closed"))
            self._lines.drop()
            self._transport.close()
            self._loop.call_later(HELLO_SECONDS, self._transport.abort)

    def close(self) -> None:
        """The engine goes."""
        if self._transport is not None:
            self._transport.close()


def _wrong_with(message: Message) -> str:
    if message.jsonrpc != "2.0" or not message.method:
        return 'a request has "jsonrpc": "2.0" and a "method"'
    return f"an id has at most {_LONGEST_ID} characters - at `$.id`" if _too_long(message.id) else ""


def _too_long(id: int | str | None) -> bool:
    return isinstance(id, str) and len(id) > _LONGEST_ID


class _Leave(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: int | str


def _decoded(encoded: str) -> str:
    """Bytes as a text of which the engine makes the same bytes again."""
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8", "surrogateescape")
    except binascii.Error as error:
        raise msgspec.ValidationError(f"base64 holds no base64: {error} - at `$.base64`") from error
