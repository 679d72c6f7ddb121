"""Pilot tests run the real console over a real engine; they wait for what they expect, never for time."""

import asyncio
import contextlib
import inspect
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.notifications import Notification, Notifications
from textual.pilot import Pilot
from textual.widgets import Input
from textual.widgets._toast import Toast
from waiting import PATIENCE

from engine import Engine, JobSpec, Settings
from tui.app import JobdeckApp
from tui.screens.deck import DeckScreen
from tui.show.states import look
from tui.store import Slot
from tui.widgets.pane import Pane


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run coroutine tests, each in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.function):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(pyfuncitem.function(**arguments))
    return True


class Console:
    """The running console, and what an operator sees of it."""

    def __init__(self, engine: Engine, app: JobdeckApp, pilot: Pilot[None], deck: DeckScreen) -> None:
        self.engine = engine
        self.app = app
        self.pilot = pilot
        self.deck = deck
        self.said = [toast.message for toast in app._notifications]
        """All that toasts have said so far: each is seen for a few seconds only."""
        add = app._notifications.add

        def said(notification: Notification) -> Notifications:
            self.said.append(notification.message)
            return add(notification)

        app._notifications.add = said  # type: ignore[method-assign]

    async def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Wait until it holds; fail with the screen's text if it doesn't."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > deadline:
                pytest.fail(f"waited in vain for {what or inspect.getsource(holds).strip()}\n{self.screen_text()}")
            await self.pilot.pause(0.01)

    async def press(self, *keys: str) -> None:
        """Press keys, each once the one before has done what it does at once."""
        for key in keys:
            await self.pilot.press(key)
            await self.arrived()

    async def arrived(self) -> None:
        """Wait until what is on its way has gone from the app down to the focus and back up.

        A pilot waits until this process is idle; on a loaded machine it also is while it waits for its turn.
        """
        for _ in range(2):
            focused = self.app.focused
            for node in (self.app, self.app.screen, *(focused.ancestors_with_self if focused is not None else ())):
                passed = asyncio.Event()
                comes = node.is_running and node.call_later(passed.set)
                while comes and not passed.is_set() and node.is_running and not node._closed:
                    with contextlib.suppress(TimeoutError):  # it may be just ending
                        await asyncio.wait_for(passed.wait(), 0.1)

    async def back(self) -> None:
        """Leave the dialog by Escape, and wait until the deck has the keys."""
        await self.press("escape")
        await self.until(lambda: self.app.screen is self.deck, "the dialog to be left")

    async def start(self, command: str, *, name: str = "", open_tab: bool = True, **fields: Any) -> Slot:
        """Start a job as the operator does, open its tab, and wait for it."""
        cols, rows = self.deck.area.terminal_size()
        spec = JobSpec(
            command=command,
            name=name,
            **{"pty": True, "cols": cols, "rows": rows, "notify_on_complete": True, **fields},
        )
        started = await asyncio.wrap_future(self.engine.spawn(spec).future)
        await self.until(lambda: self.deck.store.job(started.session_id) is not None, "word of the job")
        slot = self.deck.store.job(started.session_id)
        assert slot is not None
        if open_tab:
            self.deck.area.open(slot.id)
            await self.until(lambda: self.deck.area.active == slot.id)
        return slot

    def pane(self, slot: Slot) -> Pane:
        """The open pane of a slot."""
        pane = self.deck.area.pane_of(slot.id)
        assert pane is not None
        return pane

    async def wrote_more(self, slot: Slot, than: int) -> None:
        """Wait until the job has written more characters than that."""
        await self.until(lambda: slot.job.total_output_chars > than)

    def pane_text(self) -> str:
        """What the pane in sight shows."""
        view = self.deck.area.view
        if view is None:
            return ""
        return "\n".join(view.render_line(y).text.rstrip() for y in range(view.size.height)).rstrip()

    def pane_lines(self, slot: Slot) -> list[str]:
        """Every line that a slot's pane holds, scrollback and all."""
        emulator = self.pane(slot).emulator
        rows = [emulator.text(row).rstrip() for row in range(emulator.first, emulator.end)]
        return [row for row in rows if row]

    def stack_text(self) -> str:
        stack = self.deck.stack
        return "\n".join(stack.render_line(y).text.rstrip() for y in range(stack.size.height)).rstrip()

    def toasts(self) -> list[str]:
        """What toasts say now."""
        return [toast._notification.message for toast in self.app.screen.query(Toast)]

    def screen_text(self) -> str:
        """The whole screen as it is painted."""
        screen = self.app.screen
        lines = screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in line).rstrip() for line in lines)

    def look(self, slot: Slot) -> str:
        return str(look(slot.job))

    async def paste(self, text: str) -> None:
        """Paste as a terminal does, into what has the focus."""
        assert self.app.focused is not None
        self.app.focused.post_message(events.Paste(text))
        await self.arrived()

    async def dialog(self, key: str, field: str) -> None:
        """Open a dialog by its key; it begins with this field."""
        await self.press(key)
        await self.until(lambda: self.app.focused is not None and self.app.focused.id == field, f"the dialog of {key}")

    async def type(self, text: str) -> None:
        """Type into the text field that has the focus."""
        assert isinstance(self.app.focused, Input)
        self.app.focused.insert_text_at_cursor(text)
        await self.arrived()


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk and a pane under load may take long: they are waited for as long as a test waits."""
    monkeypatch.setattr("tui.memory._CLOSE_SECONDS", PATIENCE)
    monkeypatch.setattr("tui.actions.jumping.PATIENCE_SECONDS", PATIENCE)


@pytest.fixture
def settings() -> Settings:
    """The engine's figures; a test that needs others has them as a parameter."""
    return Settings()


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    with Engine(settings) as engine:
        yield engine


Opened = Callable[..., AbstractAsyncContextManager[Console]]


@pytest.fixture
def console(engine: Engine) -> Opened:
    """Opens the console: ``async with console("line to start", size=(100, 30)) as shown``."""

    @asynccontextmanager
    async def open_it(*lines: str, size: tuple[int, int] = (120, 32)) -> AsyncIterator[Console]:
        app = JobdeckApp(engine, lines)
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            deck = app.screen_stack[0]  # what an engine says at once may have opened a dialog over it
            assert isinstance(deck, DeckScreen)
            shown = Console(engine, app, pilot, deck)
            await shown.until(lambda: deck.focused is not None and deck.size == app.size, "the main screen")
            await shown.until(lambda: deck.area.size.area or deck.has_class("-single"), "room for panes")
            yield shown

    return open_it
