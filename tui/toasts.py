"""Toasts: few at a time, short, each once."""

from typing import Any, cast

from textual.app import App
from textual.notifications import Notification, SeverityLevel

from tui.show.cleaning import clean

MOST = 2
"""So many are seen at once; an older one makes room."""
LINES, LINE_CHARS = 3, 160
SECONDS = {"error": 10.0, "warning": 7.0}
"""Failures stay longer than the rest."""
USUAL_SECONDS = 4.0
_SIGNS = {"error": "✗ ", "warning": "! "}
_SIGNED = frozenset("✗!✓⊘⚑?◷♥")
"""What begins with such a sign has said how bad it is."""


def say(app: App[Any], text: str, severity: str, *, most_lines: int = LINES, once: bool = False) -> None:
    """Show one; brackets are brackets. What is said again takes the place of the first.

    Args:
        app: Where.
        text: Cut to ``most_lines``.
        severity: ``information``, ``warning`` or ``error``.
        most_lines: See ``text``.
        once: It tells of one event: another with the same words stands beside it.
    """
    lines = [clean(line) for line in text.split("\n")[:most_lines]]
    if lines and lines[0][:1] not in _SIGNED:
        lines[0] = _SIGNS.get(severity, "") + lines[0]
    message = "\n".join(line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 1] + "…" for line in lines)
    seen = list(app._notifications)
    for old in [toast for toast in seen if toast.message == message and not once]:
        seen.remove(old)
        del app._notifications[old]
    while len(seen) >= MOST:
        old = next((toast for toast in seen if toast.severity != "error"), seen[0])
        seen.remove(old)
        del app._notifications[old]
    seconds = SECONDS.get(severity, USUAL_SECONDS)
    # Not by `App.notify`: it only posts a message, and so neither knows what is there nor what is cleared meanwhile.
    app._notifications.add(Notification(message, severity=cast(SeverityLevel, severity), timeout=seconds))
    app._refresh_notifications()
