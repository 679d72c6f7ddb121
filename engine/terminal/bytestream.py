"""The stream of bytes."""

import codecs
from typing import Any

from engine.terminal.stream import Stream


class ByteStream(Stream):
    """Feeds bytes to a screen: UTF-8, cut anywhere; what is not UTF-8 shows as U+FFFD."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.utf8_decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> None:  # type: ignore[override]  # as in pyte
        """Take bytes in."""
        super().feed(self.utf8_decoder.decode(data))
