"""Earlier results: what is retained of finished jobs, also of those that ended before this jobdeck was started."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from engine import EngineGone
from engine.results import ResultRow
from tui.bridge.bridge import Bridge
from tui.screens.picking import Picking
from tui.show.results import matches
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.result_rows import ResultRows


class EarlierResults(Picking[ResultRow]):
    """Left with the result to open, or None."""

    def __init__(self, bridge: Bridge) -> None:
        self._rows = ResultRows()
        super().__init__(self._rows)
        self._bridge = bridge
        self._results: Sequence[ResultRow] = ()
        self._known = False

    def compose(self) -> ComposeResult:
        """A filter, and what fits it."""
        with Vertical(classes="dialog -broad -tall"):
            yield Static(Content("Earlier results"), classes="dialog--title")
            yield Input(placeholder="type to filter: name, command, end, owner", id="filter", compact=True)
            yield Static(id="results-said", classes="dialog--text", markup=False)
            yield self._rows
            yield DialogFoot(
                Button(Content("Open  Enter"), id="open", variant="primary", compact=True),
                Button(Content("Close  Esc"), id="close", compact=True),
            )

    def on_mount(self) -> None:
        """Ask for them."""
        self.query_one("#filter", Input).focus()
        self._show()
        self.run_worker(self._ask(), exit_on_error=False)

    async def _ask(self) -> None:
        try:
            answer = await self._bridge.ask(self._bridge.engine.results())
        except (EngineGone, OSError) as error:
            self.query_one(DialogFoot).refuse(str(error))
            return
        self._results, self._known = answer.results, True
        self._show()

    def _show(self) -> None:
        words = self.query_one("#filter", Input).value
        fitting = [one for one in self._results if matches(one, words)]
        self._rows.put(fitting)
        many = len(self._results)
        said = "looking …"
        if self._known:
            said = f"{many} result{'s' * (many != 1)}, the newest above; kept for a week, 64 at most"
            if not many:
                said = "nothing yet: how a job ended, and the end of its output, stands here for a week"
            elif len(fitting) != many:
                said = f"{len(fitting)} of {many} fit"
        self.query_one("#results-said", Static).update(Content(said))

    def on_input_changed(self) -> None:
        """Others fit."""
        self._show()
