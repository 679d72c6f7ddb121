"""A job's screen as it is now, made from its buffer when somebody needs it."""

import time
from collections.abc import Callable

from engine.output.buffer import OutputBuffer
from engine.replay import SizeMark
from engine.terminal import Screen, Stream

_SLICE_CHARS = 32_768


class _Answering(Screen):
    """A screen whose answers go out, once it has reached what isn't answered yet."""

    answer: Callable[[str], object] | None = None

    def write_process_input(self, data: str) -> None:
        """See pyte's ``Screen``."""
        if self.answer is not None:
            self.answer(data)


class LiveScreen:
    """Follows a buffer, some milliseconds at a time; questions from ``answer_from`` on are answered to ``send``."""

    def __init__(self, buffer: OutputBuffer, answer_from: int, send: Callable[[str], object]) -> None:
        self._buffer = buffer
        self._answer_from = answer_from
        self._send = send
        self._begin()

    def _begin(self) -> None:
        replay = self._buffer.replay(None)
        base = replay.base
        assert base is not None, "a replay from nowhere has a base"
        self.screen = _Answering(base.cols, base.rows, scrollback=0)
        self._stream = Stream(self.screen)
        self._stream.feed(base.prelude)
        self.position = replay.start

    def advance(self, seconds: float) -> bool:
        """Take in what has come, for about that long; True when there is more."""
        deadline = time.perf_counter() + seconds
        while self.position < self._buffer.end:
            if self.position < self._buffer.start:
                self._begin()  # a flood has outrun us
            self._take(min(self.position + _SLICE_CHARS, self._buffer.end))
            if time.perf_counter() >= deadline:
                break
        return self.position < self._buffer.end

    def _take(self, end: int) -> None:
        if self.position < self._answer_from:
            end = min(end, self._answer_from)
        self.screen.answer = self._send if self.position >= self._answer_from else None
        for mark in self._buffer.marks.between(self.position, end + 1):
            if isinstance(mark, SizeMark):
                self._feed(mark.position)
                self.screen.resize(mark.rows, mark.cols)
        self._feed(end)

    def _feed(self, end: int) -> None:
        if end > self.position:
            self._stream.feed(self._buffer.text(self.position, end))
            self.position = end
