"""What a console writes to its own terminal to be seen elsewhere: its words, once, through tmux; never a job's."""

import json
import os
import re
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path

from host import Host
from terminals import CONSOLE, Terminal
from waiting import PATIENCE, wait_until

NOTIFICATION = re.compile(r"\x1b\](?:9|777)[;\d][^\x07\x1b]*(?:\x07|\x1b\\)")


def settings(folder: Path, **values: object) -> None:
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    (folder / "jobdeck.toml").write_text("\n".join(["[settings]", *lines, ""]))


def told(host: Host) -> list[str]:
    """Every notification that the terminal has been asked for."""
    return NOTIFICATION.findall(host.said.decode(errors="replace"))


def gated(folder: Path, name: str, then: str) -> str:
    """A shell line that waits for its gate."""
    os.mkfifo(folder / name)
    return f"read line < {name}; {then}"


def heard(host: Host) -> None:
    """Wait until the console has read what was sent before."""
    host.keys("?")
    host.shows("Esc closes")
    host.keys("\x1b")
    host.loses("Esc closes")


def opens(folder: Path, name: str) -> None:
    (folder / name).write_text("go\n")


def test_an_end_is_told_in_clean_words_and_nothing_of_what_the_job_itself_asks_for(tmp_path: Path) -> None:
    settings(tmp_path, notifications_terminal="osc777", bell_on_complete=True)
    secret = "ghp_" + "a1B2" * 9
    says = r"printf '\033]9;from the job\a\033]777;notify;from;the job\a\033Ptmux;\033\033]9;the job\a\033\\'"
    says += rf"; printf 'no; \033[31m{secret} \001 there\n'; exit 3"
    with Host([gated(tmp_path, "gate", says)], tmp_path) as host:
        host.shows("read line")
        opens(tmp_path, "gate")
        wait_until(lambda: told(host), what="a notification")
        host.shows("exit 3 after")
        (one,) = told(host)
        wait_until(lambda: "\x07" in host.heard().sequences, what="the bell")
    title, body = one.removeprefix("\x1b]777;notify;").removesuffix("\x07").split(";")
    assert title.startswith("jobdeck: ✗ read line < gate, printf")
    assert title.endswith("failed (exit 3)")
    assert re.fullmatch(r"after \S+ s · no, ghp_\S+ +there", body)
    assert "a1B2a1B2" not in one


def test_who_looks_at_the_console_is_not_told_outside(tmp_path: Path) -> None:
    settings(tmp_path, notifications_terminal="osc9", notifications_interval_seconds=0.0)
    lines = [gated(tmp_path, "one", "exit 1"), gated(tmp_path, "two", "exit 2")]
    with Host(lines, tmp_path) as host:
        host.shows("2 running")
        wait_until(lambda: b"\x1b[?1004$p" in host.said, what="the question whether it tells of its focus")
        host.keys("\x1b[?1004;1$y")  # the terminal's answer: it tells of its focus, and so it has it
        heard(host)
        opens(tmp_path, "one")
        host.shows("failed (exit 1) after")
        host.keys("\x1b[O")
        heard(host)
        opens(tmp_path, "two")
        wait_until(lambda: told(host), what="a notification")
        (one,) = told(host)
    assert "exit 2" in one


class Attached:
    """A person's terminal in which tmux shows a window: all that tmux writes to it."""

    def __init__(self, words: list[str]) -> None:
        self.said = bytearray()
        self._main, side = os.openpty()
        env = {**os.environ, "TERM": "xterm-256color"}
        env.pop("TMUX", None)
        self._child = subprocess.Popen(
            ["setsid", "-c", "-w", *words], stdin=side, stdout=side, stderr=side, env=env, start_new_session=True
        )
        os.close(side)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._main, 65_536)
            except OSError:
                return
            self.said += data

    def end(self) -> None:
        """Once tmux has ended."""
        self._child.wait(PATIENCE)
        os.close(self._main)


def test_in_tmux_it_comes_to_the_terminal_outside_where_that_is_allowed(tmp_path: Path) -> None:
    settings(tmp_path, notifications_terminal="osc9", notifications_interval_seconds=0.0)
    says = r"printf '\033]9;from the job\a\033Ptmux;\033\033]9;the job\a\033\\'; "
    lines = [gated(tmp_path, "one", says + "exit 1"), gated(tmp_path, "two", says + "exit 2")]
    with ExitStack() as after, Terminal([*CONSOLE, *lines], tmp_path) as terminal:
        terminal.set("allow-passthrough", "off")
        outer = Attached(terminal.attaching())
        after.callback(outer.end)
        wait_until(lambda: b"running" in outer.said, what="the console to be seen")
        opens(tmp_path, "one")
        terminal.shows("tmux holds the terminal's notifications back")
        terminal.set("allow-passthrough", "on")
        opens(tmp_path, "two")
        wait_until(lambda: NOTIFICATION.search(outer.said.decode(errors="replace")), what="a notification")
        (told,) = NOTIFICATION.findall(outer.said.decode(errors="replace"))
    assert told.startswith("\x1b]9;jobdeck: ✗ read line < two")
    assert "(exit 2)" in told
    assert told.endswith("\x07")
