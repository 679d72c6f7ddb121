"""The main screen: where its parts stand, and how what is asked for reaches an action."""

from collections.abc import Coroutine, Sequence
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from engine import EngineGone, JobSpec, SpecError, StartError
from engine.events import Event, JobView
from tui import keymap, news
from tui.actions import ACTIONS
from tui.actions.jobs import send
from tui.bridge.bridge import Bridge, LivingEngine
from tui.bridge.stream import PaneStream
from tui.screens.engine_died import EngineDied
from tui.show.cleaning import clean
from tui.store import JobStore, Slot
from tui.widgets.footer import Footer
from tui.widgets.header import Header
from tui.widgets.line import Line, Piece
from tui.widgets.pane_area import PaneArea
from tui.widgets.stack import StatusStack
from tui.widgets.stack_title import StackTitle
from tui.widgets.submit_prompt import SubmitPrompt

IN_TEXT = ("focus.next", "focus.previous", "tab.next", "tab.previous")
"""What keys still do while a text field has the focus."""


class DeckScreen(Screen[None], inherit_bindings=False):
    """The stack at the left, the pane at the right; the keys of the table act on what has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("anywhere", "job")]
    HORIZONTAL_BREAKPOINTS = [(0, "-single"), (60, "-rail"), (100, "-wide")]  # noqa: RUF012 - Textual declares it so
    AUTO_FOCUS = "#stack"

    def __init__(self, engine: LivingEngine, lines: Sequence[str] = ()) -> None:
        super().__init__()
        self._engine = engine
        self._lines = tuple(lines)
        self._bridge: Bridge | None = None
        self._to_open: dict[str, bool] = {}
        self._opening = False
        """A dialog has been asked for: until it is there, keys that were meant for it must not act on jobs."""
        self.store = JobStore()
        self.header = Header()
        self.stack_title = StackTitle()
        self.stack = StatusStack(self.store.get)
        self.area = PaneArea(self.store)
        self.prompt = SubmitPrompt()
        self.footer = Footer()

    def compose(self) -> ComposeResult:
        """Header, body, footer."""
        yield self.header
        with Horizontal(id="body"):
            with Vertical(id="stack-column"):
                yield self.stack_title
                yield self.stack
            with Vertical(id="pane-column"):
                yield self.area
                yield self.prompt
        yield self.footer

    def on_mount(self) -> None:
        """Open the bridge; start what the command line named as soon as the panes have a size."""
        # Textual sets this class with the first resize, which is after the first look at how much room a pane has.
        width = self.app.size.width
        self.add_class(next(name for least, name in reversed(self.HORIZONTAL_BREAKPOINTS) if width >= least))
        self._bridge = Bridge(self._engine, self)
        self.area.connect(self._bridge, self._resize)
        self._bridge.open()
        self._show_all()
        if self._lines:
            self.call_after_refresh(self._start_lines)

    def on_unmount(self) -> None:
        """The engine goes on without us."""
        if self._bridge is not None:
            self._bridge.close()

    @property
    def bridge(self) -> Bridge:
        """The way to the engine, from the mount on."""
        if self._bridge is None:
            raise RuntimeError("the main screen has no bridge before it is mounted")
        return self._bridge

    # What comes over the bridge

    def take_events(self, events: Sequence[Event]) -> None:
        """The engine spoke: the store takes it in, the parts show it."""
        before = [slot.id for slot in self.store]
        self.store.apply(events)
        for session_id, turn in tuple(self._to_open.items()):
            slot = self.store.job(session_id)
            if slot is not None:
                del self._to_open[session_id]
                self._open(slot, turn=turn)
        self.area.refresh_jobs()
        if [slot.id for slot in self.store] != before:
            self.stack.put(self.store)
        else:
            self.stack.touch(job.slot for event in events if isinstance(job := getattr(event, "job", None), JobView))
        self._show_all()
        news.tell(
            events, lambda text, how: self.say(text, severity=how), current=lambda sid: self.store.job(sid) is not None
        )

    def overdue(self, what: str) -> None:
        """A call is unanswered for too long."""
        self.say(f"The engine has not answered “{what}” yet. Jobs go on; the answer will be shown.", severity="warning")

    def engine_died(self) -> None:
        """Say it, and offer to leave."""
        self.run_worker(self._offer_to_leave(), exit_on_error=False)

    async def _offer_to_leave(self) -> None:
        self.header.stopped = "engine stopped"
        if await self.show_dialog(EngineDied()):
            self.app.exit(return_code=1)

    def visible_streams(self) -> Sequence[PaneStream]:
        """For the pump: what can be seen."""
        return self.area.streams()

    # What is asked for

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a text field keys are text, but for those that leave it; while a dialog comes up they are nothing."""
        if action != "do":
            return super().check_action(action, parameters)
        action_id = str(parameters[0])
        if self._opening or (isinstance(self.focused, Input) and action_id not in IN_TEXT):
            return False
        return ACTIONS[action_id].can(self)

    def action_do(self, action_id: str) -> None:
        """Do an action of the table, if it can be done now."""
        action = ACTIONS[action_id]
        if action.can(self):
            running = action.run(self)
            if running is not None:
                self._opening = action.opens
                self.run_worker(self._finish(running), group="actions", exit_on_error=False)
        self._show_footer()

    async def _finish(self, running: Coroutine[Any, Any, None]) -> None:
        try:
            await running
        finally:
            self._opening = False

    def on_line_clicked(self, event: Line.Clicked) -> None:
        """A tab, its ×, a key in the footer."""
        event.stop()
        verb, _, name = event.click.partition(":")
        if verb == "go":
            self.area.turn_to(name)
            self.focus_pane()
        elif verb == "close":
            self.run_worker(self.area.close(name), exit_on_error=False)
        else:
            self.action_do(name or verb)

    def on_status_stack_opened(self, event: StatusStack.Opened) -> None:
        """A row was clicked."""
        self.area.open(event.slot_id)
        self.focus_pane()

    def on_submit_prompt_sent(self, event: SubmitPrompt.Sent) -> None:
        """A line for a job."""
        self.run_worker(send(self, event.slot_id, event.text), group="actions", exit_on_error=False)

    def on_submit_prompt_left(self) -> None:
        """Back to the pane."""
        self.focus_pane()

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

    def target(self) -> Slot | None:
        """The job that keys act on."""
        in_stack = self.focused is self.stack or self.area.active is None
        return self.store.get(self.stack.selected if in_stack else self.area.active)

    def say(self, text: str, *, severity: str = "information") -> None:
        """A toast; brackets are brackets. Failures stay longer."""
        seconds = {"error": 10.0, "warning": 7.0}.get(severity, 4.0)
        lines = "\n".join(clean(line) for line in text.split("\n"))
        self.notify(lines, severity=severity, timeout=seconds, markup=False)  # type: ignore[arg-type]

    async def show_dialog(self, dialog: Screen[Any]) -> Any:
        """What the dialog was left with."""
        try:
            return await self.app.push_screen_wait(dialog)
        finally:
            self._opening = False

    def open_when_known(self, session_id: str, *, turn: bool = True) -> None:
        """Open this job's tab, now or as soon as the engine has spoken of it."""
        slot = self.store.job(session_id)
        if slot is not None:
            self._open(slot, turn=turn)
        else:
            self._to_open[session_id] = turn

    def _open(self, slot: Slot, *, turn: bool) -> None:
        self.area.open(slot.id, turn=turn)
        if turn:
            self.stack.put(self.store)
            self.stack.select(slot.id)

    def move_focus(self, by: int) -> None:
        """From the stack to the pane to the prompt, while they can be seen, and round."""
        places = [
            self.stack,
            *([self.area.view] if self.area.view else []),
            *([self.prompt.line] if self.prompt.display else []),
        ]
        at = next((number for number, widget in enumerate(places) if widget is self.focused), 0)
        place = places[(at + by) % len(places)]
        if place is not None:
            self.remove_class("-zoomed")
            self.set_class(place is not self.stack, "-in-pane")
            self.set_focus(place, scroll_visible=False)

    def focus_pane(self) -> None:
        """Into the pane; back to the stack if there is none."""
        self.set_class(self.area.pane is not None, "-in-pane")
        if not self.area.focus_pane():
            self.remove_class("-zoomed")
            self.set_focus(self.stack, scroll_visible=False)

    def zoom(self) -> None:
        """The pane alone, and back."""
        self.toggle_class("-zoomed")
        if self.has_class("-zoomed"):
            self.focus_pane()

    def selected_text(self) -> str | None:
        """The text that is selected in a pane."""
        return self.get_selected_text()

    # Showing

    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        """Other keys work here."""
        self.set_class(self.focused is not self.stack, "-in-pane")
        self._show_footer()

    def on_pane_area_turned(self) -> None:
        """The stack's selection goes along, and so do the keys."""
        if self.area.active is not None:
            self.stack.select(self.area.active)
        if self.prompt.display and self.prompt.slot_id != self.area.active:
            self.prompt.display = False
            self.focus_pane()
        self._show_all()

    def on_status_stack_selected(self) -> None:
        """Other keys may work on this job."""
        self._show_footer()

    def _show_all(self) -> None:
        self.header.count(self.store)
        self.stack_title.count(self.store)
        self._show_footer()

    def _show_footer(self) -> None:
        if self.prompt.display and self.focused is self.prompt.line:
            key, text = "bold $footer-key-foreground", "$quiet"
            self.footer.say(
                Piece(" enter", key), Piece(" send  ", text), Piece("↑ ↓", key), Piece(" sent before  ", text),
                Piece("esc", key), Piece(" back", text),
            )  # fmt: skip
            return
        places = {"anywhere", "job", "pane" if self.area.pane_has_focus else "stack"}
        self.footer.show(places, lambda action_id: ACTIONS[action_id].can(self))

    # The engine's part

    def _resize(self, job: JobView, cols: int, rows: int) -> None:
        self.run_worker(self._ask_resize(job, cols, rows), exit_on_error=False)

    async def _ask_resize(self, job: JobView, cols: int, rows: int) -> None:
        await self.bridge.ask(self.bridge.engine.resize(job.session_id, cols, rows))

    def _start_lines(self) -> None:
        self.run_worker(self._start(self._lines), exit_on_error=False)

    async def _start(self, lines: Sequence[str]) -> None:
        cols, rows = self.area.terminal_size()
        for number, line in enumerate(lines):
            try:
                started = await self.bridge.ask(
                    self.bridge.engine.spawn(JobSpec(command=line, pty=True, cols=cols, rows=rows))
                )
            except (SpecError, StartError) as error:
                self.say(f"✗ {line}: {error}", severity="error")
            else:
                self.open_when_known(started.session_id, turn=number == 0)
