"""Tells the news: ends that come together in one banner, and who looks elsewhere is told by other ways."""

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.events import Completion, Event, GoalChanged, WatchHit
from tui import news
from tui.news import Mode, Toast
from tui.outside.outside import Outside


class Teller(Protocol):
    """Who shows what is told; the main screen."""

    def toast(self, toast: Toast) -> None:
        """Show one."""

    def later(self, seconds: float, do: Callable[[], None]) -> object:
        """Do something then."""


class Announcer:
    """Hears every event and tells what the mode wants told. Ends go by the job's id: each is told, none for another."""

    def __init__(
        self, teller: Teller, mode: Mode, batch_seconds: float, name_of: Callable[[str], str], outside: Outside
    ) -> None:
        self._teller = teller
        self.mode = mode
        """How much is told."""
        self._outside = outside
        self._batch_seconds = batch_seconds
        self._name_of = name_of
        self._waiting: dict[str, Completion] = {}
        self._goals: dict[str, str] = {}
        """What was told last of a goal: its status."""

    def change(self, mode: Mode, batch_seconds: float) -> None:
        """Tell so from now on."""
        self.mode, self._batch_seconds = mode, batch_seconds

    def take(self, events: Sequence[Event]) -> None:
        """Tell of these; ends a moment later, with those that come until then."""
        for event in events:
            if isinstance(event, Completion):
                if not self._waiting:
                    self._teller.later(self._batch_seconds, self._tell_ends)
                self._waiting.setdefault(event.session_id, event)
            elif not (isinstance(event, GoalChanged) and self._known(event)):
                if isinstance(event, WatchHit) and news.hit_wanted(event, self.mode):
                    self._outside.hit(self._name_of(event.session_id), event)
                toast = news.others(event, self.mode, self._name_of)
                if toast is not None:
                    self._teller.toast(toast)
                    if toast.outside:
                        self._outside.other(toast.outside, failed=toast.severity != "information")

    def _known(self, event: GoalChanged) -> bool:
        goal = event.goal
        before = self._goals.get(goal.goal_id)
        self._goals[goal.goal_id] = goal.status
        if goal.status == "cleared":
            del self._goals[goal.goal_id]
        return before == goal.status

    def _tell_ends(self) -> None:
        ended, self._waiting = list(self._waiting.values()), {}
        for toast in news.completions(ended, self.mode):
            self._teller.toast(toast)
        self._outside.ends(news.wanted(ended, self.mode))
