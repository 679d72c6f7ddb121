"""The emulator: a terminal's screen, right and fast.

pyte's names and more; needs nothing else of the engine.
"""

from engine.terminal.bytestream import ByteStream
from engine.terminal.lines import Line, Run
from engine.terminal.logical import LogicalLines, Spot
from engine.terminal.pens import Pen
from engine.terminal.prelude import prelude
from engine.terminal.resets import newest_reset
from engine.terminal.screen import Screen
from engine.terminal.scrollback import Scrollback
from engine.terminal.stream import Stream

__all__ = [
    "ByteStream", "Line", "LogicalLines", "Pen", "Run", "Screen", "Scrollback", "Spot", "Stream", "newest_reset",
    "prelude",
]  # fmt: skip
