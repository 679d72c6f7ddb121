"""The terminal emulator: a screen with scrollback, and streams that feed it. Imports nothing of the engine."""

from engine.terminal.pen import Pen, Run
from engine.terminal.screen import Screen
from engine.terminal.scrollback import Scrollback
from engine.terminal.stream import ByteStream, Stream

__all__ = ["ByteStream", "Pen", "Run", "Screen", "Scrollback", "Stream"]
