"""Keys through the console in type mode are the bytes that a terminal of its own would have sent: tmux is asked."""

import re
from pathlib import Path

import pytest
from raw_reader import RAW, got, python
from terminals import CONSOLE, Terminal
from waiting import wait_until

PLAIN = [
    "Up", "Down", "Left", "Right", "PPage", "NPage", "IC", "DC", "BTab", "BSpace", "Enter", "Tab", "Space",
    *(f"F{number}" for number in range(1, 12)),
]  # fmt: skip
MODIFIED = [
    f"{mods}-{key}" for mods in ("S", "M", "C", "C-S", "M-S", "C-M") for key in ("Up", "Right", "Home", "End", "PPage")
]
CHARACTERS = [
    *(f"C-{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"), "C-Space", "C-\\", "C-^", "C-_",
    *(f"M-{char}" for char in "aZ1<"), "M-Enter", "M-BSpace", "C-M-a", "q", "?", "/", "~", "Escape",
]  # fmt: skip
OF_XTERM = {b"\x1b[1~": b"\x1b[H", b"\x1b[4~": b"\x1b[F"}
"""What tmux has its own codes for; jobs are told that their terminal is an xterm."""


def read_by(command: list[str], folder: Path, *, through_console: bool, keys: list[str]) -> bytes:
    folder.mkdir()
    with Terminal(command, folder) as terminal:
        # In the pane: the job's row and its command say it too, and before the modes are known there.
        place = r"▕.ready" if through_console else "^ready"
        wait_until(lambda: re.search(place, terminal.screen(), re.MULTILINE), what="the job to be ready")
        if through_console:
            terminal.keys("i")
            terminal.shows("TYPING")
        for key in keys:
            terminal.keys(key)
        terminal.keys(".")
        wait_until(lambda: got(folder).endswith(b"."), what="the last key")
        return got(folder)


@pytest.mark.parametrize("modes", ["", r"\x1b[?1h\x1b="])
def test_what_a_job_reads_is_what_it_would_read_in_a_terminal_of_its_own(tmp_path: Path, modes: str) -> None:
    keys = [*PLAIN, *MODIFIED, *CHARACTERS, "Home", "End"]
    line = python(RAW, modes)
    own = read_by(["/bin/sh", "-c", line], tmp_path / "own", through_console=False, keys=keys)
    for theirs, xterms in OF_XTERM.items():
        own = own.replace(theirs, xterms.replace(b"[", b"O") if modes else xterms)
    assert read_by([*CONSOLE, line], tmp_path / "console", through_console=True, keys=keys) == own
