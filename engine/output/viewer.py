"""A viewer of one job's output: one item in flight, the next by credit (design 4)."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from engine.output.buffer import OutputBuffer
from engine.redact import redact
from engine.replay import Chunk, OutputEnd, Replay, Sink, SizeMark

Mask: TypeAlias = Callable[[int, int], str]
"""The output between two positions as it may be shown: of that length, less what is held back at its end."""


class Viewer:
    """An `Attachment`. ``grant`` and ``detach`` may be called on any thread, all else on the engine's loop.

    What it costs is one position: nothing is queued for a viewer that has no credit.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        buffer: OutputBuffer,
        sink: Sink,
        chunk_chars: int,
        on_gone: Callable[["Viewer", Exception | None], None],
        mask: Mask | None = None,
    ) -> None:
        self._loop = loop
        self._buffer = buffer
        self._sink = sink
        self._chunk_chars = chunk_chars
        self._on_gone = on_gone
        self._mask = mask
        self._position = 0
        self._size: SizeMark | None = None
        """The newest size that was delivered."""
        self._credit = False
        self._finished = False
        self._end_told = False
        self.detached = False

    def begin(self, at: int | None) -> None:
        """Deliver the replay, in the same step in which the job learns of this viewer."""
        replay = self._masked(self._buffer.replay(at))
        self._position = replay.end
        self._size = self._buffer.marks.size_at(replay.end)
        self._give(lambda: self._sink(replay))

    def grant(self) -> None:
        """See `Attachment`."""
        if not self.detached:
            try:
                self._loop.call_soon_threadsafe(self._granted)
            except RuntimeError:
                self.detached = True  # the engine has shut down

    def detach(self) -> None:
        """See `Attachment`."""
        if not self.detached:
            self.detached = True
            try:
                self._loop.call_soon_threadsafe(self._on_gone, self, None)
            except RuntimeError:
                return  # the engine has shut down

    def output_came(self) -> None:
        """There is more in the buffer, or the terminal has another size from its end on."""
        if self._credit and not self.detached:
            self._deliver()

    def finish(self) -> None:
        """The job has ended: nothing more will come."""
        self._finished = True
        self.output_came()

    def _granted(self) -> None:
        self._credit = True
        self.output_came()

    def _deliver(self) -> None:
        buffer = self._buffer
        if self._position < buffer.start:
            self._credit = False
            self.begin(None)
        elif self._position < buffer.end:
            start, end = self._position, min(buffer.end, self._position + self._chunk_chars)
            text = buffer.text(start, end) if self._mask is None else self._mask(start, end)
            if text:
                self._credit = False
                self._position = start + len(text)
                chunk = Chunk(start, text, buffer.marks.between(start, self._position))
                self._size = buffer.marks.size_at(self._position - 1)
                self._give(lambda: self._sink(chunk))
        elif (size := buffer.marks.size_at(buffer.end)) != self._size:
            # Its lines flow to another width, though the job may say nothing for hours.
            self._credit = False
            self._size = size
            self._give(lambda: self._sink(Chunk(buffer.end, "", (size,))))
        elif self._finished and not self._end_told:
            self._end_told = True
            self._give(lambda: self._sink(OutputEnd(buffer.end)))

    def _masked(self, replay: Replay) -> Replay:
        if self._mask is None:
            return replay
        text = self._mask(replay.start, replay.end)
        base = replay.base and msgspec.structs.replace(replay.base, prelude=redact(replay.base.prelude))
        marks = tuple(mark for mark in replay.marks if mark.position <= replay.start + len(text))
        return msgspec.structs.replace(replay, base=base, pieces=(text,) if text else (), marks=marks)

    def _give(self, deliver: Callable[[], None]) -> None:
        try:
            deliver()
        except Exception as error:  # noqa: BLE001  a broken viewer must not cost the job or others anything
            self.detached = True
            self._on_gone(self, error)
