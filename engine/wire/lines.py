"""What a client sends, cut into lines; how much of it may wait here (spec 4.2)."""

from engine.wire.messages import LONGEST_LINE

_BEFORE_HELLO = 65_536
"""Longest line of who hasn't said who it is."""
_MOST_HELD = 16 * LONGEST_LINE


class TooLong(Exception):
    """More than can be kept; the text says what."""


class Intake:
    """Bytes that wait to be taken, of all clients of an engine together."""

    def __init__(self, most: int = _MOST_HELD) -> None:
        self.most = most
        self.held = 0


class Lines:
    """One client's. What it costs is one line of the longest, and what one read brings."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._received = bytearray()
        self._looked = 0
        """So many of the bytes hold no end of a line: each is looked at once, however small the pieces are."""
        self._longest = _BEFORE_HELLO

    def known(self) -> None:
        """It has said who it is."""
        self._longest = LONGEST_LINE

    def put(self, data: bytes) -> None:
        """Bytes came.

        Raises:
            TooLong: All clients together hold too much.
        """
        if self._intake.held + len(data) > self._intake.most:
            raise TooLong(f"more than {self._intake.most:,} bytes of unfinished messages on this engine")
        self._received += data
        self._intake.held += len(data)

    def take(self) -> bytes | None:
        """The next whole line; None when there is none yet.

        Raises:
            TooLong: It is longer than a message may be, finished or not.
        """
        end = self._received.find(b"\n", self._looked)
        length = end if end >= 0 else len(self._received)
        if length > self._longest:
            raise TooLong(f"a line of more than {self._longest:,} bytes")
        if end < 0:
            self._looked = len(self._received)
            return None
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._looked = 0
        self._intake.held -= end + 1
        return line

    def drop(self) -> None:
        """Nothing more is wanted of it."""
        self._intake.held -= len(self._received)
        self._received.clear()
        self._looked = 0
