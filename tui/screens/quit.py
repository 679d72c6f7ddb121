"""Leaving while jobs run or something is waited for: what becomes of them."""

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from engine.results import Refused
from engine.waiting import BarrierView
from tui.bridge.bridge import Bridge
from tui.screens.dialog import Dialog
from tui.screens.frame import Frame
from tui.show.ages import clock
from tui.show.cleaning import clean_line
from tui.show.endings import waited_for
from tui.show.keeping import KEPT, keeps
from tui.show.leaving import Fates, fates, how_to_keep, named, why_not_kept
from tui.show.states import GLYPHS, look
from tui.show.waits import awaited
from tui.signals.waits import Waits
from tui.store import JobStore, Slot

LISTED = 8


class Quit(Dialog[bool]):
    """True: leave. Every job has ended that was to end, or the operator won't wait for it.

    While they end it shows who is waited for. Those that live on are the engine's to let go, once the console has gone.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "keep", "Keep what can be kept and leave"),
        Binding("x", "kill", "Kill all and leave"),
        Binding("y", "yes", "Leave; keep what can be kept"),
        Binding("n,escape,q", "cancel", "Cancel"),
        Binding("X", "force", "Kill at once"),
        Binding("left,right,up,down", "app.focus_next", "Other button", show=False),
    ]

    def __init__(self, bridge: Bridge, store: JobStore, waits: Waits) -> None:
        super().__init__()
        self._bridge, self._store, self._waits = bridge, store, waits
        self._ending = False
        self._keeping = False
        """Those that can live on are not ended."""
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
                yield Button(Content("Keep and leave  k"), id="keep", compact=True)
                yield Button(Content("Kill and leave  x"), id="kill", variant="error", compact=True)
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

    # What is shown

    @property
    def _fates(self) -> Fates:
        return fates([slot.job for slot in self._store.ours()])

    def _to_end(self) -> list[Slot]:
        """Those that run and are to end, as it was chosen."""
        return [slot for slot in self._store.ours() if not (self._keeping and keeps(slot.job))]

    def _show(self) -> None:
        if self._ending:
            self._kill_all(now=self._forced)  # one that was about to start when we began
            if not self._to_end():
                self._leave(True)
        if self._left:
            return
        self.query_one("#quit-title", Static).update(Content(self._title()))
        self.query_one("#quit-jobs", Static).update(Content.assemble(*self._body(time.time())).rstrip())
        self.query_one("#quit-note", Static).update(Content(self._note()))
        kept, ended = self._fates
        self.query_one("#keep", Button).display = bool(kept) and not self._ending
        kill = "Leave  x" if not (kept or ended) else "Kill all and leave  x" if kept else "Kill and leave  x"
        self.query_one("#kill", Button).label = Content("Kill again  x" if self._ending else kill)
        self.query_one("#kill", Button).display = not self._ending or bool(self._trouble)
        stay = "Leave all the same" if self._ending and self._trouble else "Cancel  Esc"
        self.query_one("#cancel", Button).label = Content(stay)

    def _title(self) -> str:
        live, waits = self._store.ours(), self._waits.standing()
        if self._ending:
            ending = len(self._to_end())
            return f"Ending {ending} job{'s' * (ending != 1)}…"
        if live:
            return f"{len(live)} job{'s' * (len(live) != 1)} still run{'s' * (len(live) == 1)}"
        return f"{len(waits)} wait{'s' * (len(waits) != 1)} still stand{'s' * (len(waits) == 1)}"

    def _body(self, now: float) -> list[tuple[str, str]]:
        live = self._store.ours()
        if self._ending:
            going = self._to_end()
            staying = [slot.job for slot in live if slot not in going]
            says = [(f"\n{KEPT} {named(staying)} live{'s' * (len(staying) == 1)} on\n", "$quiet")] if staying else []
            return [*self._lines(going, now), *says]
        hours = self._bridge.engine.settings.bg_process_max_age_hours  # older ones are listed apart; 0: none is old
        old = [slot for slot in live if hours and now - slot.job.started_at > hours * 3_600]
        young = [slot for slot in live if slot not in old]
        kept = [slot for slot in young if keeps(slot.job)]
        ended = [slot for slot in young if not keeps(slot.job)]
        some = any(keeps(slot.job) for slot in live)
        parts: list[tuple[str, str]] = []
        if kept:
            parts += [(f"{KEPT} can live on without jobdeck\n", "$accent"), *self._lines(kept, now)]
        if ended:
            why = why_not_kept([slot.job for slot in ended])
            head = f"can't be kept: {why}\n"
            parts += [(("\n" if parts else "") + head, "$quiet"), *self._lines(ended, now)]
        if old:
            head = ("\n" if parts else "") + f"for more than {'a day' if hours == 24 else f'{hours:g} hours'}\n"
            parts += [(head, "$warning"), *self._lines(old, now, fate=some)]
        return [*parts, *self._forgotten(self._waits.standing(), first=not parts)]

    def _note(self) -> str:
        if self._ending:
            if self._trouble:
                return "Some could not be ended. x tries again, Enter on Leave goes all the same."
            return "Killing at once…" if self._forced else "Each has a moment to end by itself. X kills at once."
        kept, ended = self._fates
        several = len(kept) + len(ended) > 1
        ends = f"{'all jobs with their' if several else 'it with its'} whole tree{'s' * several}, by TERM, then by KILL"
        said = []
        if kept and ended:
            said = [f"Keep ends {named(ended)} and leaves the rest running. Kill ends {ends}."]
        elif kept:
            said = [f"Keep leaves {'them' if several else 'it'} running. Kill ends {ends}."]
        elif ended:
            said = [f"Leaving ends {ends}."]
        drops = ["What is waited for is forgotten, and what was to run then isn't run."] * bool(self._waits.standing())
        goals = any(goal.status == "active" for goal in self._waits.goals())
        says = [*said, *drops, *["Goals go on when jobdeck is opened again."] * goals]
        return "\n".join(part for part in (" ".join(says), how_to_keep(ended)) if part)

    def _lines(self, slots: Sequence[Slot], now: float, *, fate: bool = False) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = []
        for slot in slots[:LISTED]:
            job = slot.job
            name = clean_line(job.name or job.command, 40)
            why, who = self._trouble.get(slot.id, ""), waited_for(job)
            lines += [(f"  {GLYPHS[look(job)]} ", "$success"), (f"{name}  ", "bold $foreground")]
            lines += [(clock(now - job.started_at), "$quiet"), (f"  {who}" if who and not why else "", "$warning")]
            if fate:
                lines.append((f"  {KEPT} can live on" if keeps(job) else "  can't be kept", "$quiet"))
            elif job.detached and not self._ending:
                lines.append(("  detached", "$quiet"))
            lines.append((f"  {why}\n" if why else "\n", "$error"))
        if len(slots) > LISTED:
            lines.append((f"  and {len(slots) - LISTED} more\n", "$quiet"))
        return lines

    def _forgotten(self, waits: list[BarrierView], *, first: bool) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = [] if first or not waits else [("\n", "")]
        for barrier in waits[:LISTED]:
            name = self._store.name_of(barrier.session_id) if barrier.session_id else ""
            then = f", then {clean_line(barrier.then, 40)}" if barrier.then else ""
            lines += [("  ◷ ", "$accent"), (f"wait {awaited(barrier, name)}{then}\n", "$foreground")]
        if len(waits) > LISTED:
            lines.append((f"  and {len(waits) - LISTED} more\n", "$quiet"))
        return lines

    # What is chosen

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        if event.button.id == "keep":
            self.action_keep()
        elif event.button.id == "kill":
            self.action_kill()
        elif self._ending and self._trouble:
            self._leave(True)
        else:
            self.action_cancel()

    def action_yes(self) -> None:
        """Leave, and end no more than must end."""
        if self._fates.kept:
            self.action_keep()
        else:
            self.action_kill()

    def action_keep(self) -> None:
        """End those that can't live on, then leave; the others go on. Nothing, if none can."""
        if self._fates.kept and not self._ending:
            self._keeping = True
            self._end(now=False)

    def action_kill(self) -> None:
        """End every job, or try again with those that were to end; then leave."""
        self._end(now=False)

    def action_force(self) -> None:
        """End them at once."""
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
        for slot in self._to_end():
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
        self._show()
