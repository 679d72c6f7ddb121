"""What an action is, and what it may touch."""

from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, Protocol

from textual.app import App
from textual.screen import Screen
from textual.widget import Widget

from tui.bridge.bridge import Bridge
from tui.drafts import Drafts
from tui.outfit import Outfit
from tui.signals.away import Away
from tui.signals.batches import Batches
from tui.signals.saving import Saving
from tui.store import JobStore, Slot
from tui.typist import Typist
from tui.widgets.away_line import AwayLine
from tui.widgets.batches_line import BatchesLine
from tui.widgets.drawer import JobDrawer
from tui.widgets.pane_area import PaneArea
from tui.widgets.signals import Signals
from tui.widgets.stack import StatusStack
from tui.widgets.stack_filter import StackFilter
from tui.widgets.submit_prompt import SubmitPrompt


class Deck(Protocol):
    """The main screen as actions see it."""

    store: JobStore
    stack: StatusStack
    filter: StackFilter
    area: PaneArea
    prompt: SubmitPrompt
    drafts: Drafts
    signals: Signals
    away: Away
    away_line: AwayLine
    batches: Batches
    batches_line: BatchesLine
    saving: Saving
    typist: Typist
    drawer: JobDrawer
    outfit: Outfit | None

    @property
    def app(self) -> App[Any]:
        """The application."""

    @property
    def touched(self) -> bool:
        """Has the operator asked for anything yet?"""

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Do it then, if the screen is still there."""

    @property
    def bridge(self) -> Bridge:
        """The way to the engine."""

    def target(self) -> Slot | None:
        """The job that keys act on: the pane's while it has the focus, else the one selected in the stack."""

    def targets(self) -> list[Slot]:
        """What verbs for many act on: the marked jobs that are shown, while the stack has the focus; else `target`."""

    def say(self, text: str, *, severity: str = "information") -> None:
        """A toast; brackets are brackets."""

    async def show_dialog(self, dialog: Screen[Any]) -> Any:
        """What the dialog was left with."""

    def open_when_known(self, session_id: str) -> None:
        """Open this job's tab, now or as soon as the engine has spoken of it."""

    def start_line(self, line: str) -> None:
        """Start a shell line of the command line; what fails gets a row and a toast."""

    def show_selected(self) -> None:
        """If the job that is selected in the stack has a tab, show its pane."""

    def move_focus(self, by: int) -> None:
        """From the stack to the pane, and round."""

    def focus_pane(self) -> None:
        """Into the pane; back to the stack if there is none."""

    def close_tab(self, slot_id: str) -> None:
        """Close a tab in this very moment; its job goes on."""

    @property
    def focused(self) -> Widget | None:
        """What has the focus."""

    @property
    def in_pane(self) -> bool:
        """Is the focus in the pane's column, not in the stack?"""

    @property
    def in_stack(self) -> bool:
        """Has the stack the focus, or its filter?"""

    @property
    def in_signals(self) -> bool:
        """Do waits or hits have the focus?"""

    def focus_back(self, widget: Widget | None) -> None:
        """To the widget that had the focus before; into the pane if that one is gone."""

    def show_details(self, slot: Slot) -> None:
        """Open the drawer for this job."""

    def focus_signals(self, which: str) -> None:
        """To the waits (``barriers``) or the ``hits``, wherever they stand."""

    def fit(self) -> None:
        """Lay the parts out anew."""

    def zoom(self) -> None:
        """The pane alone, and back."""

    def set_zoomed(self, zoomed: bool) -> None:
        """Has one pane the screen?"""

    def selected_text(self) -> str | None:
        """The text that is selected in a pane."""


class Action(NamedTuple):
    """One thing that can be done. ``run`` may be a coroutine: the screen goes on meanwhile."""

    run: Callable[[Deck], Coroutine[Any, Any, None] | None]
    can: Callable[[Deck], bool] = lambda _deck: True
    """Does it work here and now?"""
    opens: bool = False
    """It opens a dialog that takes the keys."""
    offered: Callable[[Deck], bool] | None = None
    """Should footer and palette name it? None: whenever it can be done. Else its key may also just say why not."""


def has_target(deck: Deck) -> bool:
    """Is there a job to act on?"""
    return deck.target() is not None


def has_pane(deck: Deck) -> bool:
    """Is a pane seen?"""
    return deck.area.pane is not None
