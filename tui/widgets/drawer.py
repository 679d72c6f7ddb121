"""The drawer over the foot of the pane: all that is known of the job that keys act on, live."""

import time
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from engine import EngineGone
from engine.results import Inspected, Refused
from tui.gauge import EVERY_SECONDS
from tui.keymap import BY_ID, short_name
from tui.show.details import fields, title, tree, uses
from tui.show.hanging import Words, hanging
from tui.store import Slot
from tui.widgets.sized import Sized

Ask = Callable[[str], Awaitable[Inspected | Refused]]
"""What the engine knows of the job with this id."""


class _Fields(Sized, Static):
    """What is known of a job, broken at this width: it tells when it has another, be it by a scroll bar that came."""

    class Resized(Message):
        """Long values break elsewhere."""

    def size_changed(self) -> None:
        """Laid out anew."""
        self.post_message(self.Resized())


class JobDrawer(VerticalScroll, can_focus=True):
    """Asks for its job's processes every two seconds while it is open, and for nothing while it isn't."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "screen.do('job.details')", "Close", show=False)]

    def __init__(self) -> None:
        super().__init__(id="drawer")
        self._slot: Slot | None = None
        self._ask: Ask | None = None
        self._told: Inspected | None = None
        self._told_at = 0.0
        self._used: dict[int, float] = {}
        self._shares: dict[int, float] = {}
        self._asking = ""
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Who it is, what is known of it, its processes."""
        yield Static(id="drawer-title", markup=False)
        yield _Fields(id="drawer-fields", markup=False)
        yield Static(id="drawer-tree", markup=False)

    def on_mount(self) -> None:
        """Have a clock at hand; it stands while the drawer is closed."""
        self._timer = self.set_interval(EVERY_SECONDS, self._look, pause=True)

    def connect(self, ask: Ask) -> None:
        """From here what is shown comes."""
        self._ask = ask

    @property
    def slot_id(self) -> str | None:
        """Whose details are shown; None while it is closed."""
        return self._slot.id if self._slot is not None and self.display else None

    def open(self, slot: Slot) -> None:
        """Show this job's details."""
        self.display = True
        if self._timer is not None:
            self._timer.resume()
        self.follow(slot)

    def close(self) -> None:
        """Show nothing, ask for nothing."""
        self.display = False
        self._slot = None
        if self._timer is not None:
            self._timer.pause()

    @on(_Fields.Resized)
    def _break_anew(self) -> None:
        self._show()

    def follow(self, slot: Slot | None) -> None:
        """Another job is the one that keys act on, or this one has changed."""
        if not self.display or slot is None:
            return
        if self._slot is None or self._slot.job.session_id != slot.job.session_id or slot is not self._slot:
            self._told, self._used, self._shares = None, {}, {}
            self.scroll_home(animate=False)
            self._slot = slot
            self._look()
        self._show()

    def _look(self) -> None:
        if self._slot is not None and self._ask is not None and self._asking != self._slot.job.session_id:
            self._asking = self._slot.job.session_id
            self.run_worker(self._look_once(self._ask, self._asking), exit_on_error=False)

    async def _look_once(self, ask: Ask, session_id: str) -> None:
        try:
            told = await ask(session_id)
        except (EngineGone, OSError):
            return
        finally:
            if self._asking == session_id:
                self._asking = ""
        slot = self._slot
        if slot is not None and slot.job.session_id == session_id and isinstance(told, Inspected):
            self._take(told)

    def _take(self, told: Inspected) -> None:
        now = time.monotonic()
        used = {one.pid: one.cpu_seconds for one in told.processes}
        passed = now - self._told_at
        if self._used and passed > 0:
            self._shares = {
                pid: max(0.0, seconds - self._used[pid]) / passed for pid, seconds in used.items() if pid in self._used
            }
        self._told, self._told_at, self._used = told, now, used
        self._show()

    def _show(self) -> None:
        if self._slot is None:
            return
        slot = self._slot
        close = (f"   {short_name(BY_ID['job.details'].keys[0])} closes", "$quiet")
        self._put("title", [[(" ", ""), *title(slot.job, slot.use, time.time()), close]])
        width = self.query_one("#drawer-fields", Static).content_size.width
        bars = uses(slot.use, slot.past, width, EVERY_SECONDS)
        self._put("fields", [*bars, *(row for line in fields(slot.job, self._told) for row in hanging(line, width))])
        self._put("tree", tree(slot.job, self._told.processes, self._shares) if self._told is not None else [])

    def _put(self, part: str, lines: list[list[Words]]) -> None:
        text = Content("\n").join(Content.assemble(*line) for line in lines)
        self.query_one(f"#drawer-{part}", Static).update(text)
