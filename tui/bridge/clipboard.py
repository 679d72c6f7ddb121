"""The system's clipboard by the programs that are there: off the loop, for a terminal may not take it over OSC 52."""

import contextlib
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from engine.process.aside import aside

PATIENCE_SECONDS = 5.0
"""What a program may take; one that waits for a display that is gone would wait for ever."""


class Taker(NamedTuple):
    """A program that takes a text on its stdin."""

    words: Sequence[str]
    encoding: str = "utf-8"


def takers(env: Mapping[str, str], found: Callable[[str], str | None] = shutil.which) -> list[Taker]:
    """The programs for this environment that are installed: one for the desktop, and tmux for its own buffer."""
    desktop = [
        *([Taker(("wl-copy",))] if env.get("WAYLAND_DISPLAY") else []),
        *([Taker(("xclip", "-selection", "clipboard")), Taker(("xsel", "-bi"))] if env.get("DISPLAY") else []),
        Taker(("pbcopy",)),
        *([Taker(("clip.exe",), "utf-16-le")] if env.get("WSL_DISTRO_NAME") else []),
    ]
    tmux = Taker(("tmux", "load-buffer", "-w", "-")) if env.get("TMUX") else None
    wanted = [next((taker for taker in desktop if found(taker.words[0])), None), tmux]
    return [taker for taker in wanted if taker is not None and found(taker.words[0])]


async def give(taker: Taker, text: str) -> str:
    """Hand the text to the program. Why it didn't take it; empty when it did."""
    data = text.encode(taker.encoding, "replace")
    try:
        return await aside(f"clipboard {taker.words[0]}", lambda: _run(taker.words, data))
    except OSError as error:
        return f"{taker.words[0]}: {error.strerror or error}"


def _run(words: Sequence[str], data: bytes) -> str:
    # No pipe but its stdin: xclip and wl-copy leave a child that keeps the text, and would keep a pipe open as well.
    program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        program.communicate(data, PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
        if program.stdin is not None:
            with contextlib.suppress(OSError):
                program.stdin.close()
        return f"{words[0]} has not taken it in {PATIENCE_SECONDS:g} seconds"
    return f"{words[0]} failed (exit {program.returncode})" if program.returncode else ""
