"""Agents: batches and background agents as they stand, with all that came of them; messages, cancelling, stopping."""

import time
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Static

from engine import Call, EngineGone
from engine.delegation import BatchView
from engine.results import Refused
from tui.bridge.bridge import Bridge
from tui.screens.dialog import Dialog
from tui.screens.fields import MOVES
from tui.show.batches import told
from tui.signals.batches import Batches, Entry
from tui.widgets.agent_rows import AgentRows
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.rows import Rows

_MOST_ROWS = 12
_LOOK_SECONDS = 0.001
"""An engine is asked how a batch ended, not to wait for it."""


class AgentWork(Dialog[str | None]):
    """Live. Left with the session id of a job that is to be opened, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding("escape", "leave", "Close"),
        Binding("q,B", "leave", "Close", show=False),
        Binding("enter", "open", "Open"),
        Binding("s", "message", "Message"),
        Binding("x", "stop", "Stop"),
        Binding("down,j", "move(1)", "The next one", show=False),
        Binding("up,k", "move(-1)", "The one above", show=False),
        Binding("pagedown,space", "page(1)", "What came of it, further down", show=False),
        Binding("pageup", "page(-1)", "What came of it, further up", show=False),
    ]

    def __init__(self, bridge: Bridge, batches: Batches) -> None:
        super().__init__()
        self._bridge, self._batches = bridge, batches
        self._rows = AgentRows()
        self._asked: set[tuple[str, int]] = set()
        """Of which batches, with so many children over, and of which background agents the engine was asked."""
        self._told: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        """Who does what, what came of it, what can be done."""
        with Vertical(classes="dialog -broad -tall"):
            yield Static(Content("Agents"), classes="dialog--title")
            yield self._rows
            with VerticalScroll(id="told", can_focus=False):
                yield Static(id="told-text", markup=False)
            yield Input(placeholder="a message for the selected agent; Enter sends it", id="message", compact=True)
            yield DialogFoot(
                Button(Content("Open  Enter"), id="open", variant="primary", compact=True),
                Button(Content("Message  s"), id="message-button", compact=True),
                Button(Content("Stop  x"), id="stop", variant="error", compact=True),
                Button(Content("Close  Esc"), id="close", compact=True),
            )

    def on_mount(self) -> None:
        """Show it, and go on showing it."""
        self.query_one("#message", Input).display = False
        self._rows.focus()
        self.set_interval(0.5, self._show)
        self._show()

    def _show(self) -> None:
        entries = self._batches.entries()
        self._rows.put(entries, time.time())
        self._rows.styles.height = max(1, min(len(entries), _MOST_ROWS, self.app.size.height // 3))
        self._show_told()

    def _show_told(self) -> None:
        entry = self._rows.chosen
        lines = told(self._batches, entry) if entry is not None else []
        if lines != self._told:
            self._told = lines
            text = Content("\n").join(Content.styled(text, style) for text, style in lines)
            self.query_one("#told-text", Static).update(text)
        if entry is not None and entry.batch is not None:
            self._learn(entry.batch)
        elif entry is not None and entry.job is not None and entry.job.exited_at is not None:
            self._hear(entry.job.session_id)

    def _learn(self, batch: BatchView) -> None:
        """What came of those that are over so far; of all if it ended before this console was there."""
        over = (batch.batch_id, batch.over)
        if batch.over and over not in self._asked and len(self._batches.results(batch.batch_id) or ()) < batch.over:
            self._asked.add(over)
            self.run_worker(self._ask(batch.batch_id), exit_on_error=False)

    def _hear(self, session_id: str) -> None:
        """All that a background agent has said, of one that ended before this console was there too."""
        if (session_id, 0) not in self._asked:
            self._asked.add((session_id, 0))
            self.run_worker(self._ask_log(session_id), exit_on_error=False)

    async def _ask_log(self, session_id: str) -> None:
        answer = await self._bridge.ask(self._bridge.engine.log(session_id))
        if not isinstance(answer, Refused):
            self._batches.hear(session_id, answer.output)
            self._show_told()

    async def _ask(self, batch_id: str) -> None:
        answer = await self._bridge.ask(self._bridge.engine.batch_result(batch_id, _LOOK_SECONDS))
        if not isinstance(answer, Refused):
            self._batches.learn(batch_id, answer.results)
            self._show_told()

    def on_rows_selected(self) -> None:
        """What came of that one, from its beginning."""
        self._show_told()
        self.query_one("#told", VerticalScroll).scroll_home(animate=False)

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """One was clicked that is selected, or twice."""
        event.stop()
        self.action_open()

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        match event.button.id:
            case "open":
                self.action_open()
            case "message-button":
                self.action_message()
            case "stop":
                await self.action_stop()
            case _:
                self.action_leave()

    def action_move(self, by: int) -> None:
        """Select another."""
        self._rows.move(by)

    def action_page(self, direction: int) -> None:
        """Read on."""
        self.query_one("#told", VerticalScroll).scroll_relative(y=direction * 10, animate=False)

    def action_open(self) -> None:
        """Open the selected one's pane; of a batch that of its first child that has one."""
        session_id = _job_of(self._rows.chosen)
        if session_id:
            self.dismiss(session_id)
        else:
            self._refuse("it has no job (yet)")

    def action_message(self) -> None:
        """Ask for a message to the selected child or background agent."""
        entry = self._rows.chosen
        if entry is None or (entry.handle is None and entry.job is None):
            self._refuse("a message goes to one agent: select one below the batch")
            return
        field = self.query_one("#message", Input)
        field.display = True
        field.focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send it."""
        event.stop()
        entry, text = self._rows.chosen, event.value
        if entry is None or not text.strip():
            return
        answer = await self._asks(self._bridge.engine.send(entry.id, text))
        if answer is not None:
            event.input.value = ""
            self._put_away(event.input)

    async def action_stop(self) -> None:
        """End the selected one: a whole batch, one child, a background agent."""
        entry = self._rows.chosen
        if entry is not None:
            engine = self._bridge.engine
            await self._asks(engine.cancel(entry.id) if entry.handle is not None else engine.stop(entry.id))

    async def _asks(self, call: Call[Any]) -> object | None:
        """The answer; None if it was refused, which is said."""
        try:
            answer = await self._bridge.ask(call)
        except (EngineGone, OSError) as error:
            self._refuse(str(error))
            return None
        self._refuse(answer.error if isinstance(answer, Refused) else "")
        return None if isinstance(answer, Refused) else answer

    def _refuse(self, why: str) -> None:
        self.query_one(DialogFoot).refuse(why)

    def _put_away(self, field: Input) -> None:
        field.display = False
        self._rows.focus()

    def action_leave(self) -> None:
        """Out of the message, else back to the jobs."""
        field = self.query_one("#message", Input)
        if field.display:
            self._put_away(field)
        else:
            self.dismiss(None)


def _job_of(entry: Entry | None) -> str:
    if entry is None:
        return ""
    if entry.job is not None:
        return entry.job.session_id
    if entry.handle is not None:
        return entry.handle.session_id
    handles = entry.batch.handles if entry.batch is not None else ()
    return next((handle.session_id for handle in handles if handle.session_id), "")
