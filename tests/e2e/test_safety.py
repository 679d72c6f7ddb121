"""Nothing that a job says passes as a sequence to the terminal that the console draws on (spec 5.2)."""

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from host import Heard, Host, pane_rows
from hostile import CALM, classes
from waiting import wait_until

SAYS = """
import os, sys
folder = sys.argv[1]
calm = open(folder + "/calm", "rb").read()
def say(data):
    while data:
        data = data[os.write(1, data):]
for name in sorted(os.listdir(folder + "/said")):
    with open(folder + "/gate") as gate:
        gate.read()
    say(open(folder + "/said/" + name, "rb").read())
    say(calm + b"SAID " + name.encode() + b"\\x1b[20;1H")
with open(folder + "/gate") as gate:
    gate.read()
"""
ALLOWED = {"SGR", "CUP", "LINK"}


def speaker(folder: Path, said: list[bytes]) -> str:
    """The command of a job that says one thing each time its gate is opened."""
    (folder / "said").mkdir(parents=True)
    (folder / "calm").write_bytes(CALM)
    (folder / "says.py").write_text(SAYS)
    os.mkfifo(folder / "gate")
    for number, data in enumerate(said):
        (folder / "said" / f"{number:03}").write_bytes(data)
    return (
        shlex.join(["stty", "raw", "-echo"])
        + f"; exec {shlex.join([sys.executable, str(folder / 'says.py'), str(folder)])}"
    )


@contextmanager
def _home(folder: Path) -> Iterator[None]:
    """Of its own: the console would come back as the one before it was left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBDECK_HOME", str(folder))
        yield


def in_pane(host: Host, text: str) -> bool:
    return text in "\n".join(pane_rows(host.screen()))


def hear(folder: Path, said: list[bytes]) -> tuple[Heard, list[str]]:
    """All that the console writes from its start to its end while a job says these; the pane's border after each."""
    command = speaker(folder, said)
    borders = []
    with _home(folder / "home"), Host([command], folder) as host:
        host.shows("running")
        border = wait_until(lambda: host.screen()[10].find("▕") + 1, what="the stack's border") - 1
        for number in range(len(said)):
            (folder / "gate").write_bytes(b"")
            wait_until(partial(in_pane, host, f"SAID {number:03}"), what=f"what was said {number:03}")
            borders.append(host.column(border))
        # The ways on which what was said may come elsewhere: scrollback, stack, tabs, help, palette, dialogs.
        host.keys("g")
        host.keys("G")
        host.keys("?")
        host.shows("Keys")
        host.keys("\x1b")
        host.loses("Keys")
        host.keys("c")
        host.loses("i types")
        host.keys("\r")
        host.shows("i types")
        host.shows(f"SAID {len(said) - 1:03}")
        (folder / "gate").write_bytes(b"")
        host.shows("✓")
        host.keys("q")
        host.ends()
        return host.heard(), borders


def subset(heard: Heard, innocent: Heard) -> None:
    assert {"SGR", "CUP"} <= innocent.sequences
    assert heard.sequences - ALLOWED <= innocent.sequences
    assert heard.unfit() <= innocent.unfit()
    assert heard.links <= {
        "",
        "http://ok.example/",
        "http://a",
        "http://x",
    }  # the third ends at its BEL, the last in plain text


def test_what_a_job_says_is_cells_colours_and_links_and_nothing_else(tmp_path: Path) -> None:
    hostile = classes()
    innocent, _ = hear(tmp_path / "innocent", [b"all is well\r\n"] * 3)
    heard, borders = hear(tmp_path / "hostile", list(hostile.values()))
    subset(heard, innocent)
    assert "http://ok.example/" in heard.links
    bent = {name: border for name, border in zip(hostile, borders, strict=True) if set(border[1:-1]) != {"▕"}}
    assert not bent


def go_through(folder: Path, commands: Sequence[str], typed: str) -> Heard:
    """The console's places where commands, names, last lines, errors and typed text are shown."""
    folder.mkdir()
    with Host(commands, folder, cols=160, rows=45) as host:
        host.shows("✗")  # the first job's end, and with it a toast
        host.shows("1 running")
        for number in range(1, len(commands) + 1):
            host.keys(str(number))
            host.keys("y")  # copied, and said so
        for word in ("Open", "Kill"):
            host.keys("\x10")
            host.shows("Search for commands")
            host.keys(*word)
            host.shows(f"{word} ")
            host.keys("\x1b")
            host.loses(f"{word} ")
        host.keys("a")
        host.shows("New job")
        wait_until(lambda: host.keys("x") or "│  x" in "\n".join(host.screen()), what="the field to take keys")  # type: ignore[func-returns-value]
        host.keys(f"\x1b[200~{typed}\x1b[201~")
        host.shows("PASTED")
        host.keys("\r")
        host.loses("New job")
        host.shows("exit 127")
        host.keys("q")
        host.shows("Kill and leave")
        host.keys("y")
        host.ends()
        return host.heard()


def test_what_a_job_is_called_asked_and_answers_is_text(tmp_path: Path) -> None:
    evil = (
        "[link=http://x][bold red]x[/] [@click=app.quit]q[/] \x1b]52;c;QQ==\x07\x1b]0;T\x07\x1b[2J"
        "\x9b31m\x9d0;T\x9c\u202e\u2066\r\n\x08"
    )
    quoted = shlex.quote(evil)
    innocent = go_through(
        tmp_path / "innocent", ["echo well; exit 3", "echo well; sleep 7711"], "no-such-7712 PASTED\n"
    )
    heard = go_through(
        tmp_path / "hostile",
        [f"printf %s {quoted}; exit 3", f"printf %s {quoted}; sleep 7711 # {evil}"],
        f"no-such-7712 {evil.replace(chr(27), '')} PASTED",  # no terminal pastes an escape
    )
    copied = {one for one in heard.sequences if one.startswith("\x1b]52;c;")}
    assert all(re.fullmatch(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07", one) for one in copied), copied
    assert not any("QQ==" in one for one in copied)
    heard.sequences -= copied
    subset(heard, innocent)
