"""The prompt under a pane: one line for a job's input."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from tui.show.cleaning import clean_line


class OneLine(Input):
    """A field that says so when it can't take all that was pasted."""

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's own handler runs after this one and takes the first line.
        lines = len(event.text.splitlines())
        if lines > 1:
            self.app.notify(f"Pasted the first of {lines} lines: submit sends one", severity="warning", markup=False)


class SubmitPrompt(Horizontal):
    """Enter sends, Esc goes back, up and down bring back what the job was sent before."""

    class Sent(Message):
        """The operator wants this line sent."""

        def __init__(self, slot_id: str, text: str) -> None:
            self.slot_id, self.text = slot_id, text
            super().__init__()

    class Left(Message):
        """The operator is done with the prompt."""

    def __init__(self) -> None:
        super().__init__(id="submit")
        self._history: dict[str, list[str]] = {}
        self.slot_id = ""
        """Whose input is asked for."""
        self._place = 0
        self._draft = ""

    def compose(self) -> ComposeResult:
        """Whose input, and the line."""
        yield Static(id="submit-for", markup=False)
        yield OneLine(id="submit-line", compact=True, placeholder="a line for its input · Enter sends · Esc leaves")

    @property
    def line(self) -> Input:
        """Where the text is typed."""
        return self.query_one("#submit-line", Input)

    def ask(self, slot_id: str, name: str) -> None:
        """Open for this job; what was typed for it and not sent is still there."""
        if slot_id != self.slot_id:
            self.slot_id, self._draft = slot_id, ""
            self.line.value = ""
        self._place = len(self._history.get(slot_id, ()))
        self.query_one("#submit-for", Static).update(Content(f" {clean_line(name, 24)} ❯ "))
        self.display = True
        self.screen.set_focus(self.line, scroll_visible=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send; the prompt stays for the next line."""
        event.stop()
        history = self._history.setdefault(self.slot_id, [])
        if event.value and history[-1:] != [event.value]:
            history.append(event.value)
        self._place = len(history)
        self.line.value = ""
        self.post_message(self.Sent(self.slot_id, event.value))

    def give_back(self, slot_id: str, text: str) -> None:
        """It couldn't be sent: nothing that was typed is lost."""
        if slot_id == self.slot_id and not self.line.value:
            self.line.value = text

    def on_key(self, event: events.Key) -> None:
        """Leave, or walk through the history."""
        if event.key == "escape":
            event.stop()
            self.display = False
            self.post_message(self.Left())
        elif event.key in ("up", "down"):
            event.stop()
            self._recall(-1 if event.key == "up" else 1)

    def _recall(self, by: int) -> None:
        history = self._history.get(self.slot_id, [])
        if self._place == len(history):
            self._draft = self.line.value
        self._place = max(0, min(self._place + by, len(history)))
        self.line.value = history[self._place] if self._place < len(history) else self._draft
        self.line.cursor_position = len(self.line.value)
