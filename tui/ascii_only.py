"""For terminals without Unicode: every sign of the console as one of ASCII, of the same width, in panes too."""

from collections.abc import Mapping

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

VARIABLE = "JOBDECK_ASCII"

_SIGNS = {
    "·": "-", "…": "~", "—": "-", "–": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "×": "x", "≈": "~", "␡": "?",
    "○": "o", "●": "*", "◉": "@", "■": "#", "◌": ".", "✓": "+", "✗": "X", "⊘": "%", "◆": "*", "•": "+",
    "∞": "k", "⇡": "^", "↩": "<", "↻": "r", "◷": "w", "⚑": "!", "⚐": "-", "♥": "h", "▾": "v", "▼": "v", "▲": "^",
    "▶": ">", "❯": ">", "↑": "^", "↓": "v", "→": ">", "←": "<", "›": ">", "‹": "<", "⏎": "$", "⇥": ">",
    "▌": "|", "▐": "|", "▕": "|", "▏": "|", "▎": "|", "▔": "-", "▁": "_", "█": "#", "▀": "-", "▄": "_", "░": ".",
    "▂": ".", "▃": ":", "▅": "=", "▆": "+", "▇": "*",
    "▒": ":", "▓": "#", "‖": "|", "°": "o",
    **dict.fromkeys("─━┄┅┈┉═╌╍", "-"), **dict.fromkeys("│┃┆┇┊┋║╎╏", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋", "+"),
}  # fmt: skip
_TABLE = str.maketrans(_SIGNS)


def wanted(setting: bool, environ: Mapping[str, str]) -> bool:
    """Is the console to show no more than ASCII? ``JOBDECK_ASCII`` goes before the setting, and that before a locale
    that says that the terminal has no more.
    """
    given = environ.get(VARIABLE, "").strip().lower()
    return given not in ("0", "no", "false", "off") if given else setting or not _unicode(environ)


def _unicode(environ: Mapping[str, str]) -> bool:
    """Can the locale do UTF-8? Where none is set, as in most containers, the terminal outside can in all likelihood."""
    named = (environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in named if name), "").partition("@")[0].lower()
    charset = locale.partition(".")[2]
    return charset.replace("-", "") == "utf8" if charset else locale not in ("c", "posix")


def in_ascii(text: str) -> str:
    """The text with a sign of ASCII for each, what has none as ``?``; it takes as many cells."""
    if text.isascii():
        return text
    signs = text.translate(_TABLE)
    return signs if signs.isascii() else "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in signs)


class AsciiOnly(LineFilter):
    """Applied to each line that is painted, while it is on."""

    def __init__(self, *, on: bool) -> None:
        super().__init__()
        self.on = on

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same segments in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(in_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]
