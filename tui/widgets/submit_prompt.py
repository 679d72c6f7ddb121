"""The prompt over a pane's status line: one line for a job's input."""

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.input.escapes import KNOWN, BadEscape, escaped, meant
from tui.show.cleaning import clean, clean_line
from tui.widgets.line import cut_middle
from tui.widgets.text_line import lines_of


class OneLine(Input):
    """A field that takes one line; who pastes more is asked. A raw one takes it as escapes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+d", "end_of_input", "End of input", show=False)]

    class Pasted(Message):
        """More than one line was pasted: with what was typed around them they are these."""

        def __init__(self, lines: list[str]) -> None:
            self.lines = lines
            super().__init__()

    class End(Message):
        """Nothing more comes, as Ctrl+D on an empty line says."""

    raw = False
    """Is what is typed written as it is, escapes and all?"""

    def _on_paste(self, event: events.Paste) -> None:
        # Textual's own takes the first line and drops the others.
        event.stop()
        event.prevent_default()
        start, end = sorted(self.selection)
        pasted = lines_of(event.text)
        if self.raw:
            self.replace(escaped(event.text), start, end)
        elif len(pasted) > 1:
            self.post_message(self.Pasted(lines_of(self.value[:start] + event.text + self.value[end:])))
        else:
            self.replace(clean(pasted[0].replace("\t", " ")), start, end)

    def action_end_of_input(self) -> None:
        """Ctrl+D: end of input on an empty line, else what it does in any field."""
        if self.value:
            self.action_delete_right()
        else:
            self.post_message(self.End())


class SubmitPrompt(Horizontal):
    """Enter sends and closes, Esc closes, up and down bring back what the job was sent before.

    While the job's terminal hides what is typed (a password), so does the prompt, and it remembers nothing of it. Raw,
    it writes what is typed as it is, without Enter, with escapes for what can't be typed.
    """

    class Sent(Message):
        """The operator wants this sent: a line, or, ``raw``, just that."""

        def __init__(self, slot_id: str, text: str, *, secret: bool, raw: bool) -> None:
            self.slot_id, self.text, self.secret, self.raw = slot_id, text, secret, raw
            super().__init__()

    class Pasted(Message):
        """The operator pasted these lines: they are sent only after a question."""

        def __init__(self, slot_id: str, lines: list[str], *, secret: bool) -> None:
            self.slot_id, self.lines, self.secret = slot_id, lines, secret
            super().__init__()

    class End(Message):
        """The operator wants the job's input ended."""

        def __init__(self, slot_id: str) -> None:
            self.slot_id = slot_id
            super().__init__()

    def __init__(self, leave: Callable[[Widget | None], None]) -> None:
        super().__init__(id="submit")
        self._leave = leave
        """Gives the focus back to the widget that had it; at once, so that the next key of a burst finds it there."""
        self._came_from: Widget | None = None
        self._history: dict[tuple[str, bool], list[str]] = {}
        """What each job was sent before, lines and raw writes apart."""
        self._drafts: dict[tuple[str, bool], str] = {}
        self.slot_id = ""
        """Whose input is asked for."""
        self._place = 0
        self._typed = ""

    def compose(self) -> ComposeResult:
        """Whose input, the line, what is wrong with it, and the end of input."""
        yield Static(id="submit-for", markup=False)
        yield OneLine(id="submit-line", compact=True)
        yield Static(id="submit-trouble", markup=False)
        yield Static(" EOF ", id="submit-end", markup=False)

    @property
    def line(self) -> OneLine:
        """Where the text is typed."""
        return self.query_one("#submit-line", OneLine)

    @property
    def secret(self) -> bool:
        """Is what is typed hidden?"""
        return self.line.password

    @property
    def _key(self) -> tuple[str, bool]:
        return self.slot_id, self.line.raw

    def ask(self, slot_id: str, name: str, *, secret: bool, raw: bool = False) -> None:
        """Open for this job; what was typed for it and not sent is still there."""
        if self.display:
            self._put_aside()
        else:
            self._came_from = self.screen.focused
        self.slot_id, self.line.raw = slot_id, raw
        self.line.value = "" if secret else self._drafts.pop(self._key, "")
        self.line.cursor_position = len(self.line.value)
        self._place = len(self._history.get(self._key, ()))
        self.hide_typing(secret)
        self.say("")
        who = cut_middle(clean_line(name, 200), 24).rstrip()
        self.query_one("#submit-for", Static).update(Content(f" {who} raw ❯ " if raw else f" {who} ❯ "))
        self.display = True
        self.screen.set_focus(self.line, scroll_visible=False)

    def hide_typing(self, secret: bool) -> None:
        """The job's terminal hides what is typed, or shows it. What was typed hidden is never shown."""
        if secret or not self.line.value:
            self.line.password = secret
            what = "hidden, as its terminal asks" if secret else "a line for its input"
            if self.line.raw:
                what = f"hidden, as its terminal asks; {KNOWN}" if secret else f"as it is, without Enter; {KNOWN}"
            self.line.placeholder = f"{what} · Enter sends · Esc leaves"

    def say(self, trouble: str) -> None:
        """What is wrong with what was typed; empty: nothing is."""
        self.query_one("#submit-trouble", Static).update(Content(f" {trouble} " if trouble else ""))

    def close(self) -> None:
        """Close; what was typed stays for the next time, what was recalled or hidden doesn't."""
        self._put_aside()
        self.display = False
        back, self._came_from = self._came_from, None
        self._leave(back)

    def _put_aside(self) -> None:
        recalled = self._place < len(self._history.get(self._key, ()))
        draft = "" if self.secret else self._typed if recalled else self.line.value
        if draft:
            self._drafts[self._key] = draft
        self.line.value = self._typed = ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """What was wrong may be right now."""
        event.stop()
        self.say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send, and close; what isn't understood stays to be mended."""
        event.stop()
        if not self.display:
            return
        secret, raw = self.secret, self.line.raw
        try:
            text = meant(event.value) if raw else event.value
        except BadEscape as error:
            self.say(str(error))
            return
        if not secret:
            self._remember(event.value)
        self._place = len(self._history.get(self._key, ()))
        self.line.value = self._typed = ""
        if text or not raw:
            self.post_message(self.Sent(self.slot_id, text, secret=secret, raw=raw))
        self.close()

    def on_one_line_pasted(self, event: OneLine.Pasted) -> None:
        """Several lines: say whose they would be."""
        event.stop()
        self.post_message(self.Pasted(self.slot_id, event.lines, secret=self.secret))

    def on_one_line_end(self, event: OneLine.End) -> None:
        """Whose input ends."""
        event.stop()
        self.post_message(self.End(self.slot_id))

    def on_click(self, event: events.Click) -> None:
        """The button that ends the input."""
        if event.widget is not None and event.widget.id == "submit-end":
            event.stop()
            self.post_message(self.End(self.slot_id))

    def give_back(self, slot_id: str, text: str, *, raw: bool = False) -> None:
        """It couldn't be sent: nothing that was typed is lost."""
        self._drafts[slot_id, raw] = escaped(text) if raw else text

    def on_key(self, event: events.Key) -> None:
        """Leave, or walk through the history."""
        if event.key == "escape":
            event.stop()
            self.close()
        elif event.key in ("up", "down"):
            event.stop()
            self._recall(-1 if event.key == "up" else 1)

    def _remember(self, text: str) -> None:
        history = self._history.setdefault(self._key, [])
        if text and history[-1:] != [text]:
            history.append(text)

    def _recall(self, by: int) -> None:
        history = [] if self.secret else self._history.get(self._key, [])
        if self._place >= len(history):
            self._typed = self.line.value
        self._place = max(0, min(self._place + by, len(history)))
        self.line.value = history[self._place] if self._place < len(history) else self._typed
        self.line.cursor_position = len(self.line.value)
