"""Setting and resetting modes, and what follows from it."""

from typing import Any

from pyte import modes as mo

from engine.terminal.canvas import MOUSE
from engine.terminal.saving import Saving

_KEPT_MODES = 400
"""Modes remembered at most; a job may set any number."""


class Modes(Saving):
    """SM, RM, DECSET, DECRST; private modes are kept shifted by five bits, as pyte has them."""

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """Set modes; ``private`` for DEC's."""
        for mode in modes:
            self._switch(mode << 5 if kwargs.get("private") else mode, True)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """Reset modes; ``private`` for DEC's."""
        for mode in modes:
            self._switch(mode << 5 if kwargs.get("private") else mode, False)

    def save_modes(self, *modes: int, **_: bool) -> None:
        """XTSAVE."""
        for mode in modes[:64]:
            if len(self.saved_modes) < _KEPT_MODES:
                self.saved_modes[mode] = mode << 5 in self.mode

    def restore_modes(self, *modes: int, **_: bool) -> None:
        """XTRESTORE."""
        for mode in modes:
            if mode in self.saved_modes:
                self._switch(mode << 5, self.saved_modes[mode])

    def _switch(self, mode: int, on: bool) -> None:
        private, code = mode & 31 == 0 and mode > 0, mode >> 5
        if private and code in (47, 1047, 1048, 1049):
            self._switch_screen(code, on)
            return
        if private and code == 1007:
            self.wheel_as_keys = on
            return
        if private and code in MOUSE:
            self.mode.difference_update(each << 5 for each in MOUSE)
        if on:
            if len(self.mode) < _KEPT_MODES:
                self.mode.add(mode)
        else:
            self.mode.discard(mode)
        if mode == mo.DECOM:
            self.cursor_position()
        elif mode == mo.DECTCEM:
            self.cursor.hidden = not on
        elif mode == mo.DECCOLM:
            # The window keeps its size; the rest of what the mode does, it does.
            self._set_region(0, self.lines - 1)
            self._set_sides(0, self.columns - 1)
            self.erase_in_display(2)
            self.cursor_position()
        elif mode == mo.DECSCNM:
            self.touch_all()
        elif mode == 69 << 5:
            self._settle()
            self._set_sides(0, self.columns - 1)
            if on:
                for row in self.rows:
                    row.double = 0
        self._refresh_care()

    def _switch_screen(self, code: int, on: bool) -> None:
        if code == 1048:
            if on:
                self.save_cursor()
            else:
                self.restore_cursor()
        elif on:
            if code == 1049:
                self.save_cursor()
            if self._hidden_rows is None:
                self._return_pending = code == 1049 and self.cursor.x >= self.columns
                self.enter_alternate()
            elif code == 1049:
                self.erase_in_display(2)
            for each in (47, 1047, 1049):
                self.mode.discard(each << 5)
            self.mode.add(code << 5)
        else:
            was = self._hidden_rows is not None
            pending, self._return_pending = self._return_pending, False
            self.leave_alternate()
            for each in (47, 1047, 1049):
                self.mode.discard(each << 5)
            if code == 1049 and (was or self.savepoints):
                self.restore_cursor()
                if pending and self.cursor.x == self.columns - 1:
                    self.cursor.x = self.columns
