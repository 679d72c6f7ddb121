"""What goes over the wire: requests, answers, notifications, one JSON text a line, decoded strictly."""

from typing import Any

import msgspec

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of a message; who sends more is hung up on."""

PARSE_ERROR = -32_700
INVALID_REQUEST = -32_600
NO_SUCH_METHOD = -32_601
INVALID_PARAMS = -32_602
INTERNAL_ERROR = -32_603
FAILED = -32_000
"""The verb raised; ``data.type`` says what."""


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Any message, in either direction: its kind is told by which fields are there."""

    jsonrpc: str = ""
    id: int | str | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw()
    error: "Failure | None" = None


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a request has no result."""

    code: int
    message: str
    data: "FailureData | None" = None


class FailureData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a verb raised."""

    type: str
    session_id: str = ""
    exit_code: int | None = None


class Hello(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The first request of a connection: who it is."""

    version: int
    client: str = ""
    """A name for people."""
    operator: bool = False
    """It is the operator's console or command line: sees and steers all."""
    token: str = ""
    """Proves a conversation."""
    continues: str = ""
    """Proves the conversation that a new one goes on for."""
    parent: str = ""
    """Proves the conversation that a new one works for."""
    async_delivery: bool = True
    """It takes notices after its calls."""


class Welcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to `Hello`."""

    version: int
    engine: "EngineInfo"
    conversation: str = ""
    """The client's; empty for the operator."""
    token: str = ""
    """Proves it the next time."""
    settings: msgspec.Raw = msgspec.Raw(b"{}")
    """The engine's figures."""


class EngineInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Which engine answers."""

    engine_id: str
    kind: str
    """``console``, ``mcp``, ``serve`` or ``run``."""
    pid: int
    started_at: float
    label: str = ""
    """What its jobs are for, in words: a working folder, an agent's name."""


class Answer(msgspec.Struct, frozen=True):
    """A verb's result with the name of its type."""

    type: str
    value: msgspec.Raw


class Attached(msgspec.Struct, frozen=True):
    """The answer to ``attach``."""

    attachment: int


ENCODER = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """As JSON. Halves of surrogate pairs, which JSON can't hold, become U+FFFD."""
    try:
        return ENCODER.encode(value)
    except UnicodeEncodeError:
        return ENCODER.encode(_whole(msgspec.to_builtins(value)))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value


def request(id: int | None, method: str, params: object) -> bytes:
    """A request's line; without ``id`` a notification's."""
    head: dict[str, object] = {"jsonrpc": "2.0"} if id is None else {"jsonrpc": "2.0", "id": id}
    return encode({**head, "method": method, "params": params}) + b"\n"


def answer(id: int | str | None, result: object) -> bytes:
    """A result's line."""
    return encode({"jsonrpc": "2.0", "id": id, "result": result}) + b"\n"


def failure(id: int | str | None, code: int, message: str, data: FailureData | None = None) -> bytes:
    """An error's line."""
    return encode({"jsonrpc": "2.0", "id": id, "error": Failure(code=code, message=message, data=data)}) + b"\n"
