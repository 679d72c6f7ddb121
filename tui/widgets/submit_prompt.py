"""The prompt over a pane's status line: one line for a job's input."""

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.show.cleaning import clean, clean_line
from tui.widgets.line import cut_middle
from tui.widgets.text_line import lines_of


class OneLine(Input):
    """A field that takes one line; who pastes more is asked."""

    class Pasted(Message):
        """More than one line was pasted: with what was typed around them they are these."""

        def __init__(self, lines: list[str]) -> None:
            self.lines = lines
            super().__init__()

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's own takes the first line and drops the others.
        event.stop()
        event.prevent_default()
        start, end = sorted(self.selection)
        pasted = lines_of(event.text)
        if len(pasted) > 1:
            self.post_message(self.Pasted(lines_of(self.value[:start] + event.text + self.value[end:])))
        else:
            self.replace(clean(pasted[0].replace("\t", " ")), start, end)


class SubmitPrompt(Horizontal):
    """Enter sends and closes, Esc closes, up and down bring back what the job was sent before.

    While the job's terminal hides what is typed (a password), so does the prompt, and it remembers nothing of it.
    """

    class Sent(Message):
        """The operator wants this line sent."""

        def __init__(self, slot_id: str, text: str, *, secret: bool) -> None:
            self.slot_id, self.text, self.secret = slot_id, text, secret
            super().__init__()

    class Pasted(Message):
        """The operator pasted these lines: they are sent only after a question."""

        def __init__(self, slot_id: str, lines: list[str], *, secret: bool) -> None:
            self.slot_id, self.lines, self.secret = slot_id, lines, secret
            super().__init__()

    def __init__(self, leave: Callable[[Widget | None], None]) -> None:
        super().__init__(id="submit")
        self._leave = leave
        """Gives the focus back to the widget that had it; at once, so that the next key of a burst finds it there."""
        self._came_from: Widget | None = None
        self._history: dict[str, list[str]] = {}
        self._drafts: dict[str, str] = {}
        self.slot_id = ""
        """Whose input is asked for."""
        self._place = 0
        self._typed = ""

    def compose(self) -> ComposeResult:
        """Whose input, and the line."""
        yield Static(id="submit-for", markup=False)
        yield OneLine(id="submit-line", compact=True)

    @property
    def line(self) -> Input:
        """Where the text is typed."""
        return self.query_one("#submit-line", Input)

    @property
    def secret(self) -> bool:
        """Is what is typed hidden?"""
        return self.line.password

    def ask(self, slot_id: str, name: str, *, secret: bool) -> None:
        """Open for this job; what was typed for it and not sent is still there."""
        if not self.display:
            self._came_from = self.screen.focused
        self.slot_id = slot_id
        self.line.value = "" if secret else self._drafts.pop(slot_id, "")
        self.line.cursor_position = len(self.line.value)
        self._place = len(self._history.get(slot_id, ()))
        self.hide_typing(secret)
        self.query_one("#submit-for", Static).update(Content(f" {cut_middle(clean_line(name, 200), 24).rstrip()} ❯ "))
        self.display = True
        self.screen.set_focus(self.line, scroll_visible=False)

    def hide_typing(self, secret: bool) -> None:
        """The job's terminal hides what is typed, or shows it. What was typed hidden is never shown."""
        if secret or not self.line.value:
            self.line.password = secret
            what = "hidden, as its terminal asks" if secret else "a line for its input"
            self.line.placeholder = f"{what} · Enter sends · Esc leaves"

    def close(self) -> None:
        """Close; what was typed stays for the next time, what was recalled or hidden doesn't."""
        recalled = self._place < len(self._history.get(self.slot_id, ()))
        draft = "" if self.secret else self._typed if recalled else self.line.value
        if draft:
            self._drafts[self.slot_id] = draft
        self.line.value = self._typed = ""
        self.display = False
        back, self._came_from = self._came_from, None
        self._leave(back)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send, and close."""
        event.stop()
        if not self.display:
            return
        secret = self.secret
        if not secret:
            self._remember(event.value)
        self._place = len(self._history.get(self.slot_id, ()))
        self.line.value = self._typed = ""
        self.post_message(self.Sent(self.slot_id, event.value, secret=secret))
        self.close()

    def on_one_line_pasted(self, event: OneLine.Pasted) -> None:
        """Several lines: say whose they would be."""
        event.stop()
        self.post_message(self.Pasted(self.slot_id, event.lines, secret=self.secret))

    def give_back(self, slot_id: str, text: str) -> None:
        """It couldn't be sent: nothing that was typed is lost."""
        self._drafts[slot_id] = text

    def on_key(self, event: events.Key) -> None:
        """Leave, or walk through the history."""
        if event.key == "escape":
            event.stop()
            self.close()
        elif event.key in ("up", "down"):
            event.stop()
            self._recall(-1 if event.key == "up" else 1)

    def _remember(self, text: str) -> None:
        history = self._history.setdefault(self.slot_id, [])
        if text and history[-1:] != [text]:
            history.append(text)

    def _recall(self, by: int) -> None:
        history = [] if self.secret else self._history.get(self.slot_id, [])
        if self._place >= len(history):
            self._typed = self.line.value
        self._place = max(0, min(self._place + by, len(history)))
        self.line.value = history[self._place] if self._place < len(history) else self._typed
        self.line.cursor_position = len(self.line.value)
