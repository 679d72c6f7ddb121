"""Leaving while jobs run or something is waited for: what becomes of them."""

import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from engine.results import Refused
from engine.waiting import BarrierView
from tui.bridge.bridge import Bridge
from tui.screens.frame import Frame
from tui.show.ages import clock
from tui.show.cleaning import clean_line
from tui.show.endings import waited_for
from tui.show.waits import awaited
from tui.signals.waits import Waits
from tui.store import JobStore, Slot

OLD_SECONDS = 86_400
"""Jobs that have run longer than this are listed apart."""
LISTED = 8


class Quit(ModalScreen[bool]):
    """True: every job has ended, or the operator won't wait for it. While they end it shows who is waited for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k,y", "kill", "Kill them and leave"),
        Binding("n,escape,q", "cancel", "Cancel"),
        Binding("X", "force", "Kill at once"),
        Binding("left,right,up,down", "app.focus_next", "Other button", show=False),
    ]

    def __init__(self, bridge: Bridge, store: JobStore, waits: Waits) -> None:
        super().__init__()
        self._bridge, self._store, self._waits = bridge, store, waits
        self._ending = False
        self._forced = False
        self._trouble: dict[str, str] = {}
        self._told: set[str] = set()
        """Which have been told to end."""
        self._left = False

    def compose(self) -> ComposeResult:
        """Who runs, and what can be done."""
        with Frame(classes="dialog"):
            yield Static(id="quit-title", classes="dialog--title", markup=False)
            yield Static(id="quit-jobs", markup=False)
            yield Static(id="quit-note", classes="dialog--text", markup=False)
            with Horizontal(classes="dialog--buttons"):
                yield Button(Content("Kill and leave  k"), id="kill", variant="error", compact=True)
                yield Button(Content("Cancel  Esc"), id="cancel", compact=True)

    def on_mount(self) -> None:
        """Enter alone ends nothing."""
        self.query_one("#cancel", Button).focus()
        self.set_interval(0.25, self._show)
        self._show()

    def _leave(self, answer: bool) -> None:
        # The clock, each kill and the operator may all come to it: the first one's word stands.
        if self._left:
            return
        self._left = True
        if self._ending and not answer:  # it goes on, and so does what waits
            self._bridge.engine.stand_still(False)
        self.dismiss(answer)

    def _show(self) -> None:
        live = self._store.live()
        if self._ending:
            self._kill_all(now=self._forced)  # one that was about to start when we began
        if self._ending and not live:
            self._leave(True)
        if self._left:
            return
        many = f"{len(live)} job{'s' * (len(live) != 1)}"
        waits = self._waits.standing()
        title = f"Ending {many}…" if self._ending else f"{many} still run{'s' * (len(live) == 1)}"
        if not live:
            title = f"{len(waits)} wait{'s' * (len(waits) != 1)} still stand{'s' * (len(waits) == 1)}"
        self.query_one("#kill", Button).label = Content("Kill and leave  k" if live else "Leave  k")
        self.query_one("#quit-title", Static).update(Content(title))
        now = time.time()
        old = [slot for slot in live if now - slot.job.started_at > OLD_SECONDS]
        young = [slot for slot in live if slot not in old]
        parts = [*self._lines(young, now)]
        if old:
            parts += [("\nfor more than a day:\n", "$warning"), *self._lines(old, now)]
        if not self._ending:
            parts += self._forgotten(waits)
        self.query_one("#quit-jobs", Static).update(Content.assemble(*parts))
        self.query_one("#quit-note", Static).update(Content(self._note()))

    def _note(self) -> str:
        if not self._ending:
            ends = ["Leaving ends the jobs: their whole trees, first with TERM, then with KILL."] * bool(
                self._store.live()
            )
            drops = ["What is waited for is forgotten, and what was to run then isn't run."] * bool(
                self._waits.standing()
            )
            goals = any(goal.status == "active" for goal in self._waits.goals())
            return " ".join([*ends, *drops, *["Goals go on when jobdeck is opened again."] * goals])
        if self._trouble:
            return "Some could not be ended. k tries again, Enter on Leave goes all the same."
        return "Killing at once…" if self._forced else "Each has a moment to end by itself. X kills at once."

    def _lines(self, slots: list[Slot], now: float) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = []
        for slot in slots[:LISTED]:
            name = clean_line(slot.job.name or slot.job.command, 40)
            why, who = self._trouble.get(slot.id, ""), waited_for(slot.job)
            lines += [("  ● ", "$success"), (f"{name}  ", "bold $foreground")]
            lines += [(clock(now - slot.job.started_at), "$quiet"), (f"  {who}" if who and not why else "", "$warning")]
            lines.append((f"  {why}\n" if why else "\n", "$error"))
        if len(slots) > LISTED:
            lines.append((f"  and {len(slots) - LISTED} more\n", "$quiet"))
        return lines

    def _forgotten(self, waits: list[BarrierView]) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = []
        for barrier in waits[:LISTED]:
            name = self._store.name_of(barrier.session_id) if barrier.session_id else ""
            then = f", then {clean_line(barrier.then, 40)}" if barrier.then else ""
            lines += [("  ◷ ", "$accent"), (f"wait {awaited(barrier, name)}{then}\n", "$foreground")]
        if len(waits) > LISTED:
            lines.append((f"  and {len(waits) - LISTED} more\n", "$quiet"))
        return lines

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        if event.button.id == "kill":
            self.action_kill()
        elif self._ending and self._trouble:
            self._leave(True)
        else:
            self.action_cancel()

    def action_kill(self) -> None:
        """End every job, then leave."""
        self._end(now=False)

    def action_force(self) -> None:
        """End every job at once."""
        self._forced = True
        self._end(now=True)

    def action_cancel(self) -> None:
        """Stay. What is already ending can't be called back."""
        self._leave(False)

    def _end(self, *, now: bool) -> None:
        if not self._ending:
            # Before the first kill, and calls are done in their order: what we end is no end that somebody waited for.
            self._bridge.engine.stand_still(True)
        self._ending = True
        self._trouble.clear()
        self._told.clear()
        self._kill_all(now=now)
        self._show()

    def _kill_all(self, *, now: bool) -> None:
        for slot in self._store.live():
            if slot.job.session_id not in self._told:
                self._told.add(slot.job.session_id)
                self.run_worker(self._kill(slot, now=now), exit_on_error=False)

    async def _kill(self, slot: Slot, *, now: bool) -> None:
        answer = await self._bridge.ask(self._bridge.engine.kill(slot.job.session_id, now=now, source="quit"))
        if isinstance(answer, Refused):
            self._trouble[slot.id] = clean_line(answer.error, 80)
        elif answer.status == "error":
            left = ", ".join(f"{one.pid} {one.why}" for one in answer.survivors)
            self._trouble[slot.id] = clean_line(answer.error or left, 80)
        if self._trouble and not self._left:
            self.query_one("#cancel", Button).label = Content("Leave all the same")
        self._show()
