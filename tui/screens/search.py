"""The search over all that jobs have printed: found while one types, gone to with Enter."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Button, Checkbox, Input, Static

from engine import EngineGone
from engine.results import Found, FoundLine, Refused
from tui.bridge.bridge import Bridge
from tui.drafts import Drafts
from tui.screens.picking import Picking
from tui.signals.patterns import marking
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.found_lines import FoundLines, Match
from tui.widgets.tick import Tick

_PAUSE_SECONDS = 0.15
"""Between keys after which it is searched."""
_LIMIT = 200


class SearchJobs(Picking[FoundLine]):
    """Left with the line to go to, or None."""

    def __init__(self, bridge: Bridge, drafts: Drafts, name_of: Callable[[str], str]) -> None:
        self._lines = FoundLines(name_of)
        super().__init__(self._lines)
        self._bridge, self._drafts = bridge, drafts
        self._timer: Timer | None = None
        self._searching = False
        self._again = False

    def compose(self) -> ComposeResult:
        """What is looked for, how, and what was found."""
        wanted = self._drafts.search
        with Vertical(classes="dialog -broad -tall"):
            yield Static(Content("Search all jobs"), classes="dialog--title")
            yield Input(wanted.text, placeholder="a text in what they have printed", id="search", compact=True)
            with Horizontal(classes="dialog--checks"):
                yield Tick("regular expression", wanted.regex, id="regex", compact=True)
                yield Tick("match case", wanted.case, id="case", compact=True)
            yield Static(id="search-said", classes="dialog--text", markup=False)
            yield self._lines
            yield DialogFoot(
                Button(Content("Go to line  Enter"), id="go", variant="primary", compact=True),
                Button(Content("Close  Esc"), id="close", compact=True),
            )

    def on_mount(self) -> None:
        """What was looked for the last time is looked for again."""
        field = self.query_one("#search", Input)
        field.focus()
        field.action_select_all()
        self._search_soon()

    def on_input_changed(self) -> None:
        """Search once there is a pause."""
        self._search_soon()

    def on_checkbox_changed(self) -> None:
        """Search anew."""
        self._search_soon()

    def _search_soon(self) -> None:
        wanted = self._drafts.search
        wanted.text = self.query_one("#search", Input).value
        wanted.regex = self.query_one("#regex", Checkbox).value
        wanted.case = self.query_one("#case", Checkbox).value
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE_SECONDS, self._search)

    def _search(self) -> None:
        if self._searching:
            self._again = True
            return
        self._searching = True
        self.run_worker(self._search_once(), exit_on_error=False)

    async def _search_once(self) -> None:
        wanted = self._drafts.search
        text, regex, case = wanted.text, wanted.regex, wanted.case
        try:
            if text:
                call = self._bridge.engine.search(text, regex=regex, ignore_case=not case, limit=_LIMIT)
                self._show(await self._bridge.ask(call), marking(text, regex=regex, ignore_case=not case))
            else:
                self._lines.put((), None)
                self._say("")
        except (EngineGone, OSError) as error:
            self._say("", wrong=str(error))
        finally:
            self._searching = False
        if self._again:
            self._again = False
            self._search()

    def _show(self, answer: Found | Refused, match: Match | None) -> None:
        if isinstance(answer, Refused):
            self._lines.put((), None)
            self._say("", wrong=answer.error)
            return
        self._lines.put(answer.lines, match)
        jobs = len({line.session_id for line in answer.lines})
        if not answer.total:
            self._say(f"nothing found in {answer.searched_chars:,} characters")
            return
        shown = f", the newest {len(answer.lines):,} are shown" if answer.total > len(answer.lines) else ""
        many = f"{answer.total:,} line{'s' * (answer.total != 1)} in {jobs} job{'s' * (jobs != 1)}"
        self._say(many + shown)

    def _say(self, text: str, *, wrong: str = "") -> None:
        self.query_one("#search-said", Static).update(Content(text))
        self.query_one(DialogFoot).refuse(wrong)
