"""What one pane has been sent and not yet taken in, and how it is taken in, slice by slice."""

import re
from collections import deque
from typing import Protocol

from engine.replay import Chunk, OutputEnd, Replay, SizeMark, StreamItem

NEWEST_CHARS = 64_000
"""A pane that opens on more than this, or falls behind by more, shows only the newest of it.

The limit of the stock emulator's speed; it goes when the fast one comes."""

_MODES = re.compile(r"\x1b\[\?[0-9;]*[hl]")


class Terminal(Protocol):
    """What a feed writes to: a pane's emulator."""

    def start_afresh(self, cols: int, rows: int, prelude: str) -> None:
        """Forget everything and begin with an empty screen of this size, set up by ``prelude``."""

    def take_text(self, text: str) -> None:
        """The job wrote this."""

    def take_size(self, cols: int, rows: int) -> None:
        """The job's terminal has this size from here on."""

    def gone_before(self, lines: int) -> None:
        """A fresh start: this many lines before it are no longer kept."""

    def skipped(self, position: int) -> None:
        """What came before this position was passed over; what follows stands on an empty screen."""

    def ended(self) -> None:
        """That was all: the job has ended."""

    def being_read(self) -> bool:
        """Has somebody scrolled up, so that a fresh start would take away what is being read?"""


class Feed:
    """Stream items in, slices of text out to a terminal, in order, with size marks at their positions."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._items: deque[StreamItem] = deque()
        self._text = ""
        self._offset = 0
        self._start = 0
        self._marks: deque[SizeMark] = deque()
        self.position: int | None = None
        """The position after the last character taken in; None before the first replay."""

    @property
    def waiting(self) -> bool:
        """Is there anything to take in now?"""
        return self._in_midst or (bool(self._items) and not self.held)

    @property
    def held(self) -> bool:
        """Does the next item wait until nobody reads, because it begins with a fresh start?

        Nothing piles up meanwhile: what isn't taken in earns no credit for more.
        """
        return (
            bool(self._items) and not self._in_midst and _starts_afresh(self._items[0]) and self._terminal.being_read()
        )

    @property
    def _in_midst(self) -> bool:
        return self._offset < len(self._text) or bool(self._marks)

    def put(self, item: StreamItem) -> None:
        """Take a delivered item; it waits for its turn."""
        self._items.append(item)

    def clear(self) -> None:
        """Drop what waits: `position` stays where the terminal really is."""
        self._items.clear()
        self._marks.clear()
        self._text, self._offset = "", 0

    def step(self, limit: int) -> bool:
        """Take in at most about ``limit`` characters. True: an item has now been taken in whole."""
        if not self._in_midst:
            if not self._items or self.held:
                return False
            self._open(self._items.popleft())
        self._apply_marks()
        if self._offset < len(self._text):
            end = min(len(self._text), self._offset + limit)
            if self._marks:
                end = min(end, self._marks[0].position - self._start)
            self._terminal.take_text(self._text[self._offset : end])
            self._offset = end
            self.position = self._start + end
        if self._offset < len(self._text):
            return False
        self._apply_marks(everything=True)
        self._text, self._offset = "", 0
        return True

    def _open(self, item: StreamItem) -> None:
        match item:
            case OutputEnd():
                self._terminal.ended()
                return
            case Chunk():
                text = item.text
            case Replay():
                text = "".join(item.pieces)
                if item.base is not None:
                    self._terminal.start_afresh(item.base.cols, item.base.rows, item.base.prelude)
                    self._terminal.gone_before(item.dropped_lines)
        self._text, self._offset, self._start = text, 0, item.start
        self._marks.extend(mark for mark in item.marks if isinstance(mark, SizeMark))
        self.position = item.start
        if len(text) > NEWEST_CHARS:
            self._skip_to(self._line_start(len(text) - NEWEST_CHARS))

    def _line_start(self, at: int) -> int:
        """The first line start from ``at`` on, or ``at`` itself in a text without lines."""
        newline = self._text.find("\n", at)
        return at if newline < 0 else newline + 1

    def _skip_to(self, offset: int) -> None:
        while self._marks and self._marks[0].position <= self._start + offset:
            mark = self._marks.popleft()
            self._terminal.take_size(mark.cols, mark.rows)
        self._terminal.skipped(self._start + offset)
        # Modes that were set in what is passed over still hold: the alternate screen above all.
        modes = "".join(_MODES.findall(self._text, 0, offset))
        self._terminal.take_text(modes[-NEWEST_CHARS:] + "\x1b[m")
        self._offset = offset
        self.position = self._start + offset

    def _apply_marks(self, *, everything: bool = False) -> None:
        while self._marks and (everything or self._marks[0].position <= self._start + self._offset):
            mark = self._marks.popleft()
            self._terminal.take_size(mark.cols, mark.rows)


def _starts_afresh(item: StreamItem) -> bool:
    match item:
        case Replay():
            return item.base is not None or sum(map(len, item.pieces)) > NEWEST_CHARS
        case Chunk():
            return len(item.text) > NEWEST_CHARS
        case OutputEnd():
            return False
