"""The way to the host terminal, which may be gone at any moment: a closed window, a lost ssh connection."""

import codecs
import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

from textual import constants
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from tui.input.host_events import HostEvents
from tui.input.pieces import Cutter, Piece

HANGUP = 129
"""The exit code when the terminal is gone: 128 + SIGHUP."""
_READ_BYTES = 65_536
_LOOK_SECONDS = 0.1
"""How often the thread that reads looks whether it is to end."""


class FadingFile:
    """A terminal's file that takes what is written when nobody can see it any more.

    Textual's writer thread ends by the first error of a write; whoever writes then waits for it forever.
    """

    def __init__(self, file: TextIO, gone: Callable[[], None]) -> None:
        self._file = file
        self._gone = gone

    def write(self, text: str) -> None:
        """Write, or say that the terminal is gone."""
        try:
            self._file.write(text)
        except (OSError, ValueError):
            self._gone()

    def flush(self) -> None:
        """Flush, or say that the terminal is gone."""
        try:
            self._file.flush()
        except (OSError, ValueError):
            self._gone()

    def fileno(self) -> int:
        """The descriptor."""
        return self._file.fileno()


def _own_way_in(fileno: int) -> int:
    """The same terminal by a descriptor that never blocks, which nobody else has; ``fileno`` where there is none.

    Stopped between being told of input and reading it, we read when we go on, and by then a shell may have read it. A
    thread that blocks there waits for the next key, and whoever wants it to end waits with it.
    """
    try:
        return os.open(os.ttyname(fileno), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return fileno


class TerminalDriver(LinuxDriver):
    """Textual's driver, which leaves in order when the terminal is gone instead of waiting for it."""

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.fileno = _own_way_in(self.fileno)
        self._keypad_codes = False
        # Textual handles these two in the middle of whatever the main thread does. If that is a write, the handler
        # waits forever for the lock that it has: so they take their turn on the loop.
        self._loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        self._loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)
        self._file = cast(Any, FadingFile(cast(TextIO, self._file), self._terminal_gone))

    def set_keypad(self, codes: bool) -> None:
        """Ask the terminal to send codes of their own for the keypad's keys (DECKPAM), or what they say."""
        if codes != self._keypad_codes and self._writer_thread is not None:
            self._keypad_codes = codes
            self.write("\x1b=" if codes else "\x1b>")

    def start_application_mode(self) -> None:
        """Take the terminal, and ask whether it tells of its focus."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is not None and os.environ.get("TERM_PROGRAM", "") != "Apple_Terminal":
            self.write("\x1b[?1004$p")  # that one would show the question's last letter

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        self.set_keypad(False)
        super().stop_application_mode()

    def _get_terminal_size(self) -> tuple[int, int]:
        # Textual's own believes COLUMNS and LINES in the environment, which don't change with the terminal.
        try:
            size = os.get_terminal_size(self.fileno)
        except OSError:
            return super()._get_terminal_size()
        return size.columns or 80, size.lines or 24

    def _sigcont_application(self, *_: object) -> None:
        # A hang-up brings one too, and so it may come while we are leaving: what was begun then would never be ended.
        if self._app._exit:
            return
        if not os.isatty(self.fileno):
            self._terminal_gone()
            return
        # Stopped by a SIGSTOP, which can't be caught, we left the terminal as it was and the shell has used it since:
        # give it up properly first. Textual's own would start a second thread of input beside the first.
        if self._key_thread is not None and self._key_thread.is_alive():
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:  # Textual's own would tell the error to a terminal that isn't there
            self._terminal_gone()

    def run_input_thread(self) -> None:
        """Read, cut into keys, pastes and reports, and pass them on until the driver is to end.

        Textual's own forgets what was sent for a key, and loses what it doesn't know: jobs are typed into.
        """
        cutter, events = Cutter(), HostEvents()
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        came = 0.0

        def pass_on(pieces: Iterable[Piece]) -> None:
            for event in events.of(pieces):
                self.process_message(event)

        while not self.exit_event.is_set():
            wait = _LOOK_SECONDS
            if cutter.begun:
                wait = max(0.0, min(wait, came + constants.ESCAPE_DELAY - time.monotonic()))
            if select.select([self.fileno], [], [], wait)[0]:
                try:
                    data = os.read(self.fileno, _READ_BYTES)
                except BlockingIOError:
                    continue  # what there was to read, the shell has read while we were stopped
                if not data:
                    self._terminal_gone()
                    return
                came = time.monotonic()
                pass_on(cutter.feed(decoder.decode(data)))
            elif cutter.begun and time.monotonic() >= came + constants.ESCAPE_DELAY:
                pass_on(cutter.give_up())

    def _terminal_gone(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: we are leaving already
            self._loop.call_soon_threadsafe(lambda: self._app.exit(return_code=HANGUP))
