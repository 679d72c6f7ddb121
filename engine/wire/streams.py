"""What one client is told without asking each time: events, notices, output. One batch of each is under way at a time,
the next comes when the client has taken it: so nothing piles up here, however slow it is (spec 4.2, design 4)."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import msgspec

from engine.api.protocol import Attachment, EngineApi, EventFeed
from engine.notices.inbox import Inbox
from engine.replay import Replay, StreamItem
from engine.results import Refused
from engine.wire import messages
from engine.wire.messages import Answer, Attached, Message

_BATCH = 200
"""Events in one message."""
_PIECE_CHARS = 262_144
"""Characters of a replay in one message: as JSON at most six times as many bytes."""
MOST_ATTACHMENTS = 64
"""Of one client at a time."""


class _Subscribe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Attach(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    session_id: str
    at: int | None = None
    redacted: bool | None = None


class _Taken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sequence: int = 0


class _Numbered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    attachment: int


class Streams:
    """One client's."""

    METHODS: ClassVar = frozenset({"events", "notices", "attach"})

    def __init__(
        self,
        api: EngineApi,
        send: Callable[[bytes], None],
        has_room: Callable[[], bool],
        caught_up: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._api = api
        self._send = send
        self._has_room = has_room
        self._caught_up = caught_up
        self._loop = loop
        self._feed: EventFeed | None = None
        self._inbox: Inbox | None = None
        self._events: list[Any] = []
        """Taken from the feed, and not sent yet."""
        self._events_wanted = False
        self._notices_wanted = False
        self._attachments: dict[int, Attachment] = {}
        self._number = 0
        self._attaching = 0
        self._outgoing: deque[Iterator[bytes]] = deque()
        """Replays that aren't sent yet, made into messages as there is room, and what must come after them."""
        self._closed = False

    @property
    def behind(self) -> bool:
        """Is a replay waiting for room? Then nothing more is taken from this client, which could ask for another."""
        return bool(self._outgoing)

    def begin(self, message: Message) -> None:
        """A request for a stream.

        Raises:
            msgspec.ValidationError: Its parameters aren't those of it.
        """
        if message.method == "attach":
            self._attach(message)
            return
        msgspec.json.decode(message.params, type=_Subscribe)
        if message.method == "events" and self._feed is None:
            self._events_wanted = True
            self._feed = self._api.events(lambda: self._soon(self._push_events))
        elif message.method == "notices" and self._inbox is None:
            self._notices_wanted = True
            feed = self._api.notices(lambda: self._soon(self._push_notices))
            assert isinstance(feed, Inbox)
            self._inbox = feed
        self._send(messages.answer(message.id, Answer("bool", msgspec.Raw(b"true"))))
        self.go_on()

    def notified(self, message: Message) -> None:
        """The client has taken something; unknown notifications are nothing.

        Raises:
            msgspec.ValidationError: Its parameters aren't those of it.
        """
        match message.method:
            case "events_taken":
                self._events_wanted = True
                self._push_events()
            case "notices_taken":
                taken = msgspec.json.decode(message.params, type=_Taken)
                if self._inbox is not None:
                    self._inbox.took(taken.sequence)
                self._notices_wanted = True
                self._push_notices()
            case "grant" | "detach":
                number = msgspec.json.decode(message.params, type=_Numbered).attachment
                attachment = self._attachments.get(number)
                if attachment is not None and message.method == "grant":
                    attachment.grant()
                elif attachment is not None:
                    attachment.detach()
                    del self._attachments[number]

    def go_on(self) -> None:
        """There is room again."""
        self._push_output()
        self._push_events()
        self._push_notices()

    def close(self) -> None:
        """The client is gone: what it hasn't taken is kept for its owner."""
        self._closed = True
        self._outgoing.clear()
        if self._feed is not None:
            self._feed.close()
        if self._inbox is not None:
            self._inbox.close()
        for attachment in self._attachments.values():
            attachment.detach()
        self._attachments.clear()

    def _soon(self, push: Callable[[], None]) -> None:
        self._loop.call_soon(push)

    def _push_events(self) -> None:
        if self._closed or self._feed is None or not self._events_wanted or not self._has_room():
            return
        if not self._events:
            self._events = self._feed.take()
        if self._events:
            batch, self._events = self._events[:_BATCH], self._events[_BATCH:]
            self._events_wanted = False
            self._send(messages.request(None, "events", {"events": batch}))

    def _push_notices(self) -> None:
        if self._closed or self._inbox is None or not self._notices_wanted or not self._has_room():
            return
        notices = self._inbox.waiting(_BATCH)
        if notices:
            self._notices_wanted = False
            self._send(messages.request(None, "notices", {"notices": notices}))

    # Output

    def _attach(self, message: Message) -> None:
        wanted = msgspec.json.decode(message.params, type=_Attach)
        if len(self._attachments) + self._attaching >= MOST_ATTACHMENTS:
            text = f"{MOST_ATTACHMENTS} attachments are the most that a client can have: detach one"
            self._send(messages.failure(message.id, messages.FAILED, text))
            return
        self._number += 1
        self._attaching += 1
        number = self._number

        def attached(call: Any) -> None:
            self._attaching -= 1
            if (error := call.future.exception()) is not None:
                text = f"{type(error).__name__}: {error}"
                self._put(messages.failure(message.id, messages.FAILED, text))
                return
            answer = call.future.result()
            if isinstance(answer, Refused):
                value = Answer("Refused", msgspec.Raw(messages.encode(answer)))
                self._put(messages.answer(message.id, value))
                return
            if self._closed:
                answer.detach()
                return
            self._attachments[number] = answer
            value = Answer("Attached", msgspec.Raw(messages.encode(Attached(number))))
            self._put(messages.answer(message.id, value))

        # The replay goes out first: whoever has the answer has it, as in this process.
        sink = partial(self._output, number)
        self._api.attach(wanted.session_id, wanted.at, sink, redacted=wanted.redacted).when_done(attached)

    def _output(self, number: int, item: StreamItem) -> None:
        """One item; a replay's text follows it in pieces that fit into messages."""
        if self._closed:
            return
        if isinstance(item, Replay):
            self._outgoing.append(_replayed(number, item))
            self._push_output()
        else:
            self._put(messages.request(None, "output", {"attachment": number, "item": item}))

    def _put(self, line: bytes) -> None:
        """Send it after what waits."""
        if self._outgoing:
            self._outgoing.append(iter((line,)))
        else:
            self._send(line)

    def _push_output(self) -> None:
        if not self._outgoing:
            return
        while self._outgoing and self._has_room():
            line = next(self._outgoing[0], None)
            if line is None:
                self._outgoing.popleft()
            else:
                self._send(line)
        if not self._outgoing:
            self._soon(self._caught_up)


def _replayed(number: int, replay: Replay) -> Iterator[bytes]:
    parts = _parts(replay.pieces)
    head = msgspec.structs.replace(replay, pieces=())
    yield messages.request(None, "output", {"attachment": number, "item": head, "parts": len(parts)})
    for part in parts:
        yield messages.request(None, "output_part", {"attachment": number, "text": "".join(part)})


def _parts(pieces: Sequence[str]) -> list[list[str]]:
    """The pieces, in groups that fit into a message: the text itself is shared with the engine's buffer."""
    parts: list[list[str]] = []
    room = 0
    for piece in pieces:
        for at in range(0, len(piece), _PIECE_CHARS):
            cut = piece[at : at + _PIECE_CHARS]
            if len(cut) > room:
                parts.append([])
                room = _PIECE_CHARS
            parts[-1].append(cut)
            room -= len(cut)
    return parts
