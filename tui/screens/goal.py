"""A goal's turns: what each did, what the judge said of it, how long it took."""

import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Button, OptionList, Static
from textual.widgets.option_list import Option

from engine.results import Refused
from engine.waiting import GoalView, TurnView
from tui.bridge.bridge import Bridge
from tui.screens.dialog import Dialog
from tui.screens.frame import Frame
from tui.show.ages import clock, span
from tui.show.cleaning import clean_line
from tui.show.waits import awaited, doing, hosted_by, how_long
from tui.signals.waits import Waits
from tui.widgets.dialog_foot import DialogFoot

_VERDICTS = {"done": ("✓", "$success"), "blocked": ("✗", "$error"), "wait": ("◷", "$accent")}


class GoalTurns(Dialog[str | None]):
    """Live. Left with the session id of a turn's step that is to be opened, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Close"),
        Binding("p", "pause", "Pause or resume"),
        Binding("l", "lift", "Lift the barrier"),
        Binding("c", "clear", "Clear"),
    ]

    def __init__(self, bridge: Bridge, waits: Waits, goal_id: str, name_of: Callable[[str], str]) -> None:
        super().__init__()
        self._bridge, self._waits, self._goal_id = bridge, waits, goal_id
        self._name_of = name_of
        self._shown: tuple[TurnView, ...] | None = None

    def compose(self) -> ComposeResult:
        """How it stands, its turns, what can be done."""
        with Frame(classes="dialog -broad"):
            yield Static(id="goal-title", classes="dialog--title", markup=False)
            yield Static(id="goal-state", classes="dialog--text", markup=False)
            yield OptionList(id="turns", compact=True)
            yield DialogFoot(
                Button(Content("Pause  p"), id="pause", compact=True),
                Button(Content("Lift  l"), id="lift", compact=True),
                Button(Content("Clear  c"), id="clear", variant="error", compact=True),
                Button(Content("Close  Esc"), id="close", compact=True),
            )

    def on_mount(self) -> None:
        """Show it, and go on showing it."""
        self.query_one("#turns", OptionList).focus()
        self.set_interval(0.5, self._show)
        self._show()

    @property
    def goal(self) -> GoalView | None:
        """The goal as it stands; None when it was cleared."""
        return self._waits.goal(self._goal_id)

    def _show(self) -> None:
        goal = self.goal
        if goal is None:
            if self.is_current:
                self.dismiss(None)
            return
        self.query_one("#goal-title", Static).update(Content(f"goal “{clean_line(goal.goal, 200)}”"))
        self.query_one("#goal-state", Static).update(Content(self._state(goal)))
        self.query_one("#pause", Button).label = Content("Resume  p" if goal.status == "paused" else "Pause  p")
        self.query_one("#pause", Button).display = goal.status in ("active", "paused")
        self.query_one("#lift", Button).display = self._waits.parked_by(goal.goal_id) is not None
        turns = self.query_one("#turns", OptionList)
        if goal.turns != self._shown:
            self._shown = goal.turns
            lit = turns.highlighted
            turns.clear_options()
            turns.add_options([Option(_turn(turn)) for turn in reversed(goal.turns)])
            turns.highlighted = min(lit or 0, len(goal.turns) - 1) if goal.turns else None

    def _state(self, goal: GoalView) -> str:
        barrier = self._waits.parked_by(goal.goal_id)
        now = time.time()
        parked = doing(goal)
        if barrier is not None:
            name = self._name_of(barrier.session_id) if barrier.session_id else ""
            parked = f"parked {awaited(barrier, name)} · {how_long(barrier, now)}"
        elsewhere = hosted_by(goal, now)
        if goal.held_up and barrier is not None:
            parked = doing(goal)
        return (
            (f"{elsewhere}\n" if elsewhere else "")
            + f"{parked} · turn {goal.turns_used} of {goal.max_turns} · begun {clock(now - goal.created_at)} ago\n"
            f"step:  {clean_line(goal.step, 200)}\njudge: {clean_line(goal.judge, 200)}\n"
        )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open that turn's step."""
        goal = self.goal
        turns = tuple(reversed(goal.turns)) if goal is not None else ()
        if event.option_index < len(turns):
            self.dismiss(turns[event.option_index].session_id)

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        match event.button.id:
            case "pause":
                await self.action_pause()
            case "lift":
                await self.action_lift()
            case "clear":
                await self.action_clear()
            case _:
                self.action_leave()

    def action_leave(self) -> None:
        """Back to the jobs."""
        self.dismiss(None)

    async def action_pause(self) -> None:
        """Let no further turn begin, or go on."""
        goal, engine = self.goal, self._bridge.engine
        if goal is not None and goal.status in ("active", "paused"):
            verb = engine.goal_resume if goal.status == "paused" else engine.goal_pause
            answer = await self._bridge.ask(verb(goal.goal_id))
            self._told(answer)

    async def action_lift(self) -> None:
        """Take the barrier away: it goes on at once."""
        if self._waits.parked_by(self._goal_id) is not None:
            answer = await self._bridge.ask(self._bridge.engine.goal_unwait(self._goal_id))
            self._told(answer)

    async def action_clear(self) -> None:
        """Take it off the list; its step, if one runs, is a job like any."""
        answer = await self._bridge.ask(self._bridge.engine.goal_clear(self._goal_id))
        self._told(answer)

    def _told(self, answer: object) -> None:
        why = answer.error if isinstance(answer, Refused) else ""
        self.query_one(DialogFoot).refuse(why)
        self._show()


def _turn(turn: TurnView) -> Content:
    glyph, tone = _VERDICTS.get(turn.verdict, ("·" if turn.ended_at is not None else "●", "$quiet"))
    took = span((turn.ended_at or time.time()) - turn.started_at)
    code = f"exit {turn.exit_code}" if turn.exit_code is not None else "runs"
    said = turn.verdict + (f" “{clean_line(turn.reason, 200)}”" if turn.reason else "")
    return Content.assemble(
        (f" {turn.number:>3} ", "$quiet"),
        (f"{glyph} ", tone),
        (time.strftime("%H:%M:%S ", time.localtime(turn.started_at)), "$quiet"),
        (f"{took:>8}  {code:<9} ", "$foreground"),
        (clean_line(said, 300), "$quiet"),
    )
