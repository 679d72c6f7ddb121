"""The dialog for a job's watch patterns, one a line."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Button, Static, TextArea

from engine import EngineGone, SpecError
from engine.results import Refused
from tui.bridge.bridge import Bridge
from tui.drafts import Drafts
from tui.screens.dialog import Dialog
from tui.screens.fields import MOVES
from tui.screens.frame import Frame
from tui.show.cleaning import clean_line
from tui.signals.patterns import patterns_in, troubles
from tui.store import Slot
from tui.widgets.dialog_foot import DialogFoot

LISTED_TROUBLES = 4


class EditWatches(Dialog[tuple[str, ...] | None]):
    """Left with the patterns that are watched for now, or None. What was typed is kept when it is left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding("escape", "leave", "Cancel"),
        Binding("ctrl+s", "save", "Save"),
    ]

    def __init__(self, bridge: Bridge, drafts: Drafts, slot: Slot) -> None:
        super().__init__()
        self._bridge, self._drafts, self._slot = bridge, drafts, slot
        self._asking = False

    def compose(self) -> ComposeResult:
        """The patterns, and what is wrong with them."""
        job = self._slot.job
        text = self._drafts.watches.get(self._slot.id, "\n".join(job.watch_patterns))
        with Frame(classes="dialog"):
            title = f"Watch {clean_line(job.name or job.command, 40)} for"
            yield Static(Content(title), classes="dialog--title")
            yield TextArea(text, id="patterns", compact=True, tab_behavior="focus", show_line_numbers=True)
            yield Static(
                Content("One a line: text, case and all, or /regex/, or /regex/i. An empty list watches for nothing."),
                classes="dialog--text",
            )
            if job.watch_disabled:
                yield Static(Content(f"Off now: {clean_line(job.watch_disabled, 200)}. Saving turns it on again."),
                             classes="dialog--text")  # fmt: skip
            yield DialogFoot(
                Button(Content("Save  ^s"), id="save", variant="primary", compact=True),
                Button(Content("Cancel  Esc"), id="cancel", compact=True),
            )

    def on_mount(self) -> None:
        """Begin at the end of what is there."""
        area = self.query_one("#patterns", TextArea)
        area.move_cursor(area.document.end)
        area.focus()

    def on_text_area_changed(self) -> None:
        """Say at once what is wrong, by its line."""
        wrong = troubles(self.query_one("#patterns", TextArea).text)
        self._say([f"line {number}: {why}" for number, why in wrong])

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        if event.button.id == "save":
            await self.action_save()
        else:
            self.action_leave()

    async def action_save(self) -> None:
        """Watch for these from now on."""
        text = self.query_one("#patterns", TextArea).text
        wrong = troubles(text)
        if self._asking or wrong:
            if wrong:
                self.query_one("#patterns", TextArea).move_cursor((wrong[0][0] - 1, 0))
            return
        self._asking = True
        patterns = patterns_in(text)
        try:
            answer = await self._bridge.ask(self._bridge.engine.set_watches(self._slot.job.session_id, patterns))
        except (SpecError, ValueError, EngineGone) as error:
            self._say([str(error)])
        else:
            if isinstance(answer, Refused):
                self._say([answer.error])
            else:
                self._drafts.watches.pop(self._slot.id, None)
                self.dismiss(patterns)
        finally:
            self._asking = False

    def action_leave(self) -> None:
        """Change nothing; what was typed is there the next time."""
        if self._asking:
            return
        text = self.query_one("#patterns", TextArea).text
        if patterns_in(text) != self._slot.job.watch_patterns:
            self._drafts.watches[self._slot.id] = text
        else:
            self._drafts.watches.pop(self._slot.id, None)
        self.dismiss(None)

    def _say(self, wrong: list[str]) -> None:
        lines = [f"✗ {clean_line(why, 200)}" for why in wrong[:LISTED_TROUBLES]]
        if len(wrong) > LISTED_TROUBLES:
            lines.append(f"  and {len(wrong) - LISTED_TROUBLES} more")
        self.query_one(DialogFoot).say("\n".join(lines))
