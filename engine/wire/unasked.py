"""What an engine tells without being asked each time, as it comes over the wire."""

import msgspec

from engine.events import Event, Notice
from engine.replay import StreamItem


class Events(msgspec.Struct, frozen=True):
    """A batch of them; the next comes once it is said to be taken."""

    events: list[Event]


class Notices(msgspec.Struct, frozen=True):
    """A batch of them, likewise."""

    notices: list[Notice]


class Output(msgspec.Struct, frozen=True):
    """One item of an attachment. A replay's text follows in so many ``parts``."""

    attachment: int
    item: StreamItem
    parts: int = 0


class OutputPart(msgspec.Struct, frozen=True):
    """The next part of an attachment's replay."""

    attachment: int
    text: str
