"""The dialog that starts a job."""

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, Label, Static

from engine import EngineGone, JobSpec, SpecError, StartError
from tui.bridge.bridge import Bridge
from tui.show.cleaning import clean_line


class Tick(Checkbox):
    """A checkbox that can be read without colours: empty when it is off."""

    def render(self) -> Content:
        """The sign, or nothing."""
        self.BUTTON_INNER = "X" if self.value else " "
        return super().render()


class NewJob(ModalScreen[str | None]):
    """Left with the new job's session id, or with None. What can't be started is said here, and nothing is lost."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel")]

    def __init__(self, bridge: Bridge, size: tuple[int, int]) -> None:
        super().__init__()
        self._bridge = bridge
        self._cols, self._rows = size
        self._starting = False

    def compose(self) -> ComposeResult:
        """A line for the command, and what is seldom needed below it."""
        with Vertical(classes="dialog"):
            yield Static(Content("New job"), classes="dialog--title")
            yield Label("Command", markup=False)
            yield Input(placeholder="npm run dev", id="command", compact=True)
            yield Label("Name", markup=False)
            yield Input(placeholder="from the command", id="name", compact=True)
            yield Label("Folder", markup=False)
            yield Input(placeholder=clean_line(str(Path.cwd())), id="cwd", compact=True)
            with Horizontal(classes="dialog--checks"):
                yield Tick(Content("terminal (pty)"), value=True, id="pty", compact=True)
                yield Tick(Content("stdin is a pipe"), value=False, id="stdin", disabled=True, compact=True)
            yield Static(id="trouble", markup=False)
            with Horizontal(classes="dialog--buttons"):
                yield Button(Content("Start  Enter"), id="start", variant="primary", compact=True)
                yield Button(Content("Cancel  Esc"), id="cancel", compact=True)

    def on_mount(self) -> None:
        """Begin with the command."""
        self.query_one("#command", Input).focus()

    def on_checkbox_changed(self, event: Checkbox.Changed) -> None:
        """A terminal is its job's stdin: the other choice is for pipes."""
        if event.checkbox.id == "pty":
            self.query_one("#stdin", Checkbox).disabled = event.value

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter starts, from any field."""
        event.stop()
        await self._start()

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        if event.button.id == "start":
            await self._start()
        else:
            self.dismiss(None)

    def action_leave(self) -> None:
        """Start nothing."""
        self.dismiss(None)

    def _spec(self) -> JobSpec:
        pty = self.query_one("#pty", Checkbox).value
        piped = not pty and self.query_one("#stdin", Checkbox).value
        folder = self.query_one("#cwd", Input).value.strip()
        return JobSpec(
            command=self.query_one("#command", Input).value,
            name=self.query_one("#name", Input).value.strip(),
            cwd=str(Path(folder).expanduser()) if folder else None,
            pty=pty,
            stdin="pipe" if piped else "null",
            cols=self._cols,
            rows=self._rows,
        )

    async def _start(self) -> None:
        if self._starting:
            return
        self._starting = True
        try:
            spec = self._spec()
            spec.check()
            started = await self._bridge.ask(self._bridge.engine.spawn(spec))
        except (SpecError, StartError, EngineGone) as error:
            self.query_one("#trouble", Static).update(Content(f"✗ {clean_line(str(error))}"))
            self.query_one("#command", Input).focus()
        else:
            self.dismiss(started.session_id)
        finally:
            self._starting = False
