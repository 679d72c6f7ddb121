"""The barrier panel: what is parked, on what, since when, until when, and what happens then."""

import time
from collections.abc import Callable
from typing import ClassVar

from textual.binding import BindingType
from textual.timer import Timer

from engine.waiting import BarrierView, GoalView
from tui import keymap
from tui.keymap import BY_ID, key_name
from tui.show.cleaning import clean_line
from tui.show.waits import awaited, doing, hosted_by, how_long, outcome, verdict
from tui.signals.waits import Item, Released, Waits, key_of
from tui.widgets.line import Piece
from tui.widgets.rows import Key, Rows

_TITLE = 16
"""Characters of a command that names its wait."""
_NAME = 20
"""Characters of a job's name where its wait is over: how it ended is to have room beside it."""
_SHORT = 48
"""With fewer columns only the most telling times are shown."""

NameOf = Callable[[str], str]
"""A job's name, for its session id."""


class WaitPanel(Rows):
    """Two lines for what is parked or at work, one for what is past. Ticks only while something it shows is parked."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("barriers")]

    @property
    def hint(self) -> str:
        """The keys that begin to wait."""
        on_job, here = (key_name(BY_ID[name].keys[0]) for name in ("job.wait", "barriers.new"))
        return f"{on_job} on a job waits for it, {here} here"

    def __init__(self, waits: Waits, name_of: NameOf) -> None:
        super().__init__(id="barriers")
        self._waits = waits
        self._name_of = name_of
        self._lines: list[tuple[Item, int]] = []
        self._tick: Timer | None = None

    def on_mount(self) -> None:
        """Have a clock at hand; it stands while nothing is parked."""
        self._tick = self.set_interval(1.0, self._each_second, pause=True)
        self.changed()

    def on_show(self) -> None:
        """It is seen: count down."""
        self._run_clock()

    def on_hide(self) -> None:
        """It isn't seen."""
        self._run_clock()

    @property
    def ticking(self) -> bool:
        """Does its clock run?"""
        return self._tick is not None and self._tick._active.is_set()

    def _run_clock(self) -> None:
        if self._tick is None:
            return
        if self.is_on_screen and self.size.area and self._waits.parked():
            self._tick.resume()
        else:
            self._tick.pause()

    def _each_second(self) -> None:
        for number, (item, line) in enumerate(self._lines):
            if line or isinstance(item, BarrierView):
                self.refresh_lines(number, number + 1)

    def changed(self) -> None:
        """Something is waited for, or no more."""
        self._lines = [(item, line) for item in self._waits.items() for line in range(_lines(item))]
        super().changed()
        self._run_clock()

    def size_changed(self) -> None:
        """It may be in sight now."""
        super().size_changed()
        self._run_clock()

    @property
    def end(self) -> int:
        """The number of lines."""
        return len(self._lines)

    def key_at(self, number: int) -> Key | None:
        """The id of a goal or a barrier."""
        return key_of(self._lines[number][0]) if 0 <= number < len(self._lines) else None

    def lines_of(self, key: Key) -> range:
        """The lines of a goal or a barrier."""
        numbers = [number for number in range(self.end) if self.key_at(number) == key]
        return range(numbers[0], numbers[-1] + 1) if numbers else range(0)

    @property
    def item(self) -> Item | None:
        """What is selected."""
        return self._waits.get(self.selected) if isinstance(self.selected, str) else None

    def pieces(self, number: int, width: int) -> list[Piece]:
        """One line of an entry."""
        item, line = self._lines[number]
        now, short = time.time(), width < _SHORT
        match item:
            case GoalView():
                return self._goal(item, now, short=short)[line]
            case Released():
                return _released(item, self._job_name(item.barrier))
        return self._barrier(item, now, short=short)[line]

    def _job_name(self, barrier: BarrierView) -> str:
        """Of the job that is waited for; empty when there is none, or nothing is known of it any more."""
        name = self._name_of(barrier.session_id)
        return name if name != barrier.session_id else ""

    def _barrier(self, barrier: BarrierView, now: float, *, short: bool) -> list[list[Piece]]:
        name = self._job_name(barrier)
        told = [Piece("   "), Piece(how_long(barrier, now, short=short), "quiet")]
        if barrier.then:
            told += [Piece(" · then ", "quiet"), Piece(clean_line(barrier.then, 200), "text")]
        elif not barrier.goal_id:
            told.append(Piece(" · then tells you", "quiet"))
        return [
            [Piece(" ◷ ", "wait"), Piece(_title(barrier), "name"), Piece(f"  {awaited(barrier, name)}", "text")],
            told,
        ]

    def _goal(self, goal: GoalView, now: float, *, short: bool) -> list[list[Piece]]:
        barrier = self._waits.barrier_of(goal) if goal.status == "active" else None
        name = f"goal “{clean_line(goal.goal, 60)}”"
        turn = f"turn {goal.turns_used}/{goal.max_turns}"
        said = verdict(goal)
        if barrier is not None:
            on = awaited(barrier, self._job_name(barrier))
            head = [Piece(" ◷ ", "wait"), Piece(name, "name"), Piece(f"  {on}", "text")]
            said = f"{how_long(barrier, now, short=short)}" + (f" · {said}" if said else "")
        else:
            glyph, tone = ("✗", "bad") if goal.held_up else _LOOKS.get(goal.status, ("●", "good"))
            head = [Piece(f" {glyph} ", tone), Piece(name, "name"), Piece(f"  {doing(goal)}", "text")]
        elsewhere = hosted_by(goal, now, short=True)
        told = [turn, *([elsewhere] if elsewhere else []), *([said] if said else [])]
        return [head, [Piece("   "), Piece(" · ".join(told), "quiet")]]


_LOOKS = {"active": ("●", "good"), "paused": ("‖", "notice"), "done": ("✓", "good")}
"""A goal's glyph and tone by its status."""


def _lines(item: Item) -> int:
    return 1 if isinstance(item, Released) else 2


def _title(barrier: BarrierView) -> str:
    return clean_line(barrier.reason, 40) or clean_line(barrier.then, _TITLE) or "wait"


def _released(past: Released, name: str) -> list[Piece]:
    barrier, release = past.barrier, past.release
    lifted = release.outcome == "lifted"
    glyph, tone = ("✓", "good") if release.happened else ("⊘", "quiet") if lifted else ("✗", "bad")
    name = clean_line(name or barrier.target, _NAME) if barrier.kind == "session" else ""
    why = f"{clean_line(barrier.reason, 40)}  " if barrier.reason else ""
    pieces = [
        Piece(f" {glyph} ", tone),
        Piece(f"{why}{awaited(barrier, name)}", "held"),
        Piece(f" · {outcome(release)}", "quiet"),
    ]
    if barrier.then:
        pieces.append(Piece(" · then ran" if release.then_session_id else " · then not run", "quiet"))
    return [*pieces, Piece(f" · {time.strftime('%H:%M:%S', time.localtime(past.at))}", "quiet")]
