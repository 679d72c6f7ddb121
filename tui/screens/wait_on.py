"""The dialog that sets a wait: for what, what happens then, which goal it parks."""

import time
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Button, Input, Label, OptionList, Select, Static
from textual.widgets.option_list import Option

from engine import EngineGone, SpecError, WaitSpec
from engine.results import Refused
from engine.waiting import BarrierView
from tui.bridge.bridge import Bridge
from tui.screens.fields import MOVES
from tui.screens.form import Form
from tui.screens.frame import Frame
from tui.show.cleaning import clean_line
from tui.signals.patterns import trouble
from tui.signals.waits import Waits
from tui.store import JobStore, Slot
from tui.times import moment_of, seconds_in
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.text_line import TextLine

LISTED_JOBS = 12


class Choice(NamedTuple):
    """One thing that can be waited for."""

    kind: str
    """``exit``, ``success``, ``match``, ``new``, ``any``, ``time``, ``pid`` or ``goal``."""
    words: str
    session_id: str = ""
    pattern: str = ""


_ASKED = {
    "new": ("Pattern", "Application startup, or /regex/i"),
    "time": ("Time", "10m, 1h30m, 18:30"),
    "pid": ("Process number", "4711"),
}
"""What a choice asks for besides: the field's label and an example."""


_ANYTHING = (
    Choice("time", "a time…"),
    Choice("pid", "a process that isn't a job here…"),
    Choice("goal", "a goal: a step and a judge, until it is done…"),
)
"""What can always be waited for, whatever job was asked about."""


def choices(store: JobStore, slot: Slot | None) -> list[Choice]:
    """What can be waited for: of one job, or of anything."""
    if slot is not None:
        job = slot.job
        own = [Choice("match", f"a line with {pattern}", job.session_id, pattern) for pattern in job.watch_patterns]
        either = [Choice("any", "its exit or a hit, whichever comes first", job.session_id)] if own else []
        if not slot.live:
            return [*_ANYTHING]
        return [
            Choice("exit", "its exit", job.session_id),
            Choice("success", "its exit with 0", job.session_id),
            *own,
            Choice("new", "a line with a new pattern…", job.session_id),
            *either,
            *_ANYTHING,
        ]
    live = [one.job for one in store.live()][:LISTED_JOBS]
    return [
        *(Choice("exit", f"{clean_line(job.name or job.command, 40)} exits", job.session_id) for job in live),
        *_ANYTHING,
    ]


class WaitOn(Form[BarrierView | str | None]):
    """Left with the barrier, ``goal`` (ask for one instead), or None. What is refused is said here."""

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES, Binding("escape", "leave", "Cancel")]
    BUTTON = "wait"

    def __init__(self, bridge: Bridge, store: JobStore, waits: Waits, slot: Slot | None) -> None:
        super().__init__()
        self._bridge, self._slot = bridge, slot
        self._choices = choices(store, slot)
        self._goals = waits.goals()

    def compose(self) -> ComposeResult:
        """The choices, and below them what is to be said of the one that is lit."""
        slot = self._slot if self._slot is not None and self._slot.live else None
        name = clean_line(slot.job.name or slot.job.command, 40) if slot is not None else ""
        with Frame(classes="dialog"):
            yield Static(Content(f"Wait on {name}" if name else "Wait for"), classes="dialog--title")
            yield OptionList(*(Option(Content(choice.words)) for choice in self._choices), id="choices", compact=True)
            yield Label("", id="detail-label", markup=False)
            yield Input(id="detail", compact=True)
            yield Label("Then run", id="then-label", markup=False)
            yield TextLine(placeholder="nothing: it tells you", id="then")
            yield Label("Give up after", id="timeout-label", markup=False)
            most = self._bridge.engine.settings.barrier_max_seconds
            yield Input(placeholder=f"{most / 60:g}m", id="timeout", compact=True)
            if self._goals:
                yield Label("Parks", id="parks-label", markup=False)
                goals = [(Content(f"goal “{clean_line(goal.goal, 50)}”"), goal.goal_id) for goal in self._goals]
                yield Select([(Content("no goal"), ""), *goals], value="", allow_blank=False, compact=True, id="parks")
            yield DialogFoot(
                Button(Content("Wait  Enter"), id="wait", variant="primary", compact=True),
                Button(Content("Cancel  Esc"), id="cancel", compact=True),
            )

    def on_mount(self) -> None:
        """Begin with the first choice."""
        options = self.query_one("#choices", OptionList)
        options.highlighted = 0
        options.focus()
        self._fit_fields()

    @property
    def choice(self) -> Choice:
        """The one that is lit."""
        return self._choices[self.query_one("#choices", OptionList).highlighted or 0]

    def _fit_fields(self) -> None:
        kind = self.choice.kind
        asked = _ASKED.get(kind)
        self.query_one("#detail-label", Label).display = self.query_one("#detail", Input).display = asked is not None
        if asked is not None:
            self.query_one("#detail-label", Label).update(Content(asked[0]))
            self.query_one("#detail", Input).placeholder = asked[1]
        for fields, fits in (
            ("#then, #then-label", kind != "goal" and not self._parked),  # a goal goes on by itself
            ("#timeout, #timeout-label", kind not in ("time", "goal")),
            ("#parks, #parks-label", kind != "goal"),
        ):
            self.query(fields).set(display=fits)

    @property
    def _parked(self) -> str:
        """The id of the goal that the wait is to park; empty for none."""
        return str(self.query_one("#parks", Select).value) if self._goals else ""

    def on_select_changed(self) -> None:
        """A wait that parks a goal runs nothing then."""
        self._fit_fields()

    def on_option_list_option_highlighted(self) -> None:
        """Another choice may ask for something else."""
        self._say("")
        self._fit_fields()

    async def on_option_list_option_selected(self) -> None:
        """Enter, or a click: the choice is made; what it asks for is asked."""
        if self.choice.kind in _ASKED and not self.query_one("#detail", Input).value.strip():
            self.query_one("#detail", Input).focus()
        else:
            await self.action_start()

    def on_input_changed(self) -> None:
        """What was wrong is being changed."""
        self._say("")

    def action_leave(self) -> None:
        """Wait for nothing."""
        if not self._asking:
            self.dismiss(None)

    def _spec(self) -> WaitSpec:
        choice = self.choice
        detail = self.query_one("#detail", Input).value.strip()
        then = "" if self._parked else self.query_one("#then", TextLine).text.strip()
        wait = WaitSpec(then=then)
        match choice.kind:
            case "time":
                until = moment_of(detail, time.time())
                return WaitSpec(then=then, until=until) if until else WaitSpec(then=then, seconds=seconds_in(detail))
            case "pid":
                if not detail.isascii() or not detail.isdigit():
                    raise ValueError(f"a process is named by its number, not '{detail}'")
                wait = WaitSpec(then=then, pid=int(detail), timeout=self._timeout())
            case "new":
                if not detail:
                    raise ValueError("write the pattern to wait for: text, or a /regex/")
                if why := trouble(detail):
                    raise ValueError(why)
                wait = self._on(choice, "match", detail, then)
            case "match":
                wait = self._on(choice, "match", choice.pattern, then)
            case kind:
                wait = self._on(choice, kind, "", then)
        return wait

    def _on(self, choice: Choice, on: str, pattern: str, then: str) -> WaitSpec:
        return WaitSpec(session_id=choice.session_id, on=on, pattern=pattern, then=then, timeout=self._timeout())

    def _timeout(self) -> float:
        text = self.query_one("#timeout", Input).value.strip()
        return seconds_in(text) if text else 0.0

    async def _make(self) -> None:
        if self.choice.kind == "goal":
            self.dismiss("goal")
            return
        try:
            engine = self._bridge.engine
            parks = self._parked
            spec = self._spec()
            answer = await self._bridge.ask(engine.goal_wait(parks, spec) if parks else engine.wait_for(spec))
        except (ValueError, SpecError, EngineGone) as error:
            self._say(str(error))
        else:
            if isinstance(answer, Refused):
                self._say(answer.error)
            else:
                self.dismiss(answer.barrier)
