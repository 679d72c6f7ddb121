"""Would the operator be told who looks elsewhere: by the terminal, the desktop, hooks?"""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.config import Configuration
from tui.cli.checks.finding import Finding
from tui.outside.desktop import HOW_TO_GET, PROGRAM
from tui.outside.terminal import chosen
from tui.outside.tmux import HOW_TO_ALLOW, passthrough

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
_CALLED = {"osc9": "OSC 9", "osc777": "OSC 777"}


def look(configuration: Configuration, env: Mapping[str, str] = os.environ) -> list[Finding]:
    """What is to be said; asks tmux, for two seconds at most."""
    return [*_terminal(configuration.settings.notifications_terminal, env), _desktop(configuration, env),
            *_hooks(configuration)]  # fmt: skip


def _terminal(way: str, env: Mapping[str, str]) -> Iterator[Finding]:
    subject, on = "Notices", way != "off"
    known = chosen(way if on else "auto", env)
    said = f"by {_CALLED[known]}" if known else "this terminal is known for no notifications"
    if not on:
        yield Finding(
            subject, f"the terminal could tell you outside, {said}; notifications_terminal is off" if known else said
        )
        return
    if not known:
        yield Finding(subject, said, "notifications_terminal = 'osc9' or 'osc777' if it has them, else 'off'")
        return
    yield Finding(subject, f"the terminal tells you outside, {said}")
    lets_by = passthrough(env) if env.get("TMUX") else ""
    if lets_by == "off":
        yield Finding(subject, "tmux holds the terminal's notifications back", HOW_TO_ALLOW)
    elif lets_by == "on":
        yield Finding(subject, "tmux lets them by only from a window that is shown", HOW_TO_ALLOW)


def _desktop(configuration: Configuration, env: Mapping[str, str]) -> Finding:
    subject, wanted = "Desktop", configuration.settings.notifications_desktop
    found = shutil.which(PROGRAM, path=env.get("PATH"))
    said = found or f"{PROGRAM} is not found"
    if not wanted:
        return Finding(subject, f"{said}; notifications_desktop is off")
    if found is None:
        return Finding(subject, said, HOW_TO_GET)
    if not any(env.get(name) for name in _DISPLAYS):
        return Finding(subject, f"{said}, but no desktop is to be seen from here", "set notifications_desktop to false")
    return Finding(subject, said)


def _hooks(configuration: Configuration) -> Iterator[Finding]:
    subject, known = "Hooks", 0
    for path, origin in configuration.origins.items():
        if path[-1] not in ("on_exit", "on_hit"):
            continue
        holder = configuration.settings if path[0] == "settings" else configuration.jobs.get(path[1])
        command = getattr(holder, path[-1], None)
        if not command:
            continue
        known += 1
        folder = Path(origin.file).parent if path[0] == "settings" else configuration.files[-1].parent
        if isinstance(command, tuple) and not _found(command[0], folder):
            where = f"{Path(origin.file).name}:{origin.line}"
            yield Finding(subject, f"{path[-1]}: {command[0]} is not found", f"mend it in {where}")
    if known:
        yield Finding(subject, f"{known} in the configuration, run as jobs end and watches hit")


def _found(word: str, folder: Path) -> bool:
    return shutil.which(folder / word if "/" in word else word) is not None
