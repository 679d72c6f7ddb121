"""One job in two consoles: the terminal has the size of the one that was used last, the other shows where it ends."""

import re
import sys
from pathlib import Path

from host import Host, pane_rows
from sizes import SIZES
from waiting import wait_until

FOCUSED = "\x1b[I"


def last_width(host: Host) -> int:
    """The columns that the job printed last; 0 before it has."""
    printed = [found[1] for row in pane_rows(host.screen()) if (found := re.match(r"\d+ (\d+)\b", row))]
    return int(printed[-1]) if printed else 0


def test_the_console_that_was_used_last_sets_the_size(tmp_path: Path) -> None:
    program = tmp_path / "sizes"
    program.write_text(f"#!{sys.executable}\n{SIZES}")
    program.chmod(0o755)
    with Host(["./sizes"], tmp_path, cols=120, rows=36) as wide:
        wait_until(lambda: last_width(wide) == 80, what="the first console's size")
        with Host([], tmp_path, cols=100, rows=30) as narrow:
            narrow.shows("1 running")
            narrow.keys("\r")
            wait_until(lambda: last_width(narrow) == 60, what="the second console's size")
            wait_until(lambda: "│" in "\n".join(pane_rows(wide.screen())), what="the edge in the first")
            wide.shows("set elsewhere")
            wide.keys(FOCUSED)
            wait_until(lambda: last_width(wide) == 80, what="the first console's size again")
            narrow.shows("cut here")
            narrow.keys("i")
            narrow.shows("TYPING")
            wait_until(lambda: last_width(narrow) == 60, what="the size of who types")
            wide.shows("set elsewhere")
