"""The stream: text in, a screen's methods called. Nothing that a job writes makes ``feed`` raise.

Longer than most files: the hot loop and what it calls for unusual sequences are one machine.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Final

import pyte
from pyte import modes

from engine.terminal.deferral import defer
from engine.terminal.dispatch import CSI_EVENTS, ESCAPE_EVENTS, MARKED_CSI_EVENTS
from engine.terminal.lines import Line
from engine.terminal.osc import device_control, operating_system_command
from engine.terminal.raw import Raw
from engine.terminal.rows import Row
from engine.terminal.scanning import SMALL_WINDOW
from engine.terminal.screen import Screen
from engine.terminal.tokens import (
    ASCII_TOKENS,
    C1,
    C1_SEQUENCES,
    CSI,
    IN_CSI_CONTROLS,
    STRING_END,
    UNICODE_TOKENS,
)

_SLICE: Final = 65536
_WORTH: Final = 512
"""Characters in one feed from which on deferral is tried."""
_ACTS: Final = 8192
_STRING_KEPT: Final = 65536
"""Characters of an unfinished string that are kept."""
_STRING_LIMIT: Final = 1 << 20
"""An unfinished string ends here by itself: what follows is text again."""
_CSI_LIMIT: Final = 1024
_NOTHING: Final[Callable[[], object]] = lambda: None  # noqa: E731


class Stream(pyte.Stream):
    """Feeds text to a screen. pyte's dispatch tables, and what they lack."""

    csi = CSI_EVENTS
    marked_csi: ClassVar[dict[str, str]] = MARKED_CSI_EVENTS
    """CSI sequences by private marker, intermediates and final."""
    escape = ESCAPE_EVENTS

    def __init__(self, screen: pyte.Screen | None = None, strict: bool = True) -> None:
        self.deferral = True
        """Whether lines that scroll straight off may be kept raw; off only to compare."""
        self.deferred = 0
        """Characters that went into the scrollback unseen."""
        self._pending = ""
        self._string = 0
        self._printed = ""
        super().__init__(screen, strict)

    def attach(self, screen: pyte.Screen) -> None:
        """Feed this screen from now on."""
        super().attach(screen)
        self._pending = self._printed = ""
        self._string = 0
        self._acts: dict[str, Callable[[], object]] = {}
        if not isinstance(screen, Screen):
            return
        self._screen = screen
        self._basic: dict[str, Callable[[], object]] = {
            control: getattr(screen, name) for control, name in self.basic.items()
        }
        self._basic["\r\n"] = screen.new_line
        plain = {final: getattr(screen, name) for final, name in self.escape.items()}
        plain |= {"#" + final: getattr(screen, name) for final, name in self.sharp.items()}
        for final, double in (("3", 2), ("4", 3), ("5", 0), ("6", 1)):
            plain["#" + final] = partial(screen.set_line_size, double)
        for final, index in (("n", 2), ("o", 3)):
            plain[final] = partial(screen.lock_charset, index)
        for final, index in (("N", 2), ("O", 3)):
            plain[final] = partial(screen.single_shift, index)
        plain["Z"] = screen.report_device_attributes
        plain["V"] = partial(screen.set_protected, 1)
        plain["W"] = partial(screen.set_protected, 0)
        self._escapes: dict[str, Callable[[], object]] = plain

    def feed(self, data: str) -> None:
        """Take text in, whatever it is; sequences may be cut anywhere between feeds."""
        if not isinstance(self.listener, Screen):
            super().feed(data)
            return
        if self._pending:
            data = self._resume(data)
        at = 0
        size = len(data)
        while at < size:
            end = at + _SLICE
            if self.deferral and size - at >= _WORTH and not self._pending:
                start, at = at, self._defer(data, at)
                if at > start:
                    # Something here stopped it, which what comes soon after need not do.
                    far = size - at > 2 * SMALL_WINDOW
                    end = data.find("\n", at + SMALL_WINDOW if far else at) + 1 or end
            piece = data[at:end]
            at += len(piece)
            self.run(self._resume(piece) if self._pending else piece)

    def _defer(self, data: str, at: int) -> int:
        try:
            return defer(self, self._screen, data, at)
        except Exception as error:  # noqa: BLE001  # as in run
            self.deferral = False
            self._fail(error)
            return at

    def _fail(self, error: Exception) -> None:
        self._screen.failures.append(f"{type(error).__name__}: {error}"[:200])

    def _resume(self, data: str) -> str:
        """What is pending and the new data; an unfinished string is not searched again."""
        if not self._string:
            data, self._pending = self._pending + data, ""
            return data
        if not data.isascii() and C1.search(data):
            data = data.translate(C1_SEQUENCES)
        pending = self._pending
        start = 0
        while True:
            match = STRING_END.search(data, start)
            if match is None or (match[0] == "\x07" and pending[1] != "]"):
                if match is not None:
                    start = match.end()
                    continue
                break
            self._pending, self._string = "", 0
            return pending + data
        if pending[-1] == "\x1b" and data:
            # It ended in ESC, so that what follows decides.
            self._pending, self._string = "", 0
            return pending + data
        self._string += len(data)
        if self._string > _STRING_LIMIT:
            self._pending, self._string = "", 0
        elif len(pending) < _STRING_KEPT:
            self._pending = pending + data[: _STRING_KEPT - len(pending)]
        return ""

    def _hold(self, tail: str) -> None:
        """Keep the unfinished sequence at the end of the data."""
        if len(tail) > 1 and tail[1] in "]PX^_":
            self._string = len(tail)
            if len(tail) > _STRING_KEPT:
                tail = tail[:_STRING_KEPT] + ("\x1b" if tail[-1] == "\x1b" else "")
            self._pending = tail
            return
        for control in IN_CSI_CONTROLS.findall(tail[1:]):
            # Controls within a sequence take effect at once.
            self._control(control)
        tail = "\x1b" + IN_CSI_CONTROLS.sub("", tail[1:])
        if len(tail) > _CSI_LIMIT:
            # A parameter after an intermediate is out of order: the whole will be ignored, to its final.
            tail = "\x1b[ 0"
        self._pending = tail

    def run(self, data: str) -> None:  # noqa: PLR0915  # the hot loop: a call a token would double its cost
        """Take one piece in, without deferral."""
        if data.isascii():
            tokens = iter(ASCII_TOKENS.findall(data))
        else:
            if C1.search(data):
                data = data.translate(C1_SEQUENCES)
            tokens = iter(UNICODE_TOKENS.findall(data))
        screen = self._screen
        cursor = screen.cursor
        draw = screen.draw_narrow
        acts = self._acts
        spots = screen.spots
        basic = self._basic
        printed = self._printed
        while True:
            try:
                for params, final, control, text, alone, wide, other, tail in tokens:
                    if final:
                        if final == "m":
                            cursor.pen = cursor.pen.next[params]
                        elif final == "H":
                            spot = spots.get(params)
                            if spot is not None:
                                cursor.y, cursor.x = spot
                            elif not screen.place_cursor(params):
                                self._act(params, final)()
                        else:
                            act = acts.get(params + final)
                            if act is None:
                                act = self._act(params, final)
                            if final == "b":
                                screen.last_printed(printed)
                            act()
                    elif control:
                        basic[control]()
                    elif alone:
                        draw(alone)
                        printed = alone
                        continue
                    elif wide:
                        screen.draw_wide(wide)
                        printed = wide
                        continue
                    elif other:
                        printed = ""
                        if other == "\x1b(B" and screen.charset_codes[0] == "B":
                            continue
                        if other >= " " and other != "\x7f":
                            screen.draw_char(other)
                            printed = other
                        elif other[0] == "\x1b":
                            self._sequence(other)
                        continue
                    elif tail:
                        self._hold(tail)
                        continue
                    if text:
                        draw(text)
                    printed = text
                break
            except Exception as error:  # noqa: BLE001  # a job's output must never end its viewer; see failures
                self._fail(error)
                if (final or control) and text:
                    with suppress(Exception):
                        draw(text)
        self._printed = printed[-1:]

    def _act(self, params: str, final: str) -> Callable[[], object]:
        """What a CSI does; remembered."""
        if len(self._acts) >= _ACTS:
            self._acts.clear()
        act = self._acts[params + final] = self._find_act(params, final)
        return act

    def _find_act(self, params: str, final: str) -> Callable[[], object]:
        match = CSI.fullmatch(params)
        if match is None or ":" in params or len(params) > 256:
            return _NOTHING
        marker, numbers, middle = match.groups()
        keywords: dict[str, Any] = {}
        if marker or middle:
            name = self.marked_csi.get(marker + middle + final)
            if marker == "?":
                keywords["private"] = True
        else:
            name = self.csi.get(final)
        if name is None:
            return _NOTHING
        values = [min(int(part.lstrip("0")[:5] or 0), 9999) for part in numbers.split(";")] if numbers else []
        return partial(getattr(self._screen, name), *values, **keywords)

    def _sequence(self, text: str) -> None:
        """A whole sequence that is not a plain CSI."""
        kind = text[1]
        if kind == "]":
            if text[-1] == "\x07":
                operating_system_command(self._screen, text[2:-1], "\x07")
            elif text.endswith("\x1b\\"):
                operating_system_command(self._screen, text[2:-2])
        elif kind == "P":
            if text.endswith("\x1b\\"):
                device_control(self._screen, text[2:-2])
        elif kind == "[":
            self._untidy(text)
        elif kind in "()*+-./" and len(text) == 3:
            self._screen.define_charset(text[2], kind)
        elif kind not in "X^_":
            act = self._escapes.get(text[1:])
            if act is not None:
                act()

    def _untidy(self, text: str) -> None:
        """A CSI with controls within, which take effect first, or one that is called off or broken."""
        for control in IN_CSI_CONTROLS.findall(text[2:]):
            self._control(control)
        clean = IN_CSI_CONTROLS.sub("", text[2:])
        if text[-1] in "\x18\x1a" or not "@" <= clean[-1:] <= "~" or CSI.fullmatch(clean[:-1]) is None:
            return
        if clean[-1] == "m":
            self._screen.cursor.pen = self._screen.cursor.pen.next[clean[:-1]]
        else:
            self._act(clean[:-1], clean[-1])()

    def _control(self, control: str) -> None:
        act = self._basic.get(control)
        if act is not None:
            act()

    @staticmethod
    def emulate(raw: Raw, text: str) -> list[Line]:
        """The lines that raw text makes, printed on the last row of a screen of two."""
        screen = Screen(raw.columns, 2, 1 << 60)
        screen.tabstops = set(raw.tabstops)
        if raw.newline:
            screen.set_mode(modes.LNM)
        screen.cursor.y = 1
        screen.cursor.pen = raw.pen
        screen.rows[1] = Row.filled(raw.columns, raw.pen.blank)
        stream = Stream(screen)
        stream.deferral = False
        stream.feed(text)
        screen.scrollback.push(screen.rows[0])
        return list(screen.scrollback.lines())[1:]

    def settled(self) -> None:
        """Whole lines were taken in by another way: the last character was a line feed."""
        self._printed = ""

    def idle(self) -> bool:
        """Whether no sequence is unfinished."""
        return not self._pending
