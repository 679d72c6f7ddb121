"""The main screen: how what is asked for reaches an action, and what actions may ask of it."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from engine import EngineGone, JobSpec, SpecError, StartError
from tui import keymap, toasts
from tui.actions import ACTIONS
from tui.actions.submitting import end_input_of, send, send_lines
from tui.bridge.bridge import Bridge
from tui.outfit import Outfit
from tui.screens.deck_focus import DeckFocus
from tui.show.cleaning import clean_line
from tui.store import Slot
from tui.terminal_driver import TerminalDriver
from tui.widgets.line import Line
from tui.widgets.rows import Rows
from tui.widgets.search_bar import SearchLine
from tui.widgets.stack import StatusStack
from tui.widgets.stack_filter import FilterLine
from tui.widgets.submit_prompt import SubmitPrompt

IN_TEXT = ("focus.next", "focus.previous", "tab.next", "tab.previous", "app.suspend")
"""What keys still do while a text field has the focus."""
IN_SEARCH = (*IN_TEXT, *(key.id for key in keymap.TABLE if key.where == "search"))
"""The same in the text field of a pane's search."""
IN_FILTER = (*IN_TEXT, *(key.id for key in keymap.TABLE if key.where == "filter"))
"""The same in the stack's filter."""


class DeckActions(DeckFocus, inherit_bindings=True):
    """The keys of the table act on what has the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.outfit: Outfit | None = None
        """Keys and themes; None where nobody has them."""
        self._bridge: Bridge | None = None
        self._to_open: dict[str, bool] = {}
        self.touched = False
        """Has the operator asked for anything yet?"""
        self._opening: Coroutine[Any, Any, object] | None = None
        """Has been asked for a dialog: until that is there, keys that were meant for it must not act on jobs."""

    @property
    def bridge(self) -> Bridge:
        """The way to the engine, from the mount on."""
        if self._bridge is None:
            raise RuntimeError("the main screen has no bridge before it is mounted")
        return self._bridge

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a text field keys are text, but for those that leave it; while a dialog comes up they are nothing."""
        if action != "do":
            return super().check_action(action, parameters)
        action_id = str(parameters[0])
        here: tuple[str, ...] = IN_TEXT
        if isinstance(self.focused, SearchLine | FilterLine):
            here = IN_SEARCH if isinstance(self.focused, SearchLine) else IN_FILTER
        if self._bridge is None:
            return False  # typed before there was a screen to see
        if self._opening is not None or (isinstance(self.focused, Input) and action_id not in here):
            return False
        return self.can_do(action_id)

    def can_do(self, action_id: str) -> bool:
        """Can this action be done here and now?"""
        return ACTIONS[action_id].can(self)

    def offers(self, action_id: str) -> bool:
        """Is this action worth naming here and now?"""
        action = ACTIONS[action_id]
        return (action.offered or action.can)(self)

    def action_do(self, action_id: str) -> None:
        """Do an action of the table, if it can be done now."""
        self.touched = True
        self._do(action_id)

    def _do(self, action_id: str) -> None:
        action = ACTIONS[action_id]
        if action.can(self):
            running = action.run(self)
            if running is not None:
                if action.opens:
                    self._opening = running
                self._run(running)
        self.show_footer()

    def _run(self, running: Coroutine[Any, Any, object]) -> None:
        self.run_worker(self._finish(running), group="actions", exit_on_error=False)

    async def _finish(self, running: Coroutine[Any, Any, object]) -> None:
        try:
            await running
        finally:
            if self._opening is running:
                self._opening = None

    def run_typing(self, sending: Coroutine[Any, Any, None]) -> None:
        """Send what is typed, beside all else."""
        self.run_worker(sending, group="typing", exit_on_error=False)

    def set_keypad(self, codes: bool) -> None:
        """Have the host terminal tell the keypad's keys apart from the others, or not."""
        driver = self.app._driver
        if isinstance(driver, TerminalDriver):
            driver.set_keypad(codes)

    def on_screen_suspend(self) -> None:
        """A dialog has come up: it gets the keys, and after it they are the console's, from the first on."""
        self._opening = None
        self.typist.leave()

    def on_line_clicked(self, event: Line.Clicked) -> None:
        """A tab, its ×, a key in the footer."""
        event.stop()
        self.touched = True
        verb, _, name = event.click.partition(":")
        if verb == "go":
            self.area.turn_to(name)
            self.focus_pane()
        elif verb == "signals":
            self.focus_signals(name)
        elif verb == "follow":
            self.area.turn_to(name)
            self.action_do("pane.follow")
        elif verb == "unsplit":
            self.area.take_out(name)
        elif verb == "close":
            self.close_tab(name)
        else:
            self.action_do(name or verb)

    def close_tab(self, slot_id: str) -> None:
        """Close a tab in this very moment; its job goes on. Who was in it is in the neighbour then, or in the stack."""
        within = slot_id == self.area.active and self.area.has_the_focus
        pane = self.area.shut(slot_id)
        if pane is None:
            return
        self.typist.closed(pane)
        if within:
            self.focus_pane()
        pane.remove()

    def on_status_stack_opened(self, event: StatusStack.Opened) -> None:
        """A row was clicked that is selected, or twice."""
        self.area.open(event.slot_id)
        self.focus_pane()

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """A wait or a hit was clicked that is selected, or twice."""
        self.action_do(f"{event.rows.id}.go")

    def on_submit_prompt_sent(self, event: SubmitPrompt.Sent) -> None:
        """A line for a job."""
        self._run(send(self, event.slot_id, event.text, secret=event.secret, raw=event.raw))

    def on_submit_prompt_end(self, event: SubmitPrompt.End) -> None:
        """No more input for a job."""
        slot = self.store.get(event.slot_id)
        if slot is not None:
            self._run(end_input_of(self, slot))

    def on_submit_prompt_pasted(self, event: SubmitPrompt.Pasted) -> None:
        """Several lines for a job."""
        self._opening = sending = send_lines(self, event.slot_id, event.lines, secret=event.secret)
        self._run(sending)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """An action that fails unforeseen is told, and ends nothing else."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            error = event.worker.error
            if isinstance(error, EngineGone):
                self.say("The engine has stopped: nothing reaches a job any more.", severity="error")
            else:
                self.app.log.error(error)
                self.say(f"jobdeck's own error: {type(error).__name__}: {error}", severity="error")

    # What actions may ask of the screen

    def say(self, text: str, *, severity: str = "information") -> None:
        """A toast; brackets are brackets. Failures stay longer."""
        toasts.say(self.app, text, severity)

    async def show_dialog(self, dialog: Screen[Any]) -> Any:
        """What the dialog was left with."""
        self.app.clear_notifications()  # else they would be shown again, over the dialog
        return await self.app.push_screen_wait(dialog)

    def open_when_known(self, session_id: str, *, turn: bool = True) -> None:
        """Open this job's tab, now or as soon as the engine has spoken of it."""
        slot = self.store.job(session_id)
        if slot is not None:
            self._open(slot, turn=turn)
        else:
            self._to_open[session_id] = turn

    def _open_known(self) -> None:
        for session_id, turn in tuple(self._to_open.items()):
            slot = self.store.job(session_id)
            if slot is not None:
                del self._to_open[session_id]
                self._open(slot, turn=turn)

    def _open(self, slot: Slot, *, turn: bool) -> None:
        self.area.open(slot.id, turn=turn)
        if turn:
            self.stack.put(self.store)
            self.stack.select(slot.id)

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Do it then, if the screen is still there."""
        self.set_timer(seconds, do)

    # Lines of the command line

    def start_line(self, line: str) -> None:
        """Start a shell line of the command line; what fails gets a row and a toast."""
        self._run(self._start(line, turn=True))

    def start_lines(self, lines: Sequence[str]) -> None:
        """The same of several; the first one's tab is turned to."""
        self._run(self._start_all(lines))

    async def _start_all(self, lines: Sequence[str]) -> None:
        for number, line in enumerate(lines):
            await self._start(line, turn=number == 0)

    async def _start(self, line: str, *, turn: bool) -> None:
        cols, rows = self.area.terminal_size()
        try:
            spec = JobSpec(command=line, pty=True, cols=cols, rows=rows, notify_on_complete=True)
            started = await self.bridge.ask(self.bridge.engine.spawn(spec))
        except StartError as error:
            self.say(f"✗ {line}: {error}", severity="error")  # its row is the engine's
        except Exception as error:  # noqa: BLE001  the other lines are started, and this one's row says what it was
            why = str(error) if isinstance(error, SpecError | EngineGone) else f"{type(error).__name__}: {error}"
            self.store.put_failed(line, why)
            self.stack.put(self.store)
            self.show_counts()
            self.say(f"✗ {clean_line(line, 60)} was not started: {why}", severity="error")
        else:
            self.drafts.started(line)
            self.open_when_known(started.session_id, turn=turn)
