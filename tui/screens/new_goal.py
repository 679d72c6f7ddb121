"""The dialog that begins a goal."""

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Button, Input, Label, Static

from engine import EngineGone, GoalSpec, SpecError, StartError
from engine.results import Refused
from engine.waiting import GoalView
from tui.bridge.bridge import Bridge
from tui.drafts import Drafts, GoalDraft
from tui.screens.fields import MOVES
from tui.screens.form import Form
from tui.screens.frame import Frame
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.text_line import TextLine


class NewGoal(Form[GoalView | None]):
    """Left with the goal, or with None; what was typed is kept then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding("escape", "leave", "Cancel"),
        Binding("enter", "start", "Start"),
    ]

    def __init__(self, bridge: Bridge, drafts: Drafts) -> None:
        super().__init__()
        self._bridge, self._drafts = bridge, drafts

    def compose(self) -> ComposeResult:
        """What is to be reached, by which step, judged by whom."""
        draft = self._drafts.goal
        most = self._bridge.engine.settings.goal_max_turns
        with Frame(classes="dialog"):
            yield Static(Content("New goal"), classes="dialog--title")
            yield Label("Objective", markup=False)
            yield Input(draft.goal, placeholder="green main", id="goal", compact=True)
            yield Label("Step, run each turn", markup=False)
            yield TextLine(draft.step, placeholder="pytest -q", id="step")
            yield Label("Judge, asked after each step", markup=False)
            yield TextLine(draft.judge, placeholder="exit-code: done when the step exits 0", id="judge")
            yield Label("Turns at most", markup=False)
            yield Input(draft.turns, placeholder=str(most), id="turns", compact=True)
            yield Label("Folder", markup=False)
            yield Input(draft.folder, placeholder="jobdeck's own", id="folder", compact=True)
            yield DialogFoot(
                Button(Content("Start  Enter"), id="start", variant="primary", compact=True),
                Button(Content("Cancel  Esc"), id="cancel", compact=True),
            )

    def on_mount(self) -> None:
        """Begin with the objective."""
        self.query_one("#goal", Input).focus()

    def on_input_changed(self) -> None:
        """What was wrong is being changed."""
        self._say("")

    def action_leave(self) -> None:
        """Begin nothing."""
        if not self._asking:
            self._drafts.goal = self._draft()
            self.dismiss(None)

    def _draft(self) -> GoalDraft:
        return GoalDraft(
            goal=self.query_one("#goal", Input).value,
            step=self.query_one("#step", TextLine).text,
            judge=self.query_one("#judge", TextLine).text,
            turns=self.query_one("#turns", Input).value,
            folder=self.query_one("#folder", Input).value,
        )

    def _spec(self) -> GoalSpec:
        draft = self._draft()
        if not draft.goal.strip():
            raise ValueError("say what is to be reached, in words")
        if not draft.step.strip():
            raise ValueError("give the step: a shell line that is run each turn")
        turns = draft.turns.strip()
        if turns and not (turns.isascii() and turns.isdigit() and int(turns) > 0):
            raise ValueError(f"the turns are a number from 1 on, not '{turns}'")
        folder = draft.folder.strip()
        return GoalSpec(
            goal=draft.goal.strip(),
            step=draft.step.strip(),
            judge=draft.judge.strip() or "exit-code",
            max_turns=int(turns or 0),
            cwd=str(Path(folder).expanduser()) if folder else None,
        )

    async def _make(self) -> None:
        try:
            answer = await self._bridge.ask(self._bridge.engine.goal_start(self._spec()))
        except (ValueError, SpecError, StartError, EngineGone) as error:
            self._say(str(error))
        else:
            if isinstance(answer, Refused):
                self._say(answer.error)
            else:
                self._drafts.goal = GoalDraft()
                self.dismiss(answer.goal)
