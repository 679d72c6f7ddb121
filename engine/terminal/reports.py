"""What the terminal answers when it is asked. Answers leave by ``write_process_input``."""

from collections.abc import Callable

from pyte import graphics
from pyte import modes as mo

from engine.terminal.cursor import BAR, BLOCK, UNDERLINE
from engine.terminal.modes import Modes
from engine.terminal.pens import Pen
from engine.terminal.sgr import NAMES, palette_color

_KNOWN = frozenset(
    (
        1,
        3,
        5,
        6,
        7,
        9,
        25,
        40,
        45,
        47,
        66,
        69,
        1000,
        1002,
        1003,
        1004,
        1005,
        1006,
        1007,
        1015,
        1045,
        1047,
        1048,
        1049,
    )
) | {2004, 2026}
_CLUSTERS = 2027
_THEME = dict(zip(NAMES, map(str, graphics.FG_BG_256), strict=False))
_DEFAULT_COLORS = {"foreground": "d0d0d0", "background": "101010", "cursor": "d0d0d0"}


class Reports(Modes):
    """True answers to questions about identity, state, sizes and colours."""

    def report_device_attributes(self, mode: int = 0, *_: int, **kwargs: bool) -> None:
        """DA1: a VT220 with ANSI colour."""
        if mode == 0 and not kwargs.get("private"):
            self.write_process_input("\x1b[?62;22c")

    def report_secondary_attributes(self, mode: int = 0, *_: int) -> None:
        """DA2: like xterm, of no certain version."""
        if mode == 0:
            self.write_process_input("\x1b[>1;10;0c")

    def report_tertiary_attributes(self, mode: int = 0, *_: int) -> None:
        """DA3: no unit number."""
        if mode == 0:
            self.write_process_input("\x1bP!|00000000\x1b\\")

    def report_version(self, mode: int = 0, *_: int) -> None:
        """XTVERSION."""
        if mode == 0:
            self.write_process_input("\x1bP>|jobdeck\x1b\\")

    def report_device_status(self, mode: int = 0, *_: int, private: bool = False) -> None:
        """DSR: 5 well, 6 where the cursor is."""
        if mode == 5 and not private:
            self.write_process_input("\x1b[0n")
        elif mode == 6:
            x = min(self.cursor.x, self.columns - 1)
            y = self.cursor.y
            if mo.DECOM in self.mode:
                x, y = x - self._left, y - self._top
            self.write_process_input(f"\x1b[{'?' if private else ''}{y + 1};{x + 1}R")

    def report_mode(self, mode: int = 0, *_: int, private: bool = False) -> None:
        """DECRQM: 0 unknown, 1 set, 2 reset, 3 always set."""
        if private:
            on = mode << 5 in self.mode or (mode in (47, 1047, 1049) and self.alternate)
            on = on or (mode == 1007 and self.wheel_as_keys)
            state = (1 if on else 2) if mode in _KNOWN else 0
            if mode == _CLUSTERS:
                state = 3
            self.write_process_input(f"\x1b[?{mode};{state}$y")
        else:
            state = (1 if mode in self.mode else 2) if mode in (mo.IRM, mo.LNM) else 0
            self.write_process_input(f"\x1b[{mode};{state}$y")

    def window_operation(self, what: int = 0, *_: int) -> None:
        """XTWINOPS: sizes are told and titles stacked; the window itself is not the job's."""
        if what == 14:
            self.write_process_input(f"\x1b[4;{self.lines * 16};{self.columns * 8}t")
        elif what == 16:
            self.write_process_input("\x1b[6;16;8t")
        elif what in (18, 19):
            self.write_process_input(f"\x1b[{what - 10};{self.lines};{self.columns}t")
        elif what == 22 and len(self.title_stack) < 16:
            self.title_stack.append((self.title, self.icon_name))
        elif what == 23 and self.title_stack:
            self.title, self.icon_name = self.title_stack.pop()

    def report_parameters(self, what: int = 0, *_: int) -> None:
        """DECREQTPARM."""
        if what in (0, 1):
            self.write_process_input(f"\x1b[{what + 2};1;1;128;128;1;0x")

    def report_setting(self, what: str) -> None:
        """DECRQSS: how a setting would be set."""
        answers: dict[str, Callable[[], str]] = {
            "r": lambda: f"{self._top + 1};{self._bottom + 1}r",
            "s": lambda: f"{self._left + 1};{self._right + 1}s",
            "m": lambda: f"{pen_sgr(self.cursor.pen)}m",
            " q": self._shape_setting,
            '"q': lambda: f'{int(self.cursor.pen.protected)}"q',
            '"p': lambda: '62;1"p',
        }
        answer = answers.get(what)
        self.write_process_input(f"\x1bP1$r{answer()}\x1b\\" if answer else "\x1bP0$r\x1b\\")

    def _shape_setting(self) -> str:
        steady = {BLOCK: 2, UNDERLINE: 4, BAR: 6}[self.cursor.shape]
        return f"{steady - self.cursor.blinking} q"

    def report_color(self, name: str, code: str, end: str) -> None:
        """OSC 4, 10-12 with ``?``: the colour in force, as 16-bit components."""
        color = self.colors.get(name) or _DEFAULT_COLORS.get(name) or self._palette_hex(name)
        if color:
            wide = "/".join(color[i : i + 2] * 2 for i in (0, 2, 4))
            self.write_process_input(f"\x1b]{code};rgb:{wide}{end}")

    def _palette_hex(self, index: str) -> str:
        if not index.isdigit() or int(index[:4]) > 255:
            return ""
        number = int(index)
        color = self.palette.get(number) or palette_color(number) or ""
        return _THEME.get(color, color)


def pen_sgr(pen: Pen) -> str:
    """The SGR parameters that make ``pen`` from any other; link and protection aside."""
    parts = ["0"]
    flags = ("bold", "faint", "italics", "", "blink", "", "reverse", "conceal", "strikethrough")
    parts += [str(i) for i, name in enumerate(flags, 1) if name and getattr(pen, name)]
    if pen.underscore:
        parts.append("4" if pen.underline_style < 2 else f"4:{pen.underline_style}")
    if pen.overline:
        parts.append("53")
    for color, base in ((pen.fg, 30), (pen.bg, 40), (pen.underline_color, 50)):
        if color == "default":
            continue
        if color in NAMES:
            index = NAMES.index(color)
            if base == 50:
                parts.append(f"58:5:{index}")
            else:
                parts.append(str(base + index if index < 8 else base + 52 + index))
        else:
            red, green, blue = (int(color[i : i + 2], 16) for i in (0, 2, 4))
            parts.append(f"{base + 8}:2::{red}:{green}:{blue}" if base == 50 else f"{base + 8};2;{red};{green};{blue}")
    return ";".join(parts)
