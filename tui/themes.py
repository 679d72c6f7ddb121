"""The console's two themes, and the colours its own parts add to every theme."""

from textual.color import Color
from textual.theme import Theme

DARK = Theme(
    name="jobdeck-dark",
    primary="#7aa2f7",
    secondary="#bb9af7",
    accent="#7dcfff",
    foreground="#c8d0ee",
    background="#12141c",
    surface="#181b25",
    panel="#1f2331",
    success="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    dark=True,
    variables={
        "quiet": "#7480a8",
        "faint": "#4a5375",
        "selected": "#2a3352",
        "selected-idle": "#212739",
        "selection": "#3b4f8f",
        "selection-foreground": "#eef1ff",
        "found": "#54482d",
        "found-foreground": "#f3e2bd",
        "block-cursor-foreground": "#12141c",
        "footer-key-foreground": "#7aa2f7",
        "input-selection-background": "#7aa2f7 35%",
        "term-black": "#2b3044",
        "term-bright-black": "#5d678c",
    },
)

LIGHT = Theme(
    name="jobdeck-light",
    primary="#2e5fbe",
    secondary="#7a45b5",
    accent="#0f6f8f",
    foreground="#343b58",
    background="#f4f1ea",
    surface="#ebe7dd",
    panel="#e1dccf",
    success="#3f6d1b",
    warning="#8f5e15",
    error="#b3273f",
    dark=False,
    variables={
        "quiet": "#646b85",
        "faint": "#a5a596",
        "selected": "#cbd6f2",
        "selected-idle": "#dcdacd",
        "selection": "#a9bff0",
        "selection-foreground": "#1f2540",
        "found": "#ead9a8",
        "found-foreground": "#343b58",
        "block-cursor-foreground": "#f4f1ea",
        "footer-key-foreground": "#2e5fbe",
        "input-selection-background": "#2e5fbe 25%",
        "term-black": "#343b58",
        "term-red": "#b3273f",
        "term-green": "#3f6d1b",
        "term-yellow": "#8f5e15",
        "term-blue": "#2e5fbe",
        "term-magenta": "#7a45b5",
        "term-cyan": "#0f6f8f",
        "term-white": "#7b8098",
        "term-bright-black": "#8b8f9f",
        "term-bright-red": "#c93a52",
        "term-bright-green": "#4f8526",
        "term-bright-yellow": "#a8731f",
        "term-bright-blue": "#4474d6",
        "term-bright-magenta": "#9159cc",
        "term-bright-cyan": "#1b86aa",
        "term-bright-white": "#4b526e",
    },
)

_DARK_TERMINAL: dict[str, str] = {
    "term-black": "#2b3044",
    "term-red": "#f7768e",
    "term-green": "#9ece6a",
    "term-yellow": "#e0af68",
    "term-blue": "#7aa2f7",
    "term-magenta": "#bb9af7",
    "term-cyan": "#7dcfff",
    "term-white": "#c0c8e6",
    "term-bright-black": "#5d678c",
    "term-bright-red": "#ff8fa3",
    "term-bright-green": "#b5e083",
    "term-bright-yellow": "#f2c482",
    "term-bright-blue": "#99b8ff",
    "term-bright-magenta": "#cfb3ff",
    "term-bright-cyan": "#a4dfff",
    "term-bright-white": "#eef1ff",
}
_LIGHT_TERMINAL = {name: color for name, color in LIGHT.variables.items() if name.startswith("term-")}
_ANSI_TERMINAL = {name: f"ansi_{name.removeprefix('term-').replace('-', '_')}" for name in _DARK_TERMINAL}
_ANSI_TONES = {
    True: {"quiet": "ansi_white", "faint": "ansi_bright_black", "selected": "ansi_blue", "selected-idle": "ansi_black"},
    False: {"quiet": "ansi_bright_black", "faint": "ansi_bright_black", "selected": "ansi_white",
            "selected-idle": "ansi_white"},
}  # fmt: skip
"""For the terminal's own sixteen colours, of which nobody knows the shades: by whether the theme is dark."""


def defaults(theme: Theme) -> dict[str, str]:
    """What a theme gets that doesn't say: the quieter tones of text and grounds, the sixteen colours of panes."""
    if theme.ansi:
        picked = {"selection": "ansi_bright_cyan", "selection-foreground": "ansi_black"}
        picked |= {"found": "ansi_yellow", "found-foreground": "ansi_black"}
        picked |= {"current-foreground": theme.background or "ansi_black"}
        return _ANSI_TERMINAL | _ANSI_TONES[theme.dark] | picked
    made = theme.to_color_system().generate()
    paper, ink, primary, warning = (
        Color.parse(made[name]) for name in ("background", "foreground", "primary", "warning")
    )
    tones = {
        "quiet": ink.blend(paper, 0.3),
        "faint": ink.blend(paper, 0.6),
        "selected": paper.blend(primary, 0.18),
        "selected-idle": paper.blend(ink, 0.12),
        "selection": paper.blend(primary, 0.4),
        "found": paper.blend(warning, 0.3),
        "found-foreground": Color.parse("#ffffff" if theme.dark else "#000000"),
        "current-foreground": warning.get_contrast_text(1.0),
        "selection-foreground": Color.parse("#ffffff" if theme.dark else "#000000"),
    }
    return (_DARK_TERMINAL if theme.dark else _LIGHT_TERMINAL) | {name: tone.hex6 for name, tone in tones.items()}
