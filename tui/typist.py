"""Type mode: while it is on, every key goes to one job, and the mouse too if its program asks for it."""

import time
from collections.abc import Callable, Coroutine
from typing import Any

from textual import events
from textual.errors import NoWidget

from engine.terminal import Screen
from tui.bridge.bridge import Bridge
from tui.input.encoding import KeyModes, encoded
from tui.input.host_events import HostKey
from tui.input.mouse import Deed, MouseModes, MouseReport, reported
from tui.input.outbox import Outbox
from tui.input.paste import pasted
from tui.input.strokes import Stroke, stroke
from tui.keymap import BY_ID
from tui.show.states import LIVE, look
from tui.store import JobStore
from tui.widgets.pane import Pane
from tui.widgets.terminal import TerminalView

LEAVE = frozenset(BY_ID["type.leave"].keys)
"""The keys that never go to the job."""
AFTER_END_SECONDS = 0.7
"""When the job has ended under the typing hands, keys that follow each other faster than this are dropped: they were
meant for the job, and any of them could be a key of the console."""
WHEEL_LINES = 3
"""Arrows that a notch of the wheel presses on the alternate screen."""
Input = events.Key | events.Paste | events.MouseEvent
_WHEEL: dict[type[events.MouseEvent], int] = {
    events.MouseScrollUp: 0,
    events.MouseScrollDown: 1,
    events.MouseScrollLeft: 2,
    events.MouseScrollRight: 3,
}
_DEEDS: dict[type[events.MouseEvent], Deed] = {
    events.MouseDown: Deed.PRESS,
    events.MouseUp: Deed.RELEASE,
    events.MouseMove: Deed.MOVE,
    **dict.fromkeys(_WHEEL, Deed.WHEEL),
}


class Typist:
    """Has one owner, the main screen. It ends with the job, with a key, and when something else gets the focus."""

    def __init__(
        self,
        changed: Callable[[], None],
        run: Callable[[Coroutine[Any, Any, None]], None],
        keypad: Callable[[bool], None],
    ) -> None:
        self._changed = changed
        """It has begun or ended: the screen shows other keys."""
        self._run = run
        self._keypad = keypad
        """Asks the host terminal to tell the keypad's keys apart, or not to."""
        self._outbox: Outbox | None = None
        self._session_id = ""
        self._drops_until = 0.0
        self._pointed = (-1, -1)
        """The cell that the mouse was over last."""
        self._held = False
        """A button was pressed over the job's screen and is held."""
        self._early: list[events.Key | events.Paste] = []
        """What came before the pane had taken in what its program has asked of its terminal: keys are coded by that."""
        self.pane: Pane | None = None
        """Whose job gets the keys; None while it is off."""

    def begin(self, pane: Pane, bridge: Bridge) -> None:
        """Every key goes to this pane's job from here on."""
        if self.pane is pane:
            return
        self.leave()
        self.pane = pane
        self._session_id = pane.job.session_id
        self._outbox = Outbox(bridge, self._session_id, pane.say_typing, self._run)
        self._drops_until = 0.0
        self._held = False
        pane.set_typing(self)
        self.tell_focus(True)
        self.modes_shown()
        self._changed()

    def leave(self) -> None:
        """Back to keys that act on the console."""
        pane = self.pane
        if pane is None:
            return
        self._pass_early_on()
        self.tell_focus(False)
        self.pane = self._outbox = None
        pane.set_typing(None)
        self._keypad(False)
        self._changed()

    def follow(self, store: JobStore) -> None:
        """There is news of jobs: typing ends with the job that is typed into."""
        if self.pane is None:
            return
        slot = store.get(self.pane.job.slot)
        if slot is None or not slot.live or slot.job.session_id != self._session_id:
            self._drops_until = time.monotonic() + AFTER_END_SECONDS
            self.leave()

    def closed(self, pane: Pane) -> None:
        """A tab was closed, by an agent maybe: nobody types into what isn't seen."""
        if self.pane is pane:
            self._drops_until = time.monotonic() + AFTER_END_SECONDS
            self.leave()

    # What comes from the host terminal

    def take(self, event: Input) -> bool:
        """Take a key, a paste or the mouse for the job. False: it is the console's."""
        if isinstance(event, events.MouseEvent):
            return self._take_mouse(event)
        if self.pane is None or self._outbox is None:
            return self._drops(event)
        if isinstance(event, events.Key) and event.key in LEAVE:
            self.leave()
        elif self._early or not self.pane.caught_up:
            self._early.append(event)
        else:
            self._pass_on(self.pane.emulator.screen, event)
        return True

    def _pass_early_on(self) -> None:
        early, self._early = self._early, []
        for event in early:
            if self.pane is not None:
                self._pass_on(self.pane.emulator.screen, event)

    def _pass_on(self, screen: Screen, event: events.Key | events.Paste) -> None:
        if isinstance(event, events.Paste):
            self._send(pasted(event.text, marked=screen.bracketed_paste).encode())
        else:
            raw = event.raw if isinstance(event, HostKey) else event.character or ""
            self._send(encoded(stroke(raw), KeyModes(screen.application_cursor, screen.keypad_codes)).encode())

    def _drops(self, event: events.Key | events.Paste) -> bool:
        now = time.monotonic()
        if now >= self._drops_until or (isinstance(event, events.Key) and event.key in LEAVE):
            return False
        self._drops_until = now + AFTER_END_SECONDS
        return True

    def _send(self, data: bytes) -> None:
        if self.pane is None or self._outbox is None or not data:
            return
        if not self.pane.view.follow:
            self.pane.view.move_to(self.pane.emulator.end)
        self._outbox.put(data)

    # The mouse

    def _take_mouse(self, event: events.MouseEvent) -> bool:
        """Take what the mouse does over the job's screen, if its program asked for it; once pressed there, all of it.

        Here and not in the view, so that mouse and keys come to the program in the order in which they were used.
        """
        pane, deed = self.pane, _DEEDS.get(type(event))
        if pane is None or deed is None:
            return False
        view, screen = pane.view, pane.emulator.screen
        column = int(event.screen_x) - view.region.x + view.columns_left
        row = int(event.screen_y) - view.region.y + view.top - pane.emulator.total
        inside = 0 <= column < screen.columns and 0 <= row < screen.lines
        if not self._held and not (inside and _is_at(view, event)):
            return False
        report = MouseReport(
            deed,
            _WHEEL.get(type(event), event.button),
            max(0, min(column, screen.columns - 1)),
            max(0, min(row, screen.lines - 1)),
            shift=event.shift,
            alt=event.meta,
            ctrl=event.ctrl,
        )
        passed = self._point(report, screen)
        if deed is Deed.PRESS:
            self._held = passed
        elif deed is Deed.RELEASE:
            self._held = False
        return passed

    def _point(self, report: MouseReport, screen: Screen) -> bool:
        if screen.mouse:
            place = (report.column, report.row)
            moved = report.deed is not Deed.MOVE or place != self._pointed
            self._pointed = place
            if moved:
                self._outbox_put(reported(report, MouseModes(screen.mouse, screen.mouse_coordinates)))
            return True
        if report.deed is Deed.WHEEL and screen.alternate and screen.wheel_as_keys:
            arrow = ("up", "down", "left", "right")[report.button]
            keys = encoded(Stroke(arrow), KeyModes(screen.application_cursor, screen.keypad_codes))
            self._outbox_put(keys.encode() * WHEEL_LINES)
            return True
        return False

    def _outbox_put(self, data: bytes) -> None:
        if self._outbox is not None:
            self._outbox.put(data)

    # What else a terminal tells its program

    def tell_focus(self, has_it: bool) -> None:
        """The host terminal, or type mode, got the focus or lost it."""
        if self.pane is not None and self.pane.emulator.screen.reports_focus and look(self.pane.job) in LIVE:
            self._outbox_put(b"\x1b[I" if has_it else b"\x1b[O")

    def modes_shown(self) -> None:
        """The job's screen has been painted: its program may want the keypad otherwise now, and keys may be coded."""
        if self.pane is not None:
            self._keypad(self.pane.emulator.screen.keypad_codes)
            if self.pane.caught_up:
                self._pass_early_on()


def _is_at(view: TerminalView, event: events.MouseEvent) -> bool:
    """Is it the view that is seen where the mouse is, and nothing over it?"""
    try:
        return view.screen.get_widget_at(int(event.screen_x), int(event.screen_y))[0] is view
    except NoWidget:
        return False
