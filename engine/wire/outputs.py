"""What comes of the jobs that a client looks at: to each its sink, in order, whole."""

from collections.abc import Callable

import msgspec

from engine.replay import Replay, Sink, StreamItem
from engine.wire.unasked import Output, OutputPart

Notify = Callable[[str, dict[str, int]], None]
"""Says something to the engine that has no answer: a method and its parameters."""


class RemoteAttachment:
    """See `Attachment`."""

    def __init__(self, outputs: "Outputs", notify: Notify, number: int) -> None:
        self._outputs = outputs
        self._notify = notify
        self._number = number
        self._detached = False

    def grant(self) -> None:
        """See `Attachment`."""
        if not self._detached:
            self._notify("grant", {"attachment": self._number})

    def detach(self) -> None:
        """See `Attachment`."""
        if not self._detached:
            self._detached = True
            self._outputs.forget(self._number)


class _Gathering:
    """A replay whose text is still coming."""

    def __init__(self, replay: Replay, parts: int) -> None:
        self.replay = replay
        self.left = parts
        self.pieces: list[str] = []


class Outputs:
    """By the numbers that the engine gives to attachments. Fed on the wire's thread."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._sinks: dict[int, Sink] = {}
        self._early: dict[int, list[StreamItem]] = {}
        """What came before the answer to its ``attach``: the replay."""
        self._detached: set[int] = set()
        self._gathering: dict[int, _Gathering] = {}

    def attach(self, number: int, sink: Sink) -> RemoteAttachment:
        """The engine has taken it: what has come goes to this sink, and all that comes."""
        self._sinks[number] = sink
        for item in self._early.pop(number, ()):
            self._deliver(number, item)
        return RemoteAttachment(self, self._notify, number)

    def forget(self, number: int) -> None:
        """Nobody looks any more."""
        self._sinks.pop(number, None)
        self._detached.add(number)
        self._notify("detach", {"attachment": number})

    def take(self, output: Output) -> None:
        """An item, or the beginning of a replay that comes in parts."""
        if output.parts and isinstance(output.item, Replay):
            self._gathering[output.attachment] = _Gathering(output.item, output.parts)
        else:
            self._deliver(output.attachment, output.item)

    def take_part(self, part: OutputPart) -> None:
        """The next part of a replay; with the last it is whole."""
        gathering = self._gathering[part.attachment]
        gathering.pieces.append(part.text)
        gathering.left -= 1
        if not gathering.left:
            del self._gathering[part.attachment]
            self._deliver(part.attachment, msgspec.structs.replace(gathering.replay, pieces=tuple(gathering.pieces)))

    def _deliver(self, number: int, item: StreamItem) -> None:
        sink = self._sinks.get(number)
        if sink is None:
            if number not in self._detached:
                self._early.setdefault(number, []).append(item)
            return
        try:
            sink(item)
        except Exception:  # noqa: BLE001  a broken viewer must not cost others anything
            self.forget(number)
