"""Which parts the main screen has, and where they stand."""

from collections.abc import Coroutine
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from engine.store.home import HomeError, home_folder
from tui import keymap
from tui.drafts import Drafts
from tui.screens.prompt import PromptScreen
from tui.show.waits import awaited
from tui.signals.away import Away
from tui.signals.batches import Batches
from tui.signals.saving import Saving
from tui.store import JobStore, Slot
from tui.typist import Typist
from tui.widgets.away_line import AwayLine
from tui.widgets.batches_line import BatchesLine
from tui.widgets.drawer import JobDrawer
from tui.widgets.footer import Footer
from tui.widgets.header import Header
from tui.widgets.pane_area import PaneArea
from tui.widgets.saving_line import SavingLine
from tui.widgets.signals import Place, Signals
from tui.widgets.stack import StatusStack
from tui.widgets.stack_filter import StackFilter
from tui.widgets.stack_lines import Parking
from tui.widgets.stack_title import StackTitle
from tui.widgets.submit_prompt import SubmitPrompt

LAYOUTS = ((100, "-wide"), (60, "-rail"), (0, "-single"))
"""The least columns for each layout, the widest first; the names are classes of the stylesheets."""


class DeckLayout(PromptScreen, inherit_bindings=False):
    """The stack at the left, the pane at the right with waits and hits below it, the keys that work at the bottom."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("anywhere", "job")]
    AUTO_FOCUS = "#stack"

    def __init__(self) -> None:
        super().__init__()
        self.store = JobStore()
        self.header = Header()
        self.stack_title = StackTitle()
        self.batches = Batches()
        self.batches_line = BatchesLine(self.batches)
        self.stack = StatusStack(self.store.get, self._parking, self.batches.batch)
        self.filter = StackFilter(self.stack, self.stack_title)
        self.area = PaneArea(self.store)
        self.prompt = SubmitPrompt(self.focus_back)
        self.signals = Signals(self.store.name_of)
        self.drawer = JobDrawer()
        self.drafts = Drafts()
        self.away = Away(self.store.view_of)
        self.saving = Saving(_home())
        self.saving_line = SavingLine(self.saving, (self.stack_title,))
        self.away_line = AwayLine(self.away, (self.stack_title, self.saving_line))
        self.typist = Typist(self.show_footer, self.run_typing, self.set_keypad)
        self.footer = Footer()
        self.in_pane = False
        """Is the focus in the pane's column, not in the stack?"""

    def compose(self) -> ComposeResult:
        """Header, body, footer."""
        yield self.header
        with Horizontal(id="body"):
            with Vertical(id="stack-column"):
                yield self.stack_title
                yield self.saving_line
                yield self.away_line
                yield self.batches_line
                yield self.filter
                yield self.stack
            with Vertical(id="pane-column"):
                yield self.area
                yield self.drawer
                yield self.prompt
                yield self.signals
        yield self.signals.fold
        yield self.footer

    def focus_back(self, widget: Widget | None) -> None:
        """To the widget that had the focus before; into the pane if that one is gone."""
        raise NotImplementedError

    def show_footer(self) -> None:
        """Show the keys that work here and now."""
        raise NotImplementedError

    def run_typing(self, sending: Coroutine[Any, Any, None]) -> None:
        """Send what is typed, beside all else."""
        raise NotImplementedError

    def set_keypad(self, codes: bool) -> None:
        """Have the host terminal tell the keypad's keys apart from the others, or not."""
        raise NotImplementedError

    def _parking(self, slot: Slot) -> Parking:
        """Who waits for whom, of one job."""
        waits, job = self.signals.waits, slot.job
        parked = waits.parks(job)
        if parked is not None:
            name = self.store.name_of(parked.session_id) if parked.session_id else ""
            return Parking(waits_for=awaited(parked, name))
        return Parking(waited_by=tuple(waits.who_waits(job.session_id)))

    # What there is room for

    def on_resize(self) -> None:
        """Another width, perhaps another layout."""
        self.fit()

    def on_screen_resume(self) -> None:
        """The terminal may have got another size under a dialog."""
        self.fit()

    def fit(self) -> None:
        """Choose the layout for the present width; what it hides is detached."""
        layout = next(name for least, name in LAYOUTS if self.app.size.width >= least)
        for _, name in LAYOUTS:
            self.set_class(name == layout, name)
        # Only where it counts: with a class of the screen, Textual styles every widget anew.
        self.set_class(layout == "-single" and self.in_pane, "-in-pane")
        self.fit_signals(layout)
        over = self.signals.place is Place.OVER
        self.area.set_shown(layout != "-single" or (self.in_pane and not over))

    def fit_signals(self, layout: str) -> None:
        """Waits and hits below the pane, over it or folded."""
        width, height = self.app.size
        wide = layout == "-wide" and not self.has_class("-zoomed")
        self.signals.fit(width, height, self.focused, wide=wide, single=layout == "-single")

    def set_in_pane(self, in_pane: bool) -> None:
        """In a small terminal, the pane has the screen, or the stack."""
        self.in_pane = in_pane
        self.fit()


def _home() -> str:
    try:
        return str(home_folder())
    except HomeError:
        return ""
