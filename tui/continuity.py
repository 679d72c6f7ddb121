"""How the console goes on as it stood the last time: applies what is remembered, and remembers what changes."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from engine.config.slots import is_slot
from engine.events import Event, JobView, Recovered
from tui.actions.registry import Deck
from tui.arranging import arrangement_of
from tui.coming_back import ComingBack
from tui.memory import Memory, Remembered
from tui.show.keeping import keeps
from tui.terminal_driver import HANGUP

_SOON_SECONDS = 1.0
"""What changes is saved so much later, once."""
_PATIENCE_SECONDS = 30.0
"""For so long a tab that was open waits for its job to become known."""


class Continuity:
    """Belongs to the main screen. Nothing here may hold it up, and what the operator does goes before what was."""

    def __init__(self, deck: Deck, memory: Memory, run: Callable[[Coroutine[Any, Any, object]], None]) -> None:
        self._deck, self._memory, self._run = deck, memory, run
        self._coming = ComingBack(memory.last)
        self._saving = False
        self._asking = self._again = False
        self._left = False
        deck.signals.folded = memory.last.folded
        deck.stack.arrangement = arrangement_of(memory.last.filter, memory.last.sort, memory.last.group)

    def begin(self) -> None:
        """The engine can be asked."""
        self._deck.filter.recall(self._deck.stack.arrangement.words)
        for trouble in self._memory.troubles:
            self._deck.say(trouble, severity="warning")
        self._deck.app.theme_changed_signal.subscribe(self._deck.app, lambda _: self.soon())
        self._ask()
        self._deck.later(_PATIENCE_SECONDS, self._give_up)

    def take(self, events: Sequence[Event]) -> None:
        """The store has taken these in: open the tabs of jobs that have become known."""
        if not self._coming.waiting:
            return
        for slot in self._coming.known(self._deck.store):
            self._deck.area.open(slot.id, turn=False)
            if slot is self._coming.slot(self._deck.store, self._coming.active) and not self._deck.touched:
                self._deck.area.turn_to(slot.id)
                if self._coming.in_pane:
                    self._deck.focus_pane()
        self._deck.area.set_order(self._coming.order(self._deck.store))
        if not self._deck.touched:
            self._deck.area.see_together(self._coming.beside(self._deck.store))
        if any(isinstance(event, Recovered) for event in events):
            self._ask()

    def soon(self) -> None:
        """Something may have changed that is to be remembered."""
        if not self._saving and not self._left:
            self._saving = True
            self._deck.later(_SOON_SECONDS, self._save)

    def leave(self) -> None:
        """The console ends: what ends with it isn't worth a tab the next time."""
        self._left = True
        self._memory.save(self._now(leaving=True))
        self._memory.close()

    def _save(self) -> None:
        self._saving = False
        if not self._left:
            self._memory.save(self._now())

    def _now(self, *, leaving: bool = False) -> Remembered:
        deck = self._deck
        leaving = leaving and deck.app.return_code != HANGUP  # then jobs may go on without a screen
        slots = {slot_id: deck.store.get(slot_id) for slot_id in deck.area.order}
        jobs = {name: slot.job for name, slot in slots.items() if slot is not None and not slot.local}
        tabs = [job.session_id for job in jobs.values() if not (leaving and _ends_with_us(job))]
        places = {job.session_id: job.slot for job in jobs.values() if is_slot(job.slot)}
        beside = [jobs[name].session_id for name in deck.area.split.names if name in jobs]
        active = deck.store.get(deck.area.active)
        open_tabs = self._coming.with_waiting(tabs)
        return Remembered(
            theme=deck.outfit.wardrobe.remembered if deck.outfit is not None else deck.app.theme,
            folded=deck.signals.folded,
            tabs=open_tabs,
            places=self._coming.with_places(places, open_tabs),
            active=active.job.session_id if active is not None else "",
            beside=tuple(beside) if len(beside) > 1 else (),
            in_pane=deck.in_pane,
            filter=deck.stack.arrangement.words,
            sort=deck.stack.arrangement.sort,
            group=deck.stack.arrangement.group,
        )

    # Jobs that are over are read back from their receipts; those that run are taken over by the engine, in its time

    def _ask(self) -> None:
        self._again = self._asking
        if self._coming.waiting and not self._asking:
            self._asking = True
            self._run(self._recall())

    async def _recall(self) -> None:
        try:
            for session_id in tuple(self._coming.waiting):
                if self._coming.slot(self._deck.store, session_id) is None:
                    # Refused: it runs and is about to be taken over, it runs anew, or nothing is left of it.
                    await self._deck.bridge.ask(self._deck.bridge.engine.recall(session_id, in_place=True))
        finally:
            self._asking = False
        if self._again:
            self._ask()

    def _give_up(self) -> None:
        self._coming.waiting.clear()


def _ends_with_us(job: JobView) -> bool:
    runs = job.exited_at is None
    return job.termination_source == "quit" or (runs and not job.engine and not keeps(job))
