"""The dialog that starts a job."""

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Button, Checkbox, Input, Label, Static, TextArea

from engine import EngineGone, JobSpec, SpecError, StartError
from tui.bridge.bridge import Bridge
from tui.drafts import Draft, Drafts
from tui.screens.fields import MOVES
from tui.screens.form import Form
from tui.screens.frame import Frame
from tui.show.cleaning import clean_line
from tui.show.keeping import KEPT, SWITCH
from tui.signals.patterns import patterns_in, troubles
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.text_line import TextLine
from tui.widgets.tick import Tick

_EXAMPLE = "npm run dev"


class NewJob(Form[str | None]):
    """Left with the new job's session id, or with None. What can't be started is said here, and nothing is lost."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding("escape", "leave", "Cancel"),
        Binding("enter,ctrl+s", "start", "Start"),
    ]

    def __init__(self, bridge: Bridge, size: tuple[int, int], drafts: Drafts) -> None:
        super().__init__()
        self._drafts = drafts
        self._bridge = bridge
        self._cols, self._rows = size
        self._hosts = sorted(bridge.engine.configuration.hosts)
        """Where else a job may run; without any, there is nothing to choose."""

    def compose(self) -> ComposeResult:
        """A line for the command, and what is seldom needed below it."""
        draft = self._drafts.new_job
        with Frame(classes="dialog"):
            yield Static(Content("New job"), classes="dialog--title")
            yield Label("Command", markup=False)
            earlier = self._drafts.commands
            yield TextLine(draft.command, placeholder=_EXAMPLE, id="command", earlier=earlier)
            yield Label("Name", markup=False)
            yield Input(draft.name, placeholder="from the command", id="name", compact=True)
            yield Label("Folder", markup=False)
            yield Input(draft.folder, placeholder=clean_line(_own_folder()), id="folder", compact=True)
            if self._hosts:
                yield Label(f"Host: {clean_line(', '.join(self._hosts), 40)}", markup=False)
                suggester = SuggestFromList(self._hosts, case_sensitive=False)
                yield Input(draft.host, placeholder="here", id="host", compact=True, suggester=suggester)
            yield Label("Watch its output for, one pattern a line (^s starts from here)", markup=False)
            yield TextArea(draft.watch, id="patterns", compact=True, tab_behavior="focus")
            with Horizontal(classes="dialog--checks"):
                yield Tick(Content("terminal (pty)"), value=draft.pty, id="pty", compact=True)
                yield Tick(Content("stdin is a pipe"), value=draft.stdin, id="stdin", disabled=draft.pty, compact=True)
                yield Tick(Content("tell its end"), value=draft.notify, id="notify", compact=True)
            with Horizontal(classes="dialog--checks"):
                yield Tick(Content(f"{KEPT} {SWITCH}"), value=draft.keep, id="keep", compact=True)
            yield DialogFoot(
                Button(Content("Start  Enter"), id="start", variant="primary", compact=True),
                Button(Content("Cancel  Esc"), id="cancel", compact=True),
            )

    def on_mount(self) -> None:
        """Begin with the command."""
        self.query_one("#command", Input).focus()

    def on_checkbox_changed(self, event: Checkbox.Changed) -> None:
        """A terminal is its job's stdin: the other choice is for pipes."""
        if event.checkbox.id == "pty":
            self.query_one("#stdin", Checkbox).disabled = event.value

    def on_input_changed(self) -> None:
        """What was wrong is being changed."""
        self.query_one(DialogFoot).say("")

    def on_text_area_changed(self) -> None:
        """Say at once which pattern is wrong."""
        wrong = troubles(self._patterns)
        self.query_one(DialogFoot).say(f"✗ pattern {wrong[0][0]}: {wrong[0][1]}" if wrong else "")

    def action_leave(self) -> None:
        """Start nothing; what was typed is there the next time."""
        if self._asking:
            return
        self._drafts.new_job = Draft(
            self._command.text,
            self.query_one("#name", Input).value,
            self.query_one("#folder", Input).value,
            self.query_one("#pty", Checkbox).value,
            self.query_one("#stdin", Checkbox).value,
            self._patterns,
            self.query_one("#notify", Checkbox).value,
            self.query_one("#keep", Checkbox).value,
            self._host,
        )
        self.dismiss(None)

    @property
    def _patterns(self) -> str:
        return self.query_one("#patterns", TextArea).text

    @property
    def _command(self) -> TextLine:
        return self.query_one("#command", TextLine)

    @property
    def _host(self) -> str:
        return self.query_one("#host", Input).value.strip() if self._hosts else ""

    def _spec(self) -> JobSpec:
        pty = self.query_one("#pty", Checkbox).value
        piped = not pty and self.query_one("#stdin", Checkbox).value
        folder = self.query_one("#folder", Input).value.strip()
        return JobSpec(
            command=self._command.text,
            name=self.query_one("#name", Input).value.strip(),
            host=self._host,
            cwd=(folder if self._host else str(Path(folder).expanduser())) if folder else None,
            pty=pty,
            stdin="pipe" if piped else "null",
            cols=self._cols,
            rows=self._rows,
            watch_patterns=patterns_in(self._patterns),
            notify_on_complete=self.query_one("#notify", Checkbox).value,
            persist_on_release=self.query_one("#keep", Checkbox).value,
        )

    async def _make(self) -> None:
        try:
            spec = self._spec()
            spec.check()
            started = await self._bridge.ask(self._bridge.engine.spawn(spec))
        except Exception as error:  # noqa: BLE001  whatever it was: it is said here, and nothing typed is lost
            await self._failed(error)
        else:
            self._drafts.started(self._command.text)
            self.dismiss(started.session_id)

    async def _failed(self, error: Exception) -> None:
        foreseen = isinstance(error, SpecError | StartError | EngineGone)
        why = str(error) if foreseen else f"{type(error).__name__}: {error}"
        why = f"{why.removesuffix('another cwd')}another folder" if why.endswith("another cwd") else why
        self._say(why)
        self._command.focus()
        if isinstance(error, StartError):
            # Its row would only repeat what stands here; the retry gets one of its own.
            await self._bridge.ask(self._bridge.engine.dismiss(error.session_id))


def _own_folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return "the folder jobdeck was started in is gone: name another"
