"""From pieces of the host terminal's input to Textual's events, each key with what was sent for it."""

import re
from collections.abc import Iterable, Iterator

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

from tui.input.pieces import Kind, Piece

_KNOWN_REPORT = re.compile(
    r"\x1b\[(?:<-?\d+;-?\d+;-?\d+[Mm]|\d+;\d+;\d+M|M...|[IO]|48;[\d:]+;[\d:]+;[\d:]+;[\d:]+t|\?\d+;\d\$y|\d+;\d+R)",
    re.DOTALL,
)
"""What Textual's parser takes in whole; anything else it would take for the beginning of the next."""


_FOCUS_REPORTED = "\x1b[?1004;1$y"
"""The terminal's answer that it tells of its focus."""


class FocusReported(Message):
    """The terminal tells of its focus, and we have asked it to."""


class HostKey(events.Key):
    """A key of the host terminal. Textual knows it by a name; several keys have the same, so what came is kept."""

    def __init__(self, key: str, character: str | None, raw: str) -> None:
        super().__init__(key, character)
        self.raw = raw
        """What the terminal sent for it; empty for the second and later of several events of one key."""


HostKey.handler_name = events.Key.handler_name  # it is heard wherever keys are


class HostEvents:
    """Makes events of pieces. Textual's parser names keys and reads reports; it is never left amid a sequence."""

    def __init__(self) -> None:
        self._parser = XTermParser()

    def of(self, pieces: Iterable[Piece]) -> Iterator[Message]:
        """The events of these pieces, in order."""
        for kind, text in pieces:
            if kind is Kind.PASTE:
                yield events.Paste(text.replace("\x00", ""))
            elif kind is Kind.KEY:
                yield from self._keys(text)
            elif text == _FOCUS_REPORTED:
                yield FocusReported()
            elif _KNOWN_REPORT.fullmatch(text):
                yield from self._parser.feed(text)

    def _keys(self, raw: str) -> Iterator[Message]:
        named = list(self._parser._sequence_to_key_events(raw))
        if raw == "\x1b":
            named = [events.Key("escape", raw)]
        elif not named and len(raw) == 2 and raw[0] == "\x1b":
            named = list(self._parser._sequence_to_key_events(raw[1], alt=True))
        if not named:
            # Textual knows no name for it. Type mode passes it on; anywhere else it does nothing.
            named = [events.Key(Keys.Ignore, None)]
        for number, key in enumerate(named):
            yield HostKey(key.key, key.character, "" if number else raw)
