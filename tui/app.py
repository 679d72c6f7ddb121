"""The application: themes, stylesheets, signals; everything else is in the main screen."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.console import RenderableType
from textual import events
from textual._styles_cache import StylesCache
from textual.app import App, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen

from engine import record_trouble
from tui import ascii_only, themes
from tui.ascii_only import AsciiOnly
from tui.bridge.bridge import LivingEngine
from tui.collecting import EVERY_SECONDS, Collecting
from tui.job_control import shell_waits, stop_group
from tui.memory import Memory
from tui.outfit import Outfit
from tui.palette import DeckCommands
from tui.screens.deck import DeckScreen
from tui.styles_path import styles_folder
from tui.terminal_driver import TerminalDriver
from tui.wardrobe import Colours

_SIGNALS = {
    number: 128 + number
    for number in (
        signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
    )
}  # fmt: skip
"""Signals that ask us to go, and the exit codes they leave; Textual handles none of them itself."""


class JobdeckApp(App[None], inherit_bindings=False):
    """The console over an engine that is already running. It ends no job: who made the engine does."""

    TITLE = "jobdeck"
    CSS_PATH = sorted(styles_folder().glob("*.tcss"))
    COMMANDS: ClassVar = {DeckCommands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,super+c", "screen.copy_text", show=False),
        Binding("ctrl+z", "suspend_process", show=False),
    ]

    def __init__(self, engine: LivingEngine, lines: Sequence[str] = (), memory: Memory | None = None) -> None:
        """``memory``: how the console stood the last time, and where that is kept; None: nothing is remembered."""
        super().__init__(driver_class=TerminalDriver)
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-usual")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (28, "-high")]
        self._engine = engine
        self._lines = lines
        self._deck: DeckScreen | None = None
        self._ascii = AsciiOnly(on=ascii_only.wanted(engine.settings.ascii, os.environ))
        self._collecting = Collecting()
        self._memory = memory
        self._is_up = False
        self._leaves_with: int | None = None
        """The exit code that a signal asked for."""
        self._outfit = Outfit(self)
        self._outfit.put_on(engine.configuration, memory.last.theme if memory is not None else "")

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        self._deck = DeckScreen(self._engine, self._lines, self._memory, self._outfit, self._ascii)
        return self._deck

    def fit_terminal(self) -> None:
        """The terminal is known: themes are made of the colours that it has."""
        many = {"256": Colours.EIGHT_BIT, "truecolor": Colours.ALL}
        self._outfit.wardrobe.fit(many.get(self.console.color_system or "", Colours.SIXTEEN))

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What each painted line goes through: no colours, or no signs but ASCII's, where that is wanted."""
        filters = [*super().get_line_filters(), *((self._ascii,) if self._ascii.on else ())]
        if self.no_color and self.native_ansi_color:  # Textual chooses before there is a theme
            filters = [NoColor() if isinstance(one, Monochrome) else one for one in filters]
        return filters

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What our parts need of a theme that isn't ours."""
        return themes.defaults(self.current_theme)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """None of Textual's own: the palette offers what the table of keys does."""
        return ()

    def on_load(self) -> None:
        """Leave in order when asked to by a signal, from before the terminal is taken until it has been given back: the
        handlers go with the loop."""
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number, code in _SIGNALS.items():
                loop.add_signal_handler(number, self._leave, code)

    def on_mount(self) -> None:
        """Let no thread's error pass unseen."""
        threading.excepthook = self._thread_failed
        self._collecting.begin()
        self.set_interval(EVERY_SECONDS, self._collecting.look)
        # The terminal is empty then, and Textual believes that all it has painted is still there.
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh(layout=True))

    async def on_event(self, event: events.Event) -> None:
        """In type mode keys, pastes and the mouse over its screen are a job's, before any binding or widget."""
        if isinstance(event, events.InputEvent):
            self._collecting.touched()
        if isinstance(event, events.Key | events.Paste | events.MouseEvent) and not event.is_forwarded:
            deck = self._deck
            if deck is not None and deck.is_current and deck.typist.take(event):
                self.app_focus = True  # where there is input, there is the focus
                return
        await super().on_event(event)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where nothing is to move by itself, its cursor doesn't blink."""
        self._outfit.motion.settle(event.widget)

    def on_app_focus(self) -> None:
        """A job that is typed into may want to know."""
        if self._deck is not None:
            self._deck.typist.tell_focus(True)
            self._deck.outside.focus(True)
            self._deck.claim_size()

    def on_app_blur(self) -> None:
        """A job that is typed into may want to know."""
        if self._deck is not None:
            self._deck.typist.tell_focus(False)
            self._deck.outside.focus(False)

    def on_focus_reported(self) -> None:
        """The terminal will tell of its focus."""
        if self._deck is not None:
            self._deck.outside.reports_focus()

    def pop_screen(self) -> AwaitComplete:
        """Back to the screen below."""
        popped = super().pop_screen()
        # Textual remembers colours by the cache that asked for them, and so all that a thousand closed widgets painted.
        StylesCache.get_inner_outer.cache_clear()
        return popped

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave. What failed before stays a failure: leaving in order after it doesn't make it good."""
        super().exit(result, return_code or self.return_code or 0, message)

    def action_suspend_process(self) -> None:
        """Ctrl+Z: back to the shell; the jobs go on."""
        if self.is_headless or not shell_waits():
            self._say("Ctrl+Z has no shell to go back to here", "warning")
        else:
            self.app_suspend_signal.publish(self)
            stop_group()

    def on_unmount(self) -> None:
        """Give back what was taken."""
        self._collecting.end()
        threading.excepthook = threading.__excepthook__

    def on_ready(self) -> None:
        """The first frame is there: from now on it can be left."""
        self._is_up = True
        if self._leaves_with is not None:
            self.exit(return_code=self._leaves_with)

    def _leave(self, code: int) -> None:
        self._leaves_with = code
        if self._is_up:  # what is half made can't be taken apart
            self.exit(return_code=code)

    def _thread_failed(self, failure: threading.ExceptHookArgs) -> None:
        name = failure.thread.name if failure.thread is not None else "a thread"
        text = f"jobdeck's own error in {name}: {failure.exc_type.__name__}: {failure.exc_value}"
        path = record_trouble(f"error in {name}", failure.exc_value)
        text += f" (see {path})" if path else ""
        if self._deck is not None and self._deck.is_mounted:
            self._deck.bridge.report(self._say, text)

    def _say(self, text: str, severity: str = "error") -> None:
        if self._deck is not None:
            self._deck.say(text, severity=severity)
