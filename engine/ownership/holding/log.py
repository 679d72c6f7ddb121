"""A held job's raw output on the disk, in segments: the newest are kept, and positions stay true (spec 3.4).

A segment is two files, named by the number of its first byte. ``N.log`` is the output. ``N.marks`` begins with what
must be known to go on from there without what came before (characters, line feeds, a character that was cut in two,
the terminal's size), and then has 16 bytes for each mark: when bytes came, or that the size changed. Both sides use
this module; standard library only.
"""

import codecs
import os
import struct
from collections.abc import Iterator

SEGMENT_BYTES = 1 << 20
KEEP_BYTES = 8 << 20
_MARKS_BYTES = 1 << 20
_UNWRITTEN_BYTES = 1 << 20
_SPACING_SECONDS = 0.05
_HEADER = struct.Struct("!QQB3xHH4s")
_MARK = struct.Struct("!Qd")
_SIZE_MARK = struct.Struct("!QHHI")
_SIZE_FLAG = 1 << 63
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class Start:
    """How things stand at a segment's first byte."""

    def __init__(self, byte: int, char: int, feeds: int, pending: bytes, cols: int, rows: int) -> None:
        self.byte = byte
        self.char = char
        """Characters before it: its position."""
        self.feeds = feeds
        """Line feeds before it."""
        self.pending = pending
        """The beginning of a character that goes on here: the incremental decoder's state."""
        self.cols = cols
        self.rows = rows

    def encode(self) -> bytes:
        """As in the head of the marks' file."""
        cut = self.pending
        return _HEADER.pack(self.char, self.feeds, len(cut), self.cols, self.rows, cut.ljust(4, b"\0"))


class Log:
    """Written in the current folder, by the holder alone."""

    def __init__(self, cols: int, rows: int, segment_bytes: int = SEGMENT_BYTES, keep_bytes: int = KEEP_BYTES) -> None:
        self.end = 0
        """Bytes of output so far."""
        self.failure = ""
        """Why the disk doesn't take what comes, while it doesn't."""
        self.unwritten = bytearray()
        """The newest output, which the disk doesn't take."""
        self._segment_bytes = segment_bytes
        self._keep_bytes = keep_bytes
        self.cols, self.rows = cols, rows
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chars = self._feeds = 0
        self._segments: list[int] = []
        self._resume: Start | None = None
        """How things stood where ``unwritten`` begins."""
        self._needed = 0
        """What an engine has yet to read begins here: it isn't removed."""
        self._guarded = False
        self._output = self._marks = -1
        self._marked_at = 0.0
        self._marks_size = 0

    @property
    def start(self) -> int:
        """The oldest byte that is kept."""
        return self._segments[0] if self._segments else self.written

    @property
    def written(self) -> int:
        """Up to here it can be read from the disk."""
        return self.end - len(self.unwritten)

    def append(self, data: bytes, at: float) -> str:
        """Output that came at wall-clock time ``at``; its text, as far as characters are whole."""
        try:
            self._write(data, at)
            self.failure = ""
        except OSError as error:
            self.failure = error.strerror or str(error)
            self._resume = self._resume or self._now()
            self.unwritten += data
            self._close()
            if len(self.unwritten) > _UNWRITTEN_BYTES and not self._guarded:
                self._drop_unwritten()  # nobody is there to take it, and it can't be kept
        text = self._decoder.decode(data)
        self.end += len(data)
        self._chars += len(text)
        self._feeds += data.count(b"\n")
        return text

    def resize(self, cols: int, rows: int) -> None:
        """The terminal has this size from here on."""
        self.cols, self.rows = cols, rows
        if self._output >= 0:
            self._mark(_SIZE_MARK.pack(self.end | _SIZE_FLAG, cols, rows, 0))

    def guard(self, before: int | None) -> None:
        """An engine has read up to there, and reads on; None: nobody reads."""
        self._guarded = before is not None
        if before is not None and before >= self.end:
            self._drop_unwritten()  # it was handed over: what comes begins a segment
        self._needed = before or 0
        self._prune()

    def at_written(self) -> Start:
        """How things stand at the end of what can be read from the disk."""
        return self._resume or self._now()

    def retry(self, at: float) -> None:
        """Try again to write what the disk didn't take."""
        if self.failure:
            self.append(b"", at)

    def read(self, start: int, end: int) -> bytes:
        """Bytes that were written and kept; for the holder's own use."""
        found = []
        for index, first in enumerate(self._segments):
            following = self._segments[index + 1] if index + 1 < len(self._segments) else self.written
            low, high = max(start, first), min(end, following)
            if low < high:
                with open(_name(first, "log"), "rb", buffering=0) as file:
                    file.seek(low - first)
                    found.append(file.read(high - low))
        return b"".join(found)

    def _write(self, data: bytes, at: float) -> None:
        if self._output >= 0 and (
            self.end - self._segments[-1] >= self._segment_bytes or self._marks_size >= _MARKS_BYTES
        ):
            self._close()
        if self._output < 0:
            self._begin()
        if abs(at - self._marked_at) >= _SPACING_SECONDS:
            self._mark(_MARK.pack(self.end, at))
            self._marked_at = at
        size = os.fstat(self._output).st_size
        try:
            _write_all(self._output, data)
        except OSError:
            os.ftruncate(self._output, size)  # what is there of it now is said again, in another segment
            raise

    def _begin(self) -> None:
        """A new segment at the end of what is written."""
        start = self.at_written()
        head = start.encode()
        self._marks = os.open(_name(start.byte, "marks"), _FLAGS | os.O_TRUNC, 0o600)
        _write_all(self._marks, head)
        self._output = os.open(_name(start.byte, "log"), _FLAGS | os.O_TRUNC, 0o600)
        self._marks_size, self._marked_at = len(head), 0.0
        _write_all(self._output, self.unwritten)
        self.unwritten.clear()
        self._resume = None
        if start.byte not in self._segments:
            self._segments.append(start.byte)
        self._prune()

    def _now(self) -> Start:
        """How things stand at the end."""
        return Start(self.end, self._chars, self._feeds, self._decoder.getstate()[0], self.cols, self.rows)

    def _drop_unwritten(self) -> None:
        self.unwritten.clear()
        self._resume = None

    def _mark(self, record: bytes) -> None:
        _write_all(self._marks, record)
        self._marks_size += len(record)

    def _prune(self) -> None:
        """Remove the oldest segments above the bound that nobody has yet to read."""
        while len(self._segments) > 1:
            following = self._segments[1]
            if self.end - following < self._keep_bytes or (self._guarded and following > self._needed):
                return
            for kind in ("log", "marks"):
                try:
                    os.unlink(_name(self._segments[0], kind))  # noqa: PTH108  a holder loads no pathlib
                except OSError:
                    continue
            del self._segments[0]

    def _close(self) -> None:
        for descriptor in (self._output, self._marks):
            if descriptor >= 0:
                os.close(descriptor)
        self._output = self._marks = -1


def segments(folder: str) -> list[int]:
    """The first bytes of the segments in a folder, oldest first."""
    names = [name[:-4] for name in os.listdir(folder) if name.endswith(".log")]
    return sorted(int(name) for name in names if name.isdigit())


def read_marks(folder: str, first: int) -> tuple[Start, list[tuple[int, float | tuple[int, int]]]]:
    """How a segment starts, and its marks: the byte, and from there on the time or the size.

    Raises:
        OSError: It can't be read, or is cut off.
    """
    with open(os.path.join(folder, _name(first, "marks")), "rb") as file:
        data = file.read()
    if len(data) < _HEADER.size:
        raise OSError(5, "the marks are cut off", _name(first, "marks"))
    char, feeds, cut, cols, rows, pending = _HEADER.unpack_from(data)
    return Start(first, char, feeds, pending[:cut], cols, rows), list(_marks(data))


def _marks(data: bytes) -> Iterator[tuple[int, float | tuple[int, int]]]:
    for at in range(_HEADER.size, len(data) - _MARK.size + 1, _MARK.size):
        byte, when = _MARK.unpack_from(data, at)
        if byte & _SIZE_FLAG:
            byte, cols, rows, _ = _SIZE_MARK.unpack_from(data, at)
            yield byte & ~_SIZE_FLAG, (cols, rows)
        else:
            yield byte, when


def _name(first: int, kind: str) -> str:
    return f"{first:020d}.{kind}"


def _write_all(descriptor: int, data: bytes | bytearray) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
