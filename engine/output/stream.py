"""One job's output from bytes to viewers: decode, keep, answer, hand on, in that order (spec 1.3)."""

import asyncio
import codecs
import time
from collections.abc import Callable

from engine.config import Settings
from engine.output.buffer import OutputBuffer
from engine.output.modes import ModeScan
from engine.output.viewer import Mask, Viewer
from engine.replay import Sink

_SETTLE_CHARS = 524_288
"""Given-up text is dropped in batches: the base takes in long texts much faster than short ones."""
_SETTLE_SECONDS = 0.004
_SETTLE_SHARE = 0.25
"""Of the time, while more comes: a flood that the base can't keep up with is read first."""


class OutputStream:
    """Owns the decoder, the buffer, the modes at its end, and the viewers of one job."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, settings: Settings, cols: int, rows: int, *, pty: bool = False
    ) -> None:
        self.buffer = OutputBuffer(settings.replay_chars, cols, rows, pty=pty)
        self.modes = ModeScan()
        self.viewers: list[Viewer] = []
        self.sealed = False
        """What comes is let go of."""
        self.ended = False
        self.on_text: Callable[[str], None] | None = None
        """Told of each decoded text after it was kept and before the viewers."""
        self.on_end: Callable[[], None] | None = None
        """Told once that nothing more comes."""
        self.on_viewer_error: Callable[[Exception], None] | None = None
        self._loop = loop
        self._settings = settings
        self._settling: asyncio.Handle | None = None
        self._settled_end = 0
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}

    def resume(self, position: int, line_feeds: int, pending: bytes, cols: int, rows: int) -> None:
        """Go on from a position of an output whose beginning is lost, with a character begun; before any was fed."""
        self.buffer.resume(position, line_feeds, cols, rows)
        self._decoder("").setstate((pending, 0))

    def feed(self, data: bytes, source: str = "", at: float | None = None) -> None:
        """Take in bytes; ``source`` tells stdout and stderr apart, which may each be cut inside a character.

        ``at``: when they came, by the wall clock, if that isn't now.
        """
        if not self.sealed:
            self._take(self._decoder(source).decode(data), at)

    def _decoder(self, source: str) -> codecs.IncrementalDecoder:
        decoder = self._decoders.get(source)
        if decoder is None:
            decoder = self._decoders[source] = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder

    def seal(self) -> None:
        """Take in nothing more; a cut-off character becomes one U+FFFD."""
        if not self.sealed:
            for decoder in self._decoders.values():
                self._take(decoder.decode(b"", final=True))
            self.sealed = True

    def end(self) -> None:
        """Nothing more comes, and viewers learn of the end."""
        if not self.ended:
            self.seal()
            self.ended = True
            if self.on_end is not None:
                self.on_end()
            if self.buffer.surplus:
                self.settle()
            for viewer in tuple(self.viewers):
                viewer.finish()

    def restore(self, text: str, start: int, lines_before: int) -> None:
        """Hold what an ended output left, from position ``start`` on; nothing more comes."""
        self.buffer.restore(text, start, lines_before)
        self.sealed = self.ended = True

    def view(self, at: int | None, sink: Sink, mask: Mask | None = None) -> Viewer:
        """Attach a viewer at a position: its replay is delivered before this returns."""
        viewer = Viewer(self._loop, self.buffer, sink, self._settings.chunk_chars, self._viewer_gone, mask)
        self.viewers.append(viewer)
        viewer.begin(at)
        if self.ended:
            viewer.finish()
        return viewer

    def resized(self, cols: int, rows: int) -> None:
        """The terminal has this size from here on."""
        self.buffer.marks.add_size(self.buffer.end, cols, rows)
        for viewer in tuple(self.viewers):
            viewer.output_came()

    def _take(self, text: str, at: float | None = None) -> None:
        if not text:
            return
        self.buffer.append(text, time.time() if at is None else at)
        if self.buffer.surplus >= _SETTLE_CHARS:
            self.settle()
        try:
            self.modes.feed(text)
            if self.on_text is not None:
                self.on_text(text)
        except Exception as error:  # noqa: BLE001  nobody who looks at the output may cost the job or a viewer any
            if self.on_viewer_error is not None:
                self.on_viewer_error(error)
        for viewer in tuple(self.viewers):
            viewer.output_came()

    def settle(self) -> None:
        """Drop what the buffer has given up, a few milliseconds at a time, as others get their turn between."""
        if self._settling is None:
            self._settling = self._loop.call_soon(self._settle)

    def _settle(self) -> None:
        self._settling = None
        came, self._settled_end = self.buffer.end > self._settled_end, self.buffer.end
        self.buffer.prepare_to_drop()
        began = time.thread_time()
        if not self.buffer.settle(_SETTLE_SECONDS):
            return
        # Not by the clock: while others have the processor the job writes on, and it must not outrun its base for that.
        pause = (time.thread_time() - began) * (1 / _SETTLE_SHARE - 1) if came else 0.0
        self._settling = self._loop.call_later(pause, self._settle)

    def _viewer_gone(self, viewer: Viewer, error: Exception | None) -> None:
        if viewer in self.viewers:
            self.viewers.remove(viewer)
        if error is not None and self.on_viewer_error is not None:
            self.on_viewer_error(error)
