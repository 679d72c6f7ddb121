"""The application: themes, stylesheets, signals; everything else is in the main screen."""

import asyncio
import signal
import threading
from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from engine import record_trouble
from tui import themes
from tui.bridge.bridge import LivingEngine
from tui.palette import DeckCommands
from tui.screens.deck import DeckScreen
from tui.styles_path import styles_folder
from tui.terminal_driver import HANGUP, TerminalDriver

_SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: HANGUP}
"""Signals that ask us to go, and the exit codes they leave; Textual handles none of them itself."""


class JobdeckApp(App[None], inherit_bindings=False):
    """The console over an engine that is already running. It ends no job: who made the engine does."""

    TITLE = "jobdeck"
    CSS_PATH = sorted(styles_folder().glob("*.tcss"))
    COMMANDS: ClassVar = {DeckCommands}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,super+c", "screen.copy_text", show=False)]

    def __init__(self, engine: LivingEngine, lines: Sequence[str] = ()) -> None:
        super().__init__(driver_class=TerminalDriver)
        self._engine = engine
        self._lines = lines
        self._deck: DeckScreen | None = None
        self.register_theme(themes.DARK)
        self.register_theme(themes.LIGHT)
        self.theme = themes.DARK.name

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        self._deck = DeckScreen(self._engine, self._lines)
        return self._deck

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What our parts need of a theme that isn't ours."""
        return themes.DEFAULTS

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """None of Textual's own: the palette offers what the table of keys does."""
        return ()

    def on_mount(self) -> None:
        """Leave in order when asked to by a signal; let no thread's error pass unseen."""
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number, code in _SIGNALS.items():
                loop.add_signal_handler(number, self._leave, code)
        threading.excepthook = self._thread_failed

    def on_unmount(self) -> None:
        """Give back what was taken."""
        threading.excepthook = threading.__excepthook__
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                asyncio.get_running_loop().remove_signal_handler(number)

    def _leave(self, code: int) -> None:
        self.exit(return_code=code)

    def _thread_failed(self, failure: threading.ExceptHookArgs) -> None:
        name = failure.thread.name if failure.thread is not None else "a thread"
        text = f"jobdeck's own error in {name}: {failure.exc_type.__name__}: {failure.exc_value}"
        path = record_trouble(f"error in {name}", failure.exc_value)
        text += f" (see {path})" if path else ""
        if self._deck is not None and self._deck.is_mounted:
            self._deck.bridge.report(self._say, text)

    def _say(self, text: str) -> None:
        if self._deck is not None:
            self._deck.say(text, severity="error")
