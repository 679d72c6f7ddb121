"""True answers to what a program asks its terminal, whether a pane shows it or not (spec 1.3)."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.output.buffer import OutputBuffer
from engine.output.questions import Responder

if TYPE_CHECKING:
    from engine.output.live_screen import LiveScreen

_SLICE_SECONDS = 0.004
_KEPT_SECONDS = 3.0
"""How long a screen that was made for a question is kept for the next."""


class Answers:
    """Answers the questions in one job's output, in their order. On the engine's loop.

    What needs no state is answered at once. For the rest a screen is made from the buffer, fed exactly up to the
    question, and kept for some seconds; while it is there it answers everything.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, buffer: OutputBuffer, send: Callable[[bytes], object]) -> None:
        self._loop = loop
        self._buffer = buffer
        self._send = send
        self._responder = Responder()
        self._screen: LiveScreen | None = None
        self._advancing: asyncio.Handle | None = None
        self._release: asyncio.TimerHandle | None = None

    def text_came(self, text: str) -> None:
        """This text was just added at the buffer's end."""
        size = self._buffer.marks.size_at(self._buffer.end)
        answers = self._responder.feed(text, size.cols, size.rows)
        if self._responder.needs_screen:
            if self._screen is None:
                from engine.output.live_screen import LiveScreen  # brings the emulator, which few jobs need

                self._screen = LiveScreen(self._buffer, self._buffer.end - len(text), self._answer)
            self._keep()
        if self._screen is not None:
            if self._advancing is None:
                self._advance()
        elif answers:
            self._answer(answers)

    def close(self) -> None:
        """The job has ended: nobody asks any more."""
        for handle in (self._advancing, self._release):
            if handle is not None:
                handle.cancel()
        self._screen = self._advancing = self._release = None

    def _advance(self) -> None:
        self._advancing = None
        if self._screen is not None and self._screen.advance(_SLICE_SECONDS):
            self._advancing = self._loop.call_soon(self._advance)

    def _answer(self, text: str) -> None:
        self._send(text.encode())

    def _keep(self) -> None:
        if self._release is not None:
            self._release.cancel()
        self._release = self._loop.call_later(_KEPT_SECONDS, self._let_go)

    def _let_go(self) -> None:
        self._release = None
        if self._advancing is not None:
            self._keep()  # a question still waits for the screen to get there
        else:
            self._screen = None
