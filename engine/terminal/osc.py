"""Operating system commands and device control strings: titles, links, colours; the rest vanishes."""

import re
from typing import TYPE_CHECKING, Final

from engine.terminal.pens import Pen

if TYPE_CHECKING:
    from engine.terminal.screen import Screen

TITLE_LIMIT: Final = 1024
"""Characters of a title that are kept."""
LINK_LIMIT: Final = 2083
"""Characters of a link; a longer one is no link."""

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_DYNAMIC: Final = {"10": "foreground", "11": "background", "12": "cursor"}
_RGB: Final = re.compile(r"rgb:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_HEX: Final = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{12})")


def operating_system_command(screen: "Screen", payload: str, end: str = "\x1b\\") -> None:
    """Act on the inside of an OSC; ``end`` is what ended it, which answers repeat."""
    code, _, arg = payload.partition(";")
    if code in {"0", "1", "2"}:
        text = _CONTROLS.sub("", arg[:TITLE_LIMIT])
        if code != "2":
            screen.set_icon_name(text)
        if code != "1":
            screen.set_title(text)
    elif code == "8":
        _, _, target = arg.partition(";")
        if len(target) > LINK_LIMIT or _CONTROLS.search(target):
            target = ""
        screen.cursor.pen = screen.cursor.pen.replace(link=target)
    elif code == "4":
        _palette(screen, arg.split(";"), end)
    elif code == "104":
        for index in arg.split(";") if arg else [str(i) for i in list(screen.palette)]:
            screen.palette.pop(int(index[:4]) if index.isdigit() else -1, None)
    elif code in _DYNAMIC:
        _dynamic(screen, int(code), arg.split(";"), end)
    elif code in {"110", "111", "112"}:
        screen.colors.pop(_DYNAMIC[code[1:]], None)


def device_control(screen: "Screen", payload: str) -> None:
    """Act on the inside of a DCS: only DECRQSS and XTGETTCAP have an answer."""
    if payload.startswith("$q"):
        screen.report_setting(payload[2:6])
    elif payload.startswith("+q"):
        screen.write_process_input("\x1bP0+r\x1b\\")


def _palette(screen: "Screen", parts: list[str], end: str) -> None:
    for index, spec in zip(parts[::2][:256], parts[1::2], strict=False):
        if not index.isdigit() or int(index[:4]) > 255:
            continue
        if spec == "?":
            screen.report_color(index, f"4;{index}", end)
        else:
            color = parse_color(spec)
            if color:
                screen.palette[int(index)] = color


def _dynamic(screen: "Screen", code: int, specs: list[str], end: str) -> None:
    for number, spec in enumerate(specs[:3], code):
        name = _DYNAMIC.get(str(number))
        if name is None:
            break
        if spec == "?":
            screen.report_color(name, str(number), end)
        else:
            color = parse_color(spec)
            if color:
                screen.colors[name] = color


def parse_color(spec: str) -> str:
    """Six hexadecimal digits of an X11 colour (``rgb:…`` or ``#…``), empty when it is neither."""
    match = _RGB.fullmatch(spec)
    if match:
        return "".join(f"{int(part, 16) * 255 // (16 ** len(part) - 1):02x}" for part in match.groups())
    match = _HEX.fullmatch(spec)
    if match:
        size = len(match[1]) // 3
        return "".join((match[1][i * size : i * size + size] * 2)[:2] for i in range(3)).lower()
    return ""


def linked(pen: Pen) -> str:
    """The OSC 8 that puts the link of ``pen`` in force."""
    return f"\x1b]8;;{pen.link}\x1b\\"
