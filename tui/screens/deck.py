"""The main screen: how what the engine says is shown, and how what is asked for reaches an action."""

import os
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from engine import EngineGone, JobSpec, SpecError, StartError
from engine.events import ConfigurationChanged, Event, JobView, PaneClosed
from engine.results import Usage
from tui import keymap, news, toasts
from tui.actions import ACTIONS
from tui.actions.submitting import end_input_of, send, send_lines
from tui.announcer import Announcer
from tui.ascii_only import AsciiOnly, wanted
from tui.bridge.bridge import Bridge, LivingEngine
from tui.bridge.stream import PaneStream
from tui.continuity import Continuity
from tui.gauge import Gauge, OwnUse
from tui.memory import Memory
from tui.news import Toast
from tui.outfit import Outfit, problem_words
from tui.outside.outside import Outside
from tui.screens.engine_died import EngineDied
from tui.screens.layout import DeckLayout
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


class DeckScreen(DeckLayout, inherit_bindings=True):
    """Hears the engine over the bridge; the keys of the table act on what has the focus."""

    def __init__(
        self,
        engine: LivingEngine,
        lines: Sequence[str] = (),
        memory: Memory | None = None,
        outfit: Outfit | None = None,
        ascii_only: AsciiOnly | None = None,
    ) -> None:
        super().__init__()
        self.ascii_only = ascii_only or AsciiOnly(on=False)
        """Whether everything is shown in ASCII."""
        self.outfit = outfit
        """Keys and themes; None where nobody has them."""
        if outfit is not None:
            outfit.bind(self._bindings)
        self._engine = engine
        self._lines = tuple(lines)
        self.stack.grace = engine.settings.term_grace_seconds
        self._settings = settings = engine.settings
        self.signals.hits.cooldown = settings.watch_cooldown_seconds
        mode, self._wrong_mode = news.mode_of(settings.notifications, os.environ)
        self.outside = Outside(self)
        self.outside.ways.take(settings)
        self.announcer = Announcer(self, mode, settings.completion_batch_seconds, self.store.name_of, self.outside)
        self._bridge: Bridge | None = None
        self._gauge: Gauge | None = None
        self._own_use: OwnUse | None = None
        self._to_open: dict[str, bool] = {}
        self.touched = bool(lines)
        """Has the operator asked for anything yet?"""
        self._continuity = Continuity(self, memory, self._run) if memory is not None else None
        self._told_of_away = False
        self._opening = False
        """A dialog has been asked for: until it is there, keys that were meant for it must not act on jobs."""

    def on_mount(self) -> None:
        """Open the bridge; start what the command line named as soon as the panes have a size."""
        self.fit()
        self._bridge = Bridge(self._engine, self)
        self.area.connect(self._bridge, self._resize, self.follow_pane)
        self._bridge.open()
        if self._continuity is not None:
            self._continuity.begin()
        bridge = self._bridge
        self.drawer.connect(lambda session_id: bridge.ask(bridge.engine.inspect(session_id)))
        self._gauge = Gauge(self, lambda: bridge.ask(bridge.engine.usage()), self._take_usage)
        self.show_counts()
        if self._wrong_mode:
            self.say(self._wrong_mode, severity="warning")
        if self.outfit is not None and self.outfit.problems:
            self.say(problem_words(self.outfit.problems), severity="warning")
        if self._lines:
            self.call_after_refresh(self._start_lines)

    def on_unmount(self) -> None:
        """The engine goes on without us."""
        if self._continuity is not None:
            self._continuity.leave()
        self.outside.close()
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
        told = self.store.apply(events)
        signals = self.signals.take(events)
        if self.away.apply(events):
            self._tell_of_away()
        if self.batches.apply(events):
            self.stack.put(self.store)  # whose child a job is, and which, may be known only now
            self.batches_line.tell()
        for session_id, turn in tuple(self._to_open.items()):
            slot = self.store.job(session_id)
            if slot is not None:
                del self._to_open[session_id]
                self._open(slot, turn=turn)
        for event in events:
            if isinstance(event, PaneClosed) and (closed := self.store.job(event.session_id)) is not None:
                self.close_tab(closed.id)
            elif isinstance(event, ConfigurationChanged):
                self._reconfigure()
        if self._continuity is not None:
            self._continuity.take(events)
        self.typist.follow(self.store)
        self.area.refresh_jobs()
        self.drawer.follow(self.store.get(self.drawer.slot_id))
        asked = self.store.get(self.prompt.slot_id) if self.prompt.display else None
        if asked is not None:
            self.prompt.hide_typing(asked.job.hides_input)
        if told.rows:
            self.stack.put(self.store)
        else:
            self.stack.touch(job.slot for event in events if isinstance(job := getattr(event, "job", None), JobView))
        if told.standing:
            self.show_counts()
        if signals:
            self.stack.refresh()
            self.fit()
        if self.saving.apply(events):
            self.saving_line.tell()
        self.announcer.take([event for event in events if not self.saving.is_known(event)])

    def _reconfigure(self) -> None:
        """The configuration's files were read again: keys, themes and the console's own settings are theirs now."""
        settings, before = self._engine.settings, self._settings
        self._settings = settings
        if self.outfit is not None:
            if problems := self.outfit.put_on(self._engine.configuration):
                self.say(problem_words(problems), severity="warning")
            self.outfit.bind(self._bindings)
        self.stack.grace = settings.term_grace_seconds
        self.signals.hits.cooldown = settings.watch_cooldown_seconds
        mode, wrong = news.mode_of(settings.notifications, os.environ)
        self.announcer.change(mode, settings.completion_batch_seconds)
        self.outside.ways.take(settings)
        if wrong:
            self.say(wrong, severity="warning")
        if settings.ascii != before.ascii:
            self.ascii_only.on = wanted(settings.ascii, os.environ)
            self.repaint()
        if settings.redact_panes != before.redact_panes:
            self.area.redact(settings.redact_panes)
        self.area.refresh_jobs()
        self.refresh(recompose=False)
        self.show_footer()

    def show_footer(self) -> None:
        """Whatever the operator does comes to this: remember how things stand now."""
        super().show_footer()
        if self._continuity is not None:
            self._continuity.soon()

    def _tell_of_away(self) -> None:
        """A line says it until it is read; what ended or was lost is shown at once, to who has done nothing yet."""
        self.away_line.tell()
        news = self.away.count("finished", "lost", "detached")
        if news and not (self.touched or self._told_of_away) and self.app.screen is self:
            self._told_of_away = True
            self._do("view.away")

    def show_counts(self) -> None:
        """Show how many jobs are in which state; what they use is looked at while some run."""
        super().show_counts()
        if self._gauge is not None:
            self._gauge.run(any(slot.live for slot in self.store))

    def _take_usage(self, usage: Usage) -> None:
        self._own_use = self._own_use or OwnUse()
        cpu, rss = self._own_use.read()
        before = self.store.looks()
        self.stack.touch(self.store.take_usage(usage))
        self.header.use(cpu + sum(use.cpu or 0.0 for use in usage.jobs), rss + sum(use.rss for use in usage.jobs))
        if self.store.looks() != before:
            self.area.refresh_jobs()
            self.show_counts()

    # What the announcer tells

    def toast(self, toast: Toast) -> None:
        """News of one event."""
        toasts.say(self.app, toast.text, toast.severity, most_lines=toast.lines, once=True)

    def repaint(self) -> None:
        """Paint everything anew, here and in what lies above."""
        self.app.refresh_css(animate=False)

    def ring(self) -> None:
        """The terminal's bell."""
        self.app.bell()

    def write_to_terminal(self, text: str) -> None:
        """A sequence that is ours to say; never one that a job has printed."""
        if not self.app.is_headless and self.app._driver is not None:
            self.app._driver.write(text)

    def beside(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do it beside all else."""
        self.run_worker(doing, group="outside", exit_on_error=False)

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Do it then, if the screen is still there."""
        self.set_timer(seconds, do)

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
        here: tuple[str, ...] = IN_TEXT
        if isinstance(self.focused, SearchLine | FilterLine):
            here = IN_SEARCH if isinstance(self.focused, SearchLine) else IN_FILTER
        if self._bridge is None:
            return False  # typed before there was a screen to see
        if self._opening or (isinstance(self.focused, Input) and action_id not in here):
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
                self._opening = action.opens
                self._run(running)
        self.show_footer()

    def _run(self, running: Coroutine[Any, Any, object]) -> None:
        self.run_worker(self._finish(running), group="actions", exit_on_error=False)

    async def _finish(self, running: Coroutine[Any, Any, object]) -> None:
        try:
            await running
        finally:
            self._opening = False

    def run_typing(self, sending: Coroutine[Any, Any, None]) -> None:
        """Send what is typed, beside all else."""
        self.run_worker(sending, group="typing", exit_on_error=False)

    def set_keypad(self, codes: bool) -> None:
        """Have the host terminal tell the keypad's keys apart from the others, or not."""
        driver = self.app._driver
        if isinstance(driver, TerminalDriver):
            driver.set_keypad(codes)

    def on_screen_suspend(self) -> None:
        """A dialog has come up: it gets the keys, and after it they are the console's."""
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
        self._opening = True
        self._run(send_lines(self, event.slot_id, event.lines, secret=event.secret))

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

    # The engine's part

    def _resize(self, job: JobView, cols: int, rows: int) -> None:
        self.run_worker(self._ask_resize(job, cols, rows), exit_on_error=False)

    async def _ask_resize(self, job: JobView, cols: int, rows: int) -> None:
        await self.bridge.ask(self.bridge.engine.resize(job.session_id, cols, rows))

    def start_line(self, line: str) -> None:
        """Start a shell line of the command line; what fails gets a row and a toast."""
        self._run(self._start(line, turn=True))

    def _start_lines(self) -> None:
        self._run(self._start_all(self._lines))

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
