"""Programs at work in a pane of the real console, and in tmux alone: equal text in every cell, and the same colours.

The console itself runs in tmux, which tells us its cells. A program that shows the same twice runs in both and gets
the same keys; one whose picture depends on the moment is held still, and what it has written is played to tmux.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from terminals import CONSOLE, ROOT, Terminal
from waiting import wait_until

from engine.terminal import Screen, Stream

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is the oracle, and is not here")

FIXTURES = ROOT / "tests" / "fixtures"
COLUMNS, LINES = 180, 44
SOURCE = str(ROOT / "engine" / "terminal" / "stream.py")


class Cell(NamedTuple):
    text: str
    look: tuple[object, ...]


class Program:
    """One program under a recorder."""

    def __init__(self, folder: Path, words: Sequence[str]) -> None:
        folder.mkdir()
        os.mkfifo(folder / "orders")
        self._folder = folder
        self._orders = os.open(folder / "orders", os.O_RDWR)
        self.words = [sys.executable, str(FIXTURES / "recorder.py"), str(folder), *words]

    def close(self) -> None:
        os.close(self._orders)

    @property
    def said(self) -> Path:
        return self._folder / "said"

    def size(self) -> int:
        return self.said.stat().st_size if self.said.exists() else 0

    def press(self, keys: str) -> None:
        """Press keys and wait until the program has answered."""
        before = self.size()
        self._order({"keys": keys})
        wait_until(lambda: self.size() > before, what=f"an answer to {keys!r}")

    def hold(self) -> None:
        """Nothing more reaches the terminal, and what did is all in `said`."""
        self._order({"hold": True})
        wait_until((self._folder / "held").exists, what="the program to be held")

    def go_on(self) -> None:
        (self._folder / "held").unlink()
        self._order({"hold": False})

    def _order(self, order: dict[str, object]) -> None:
        os.write(self._orders, json.dumps(order).encode() + b"\n")


def cells(terminal: Terminal, left: int = 0, top: int = 0, cols: int = 0, lines: int = 0) -> list[list[Cell]]:
    """What tmux shows in a rectangle, and how."""
    width, height = map(int, terminal.format("#{pane_width} #{pane_height}").split())
    screen = Screen(width, height)
    stream = Stream(screen)
    for y, row in enumerate(terminal.coloured().split("\n")[:height]):
        stream.feed(f"\x1b[{y + 1};1H{row}")
    cols, lines = cols or width, lines or height
    return [
        [Cell(cell.data, (cell.fg, cell.bg, cell.bold, cell.italics, cell.underscore, cell.reverse)) for cell in row]
        for row in ([screen.buffer[y][x] for x in range(left, left + cols)] for y in range(top, top + lines))
    ]


def text(rows: list[list[Cell]]) -> list[str]:
    return ["".join(cell.text for cell in row).rstrip() for row in rows]


class Pane:
    """The console in tmux with the program in its pane, and tmux alone at the pane's size."""

    def __init__(self, folder: Path, stack: ExitStack, words: Sequence[str], *, live: bool) -> None:
        self._stack = stack
        self._folder = folder
        self.program = Program(folder / "in-console", words)
        stack.callback(self.program.close)
        line = shlex.join(self.program.words)
        self.console = stack.enter_context(Terminal([*CONSOLE, line], folder, COLUMNS, LINES))
        self.console.shows("pty ")
        wait_until(self.program.size, what="the program's first words")
        self.left = 1 + wait_until(
            lambda: self.console.screen().split("\n")[1].find("▕") + 1, what="the stack's border"
        )
        size = wait_until(lambda: re.search(r"· pty (\d+)×(\d+) ·", self.console.screen()), what="the pane's size")
        assert size is not None
        self.cols, self.lines = int(size[1]), int(size[2])
        self.alone: Program | None = None
        if live:
            self.alone = Program(folder / "alone", words)
            stack.callback(self.alone.close)
            self.oracle = self._oracle(self.alone.words)
            wait_until(self.alone.size, what="the program's first words")

    def _oracle(self, words: Sequence[str]) -> Terminal:
        terminal = self._stack.enter_context(Terminal(words, self._folder, self.cols, self.lines, status=False))
        assert terminal.format("#{pane_width} #{pane_height}") == f"{self.cols} {self.lines}"
        return terminal

    def press(self, keys: str) -> None:
        self.program.press(keys)
        if self.alone is not None:
            self.alone.press(keys)

    def replay(self) -> None:
        """Hold the program and play what it has said to tmux."""
        self.program.hold()
        self.oracle = self._oracle(["sh", "-c", f"stty raw -echo; cat {self.program.said}; sleep 7721"])

    def pictures(self) -> tuple[list[list[Cell]], list[list[Cell]]]:
        return cells(self.console, self.left, 3, self.cols, self.lines), cells(self.oracle)

    def agree(self, sign: str = "") -> None:
        """Both come to show the same, and ``sign`` in it."""
        ours: list[list[Cell]] = []
        theirs: list[list[Cell]] = []

        def same() -> bool:
            nonlocal ours, theirs
            ours, theirs = self.pictures()
            return text(ours) == text(theirs) and sign in "\n".join(text(ours)) and not self._repainted(ours, theirs)

        try:
            wait_until(same)
        except AssertionError:
            assert text(ours) == text(theirs)
            assert sign in "\n".join(text(ours))
            assert self._repainted(ours, theirs) == {}

    def _repainted(self, ours: list[list[Cell]], theirs: list[list[Cell]]) -> dict[object, object]:
        """Looks of tmux's that have become more than one of ours: the console maps colours, but each always alike."""
        y, x = map(int, self.oracle.format("#{cursor_y} #{cursor_x}").split())
        found: dict[object, dict[object, object]] = {}
        for row, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            for column, (a, b) in enumerate(zip(mine, other, strict=True)):
                # Erased cells have colours too, but tmux doesn't tell them.
                if (row, column) not in ((y, x), (y, x - 1)) and b.text.strip():
                    found.setdefault(b.look, {}).setdefault(a.look, (row, column, a.text))
        return {look: looks for look, looks in found.items() if len(looks) > 1}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def need(name: str) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not here")
    return name


def test_vim(tmp_path: Path, stack: ExitStack) -> None:
    vim = [need("vim"), "-u", "NONE", "-i", "NONE", "-n", "-R", "-c", "syntax on | set nocp noro | set so=0", SOURCE]
    pane = Pane(tmp_path, stack, vim, live=True)
    pane.agree("The stream: text in")
    for keys, sign in [
        ("\x06", ""),
        ("\x05\x05\x05", ""),
        ("\x02", ""),
        ("ohello 日本 élan\x1b", "hello 日本 élan"),
        ("yyp3P", ""),
        ("5Gdd2dd", ""),
        (":set nu\r", " 12 "),
        (":split\r", ""),
        ("\x06\x06", ""),
        ("\x17w\x06", ""),
        (":vsplit\r", ""),
        ("G", ""),
        ("gg/def \rn", ""),
        (":silent %s/self/ich/g\r", ""),
        (":silent undo\r", ""),
    ]:
        pane.press(keys)
        pane.agree(sign)


def test_less(tmp_path: Path, stack: ExitStack) -> None:
    pane = Pane(tmp_path, stack, [need("less"), SOURCE], live=True)
    pane.agree("The stream: text in")
    for keys in (" ", " ", "b", "j", "j", "k", "G", "g", "/def \r", "n", "N", "-N\r", "-S\r", "20\x1b)"):
        pane.press(keys)
        pane.agree()


def test_git_log(tmp_path: Path, stack: ExitStack) -> None:
    folder = tmp_path / "repository"
    script = """
        git init -q -b main; git config user.name Jörg; git config user.email j@example.org
        for i in $(seq 30); do
            seq $i > file; git add file; export GIT_COMMITTER_DATE="2026-01-01T00:00:$i"
            git commit -q --date "2026-01-01T00:00:$i" -m "Change $i: größer 日本"
        done
        git checkout -q -b side HEAD~5; git commit -q --allow-empty -m Side; git merge -q --no-edit main
    """
    folder.mkdir()
    env = {**os.environ, "HOME": str(tmp_path), "GIT_COMMITTER_DATE": "2026-01-02T00:00:00"}
    env |= {"GIT_AUTHOR_DATE": "2026-01-02T00:00:00"}
    subprocess.run(["bash", "-c", script], cwd=folder, env=env, check=True, capture_output=True)
    words = [
        need("git"),
        "-C",
        str(folder),
        "-c",
        "core.pager=less -R",
        "log",
        "-p",
        "--graph",
        "--color",
        "--decorate",
    ]
    pane = Pane(tmp_path, stack, ["env", "-u", "GIT_PAGER", "-u", "LESS", *words], live=True)
    pane.agree("Merge")
    for keys in (" ", " ", "j", "b", "G", "g", "/Change 7\r"):
        pane.press(keys)
        pane.agree()


def test_a_textual_program(tmp_path: Path, stack: ExitStack) -> None:
    pane = Pane(tmp_path, stack, [sys.executable, str(FIXTURES / "small_app.py")], live=True)
    pane.agree("日本語 and bold")
    for keys in ("\x1b[B", "\x1b[B\x1b[B", "\x1b[6~", "\x1bOQ", "\x1bOQ", "\t", "h", "i", "\x7f"):
        pane.press(keys)
        pane.agree()


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (["htop", "-d", "3"], ["j", "\x1b[6~", "\x1b[B", "t", "\x1b[5~"]),
        (["top", "-d", "0.5"], ["1", "z", "x", "c"]),
    ],
)
def test_programs_that_show_the_moment(tmp_path: Path, stack: ExitStack, words: list[str], keys: list[str]) -> None:
    need(words[0])
    pane = Pane(tmp_path, stack, words, live=False)
    for number, key in enumerate(keys):
        pane.press(key)
        if number % 2:
            pane.replay()
            pane.agree()
            pane.program.go_on()


def progress(words: Sequence[str], folder: Path, stack: ExitStack, sign: str) -> None:
    pane = Pane(folder, stack, words, live=False)
    seen = 0

    def over() -> bool:
        return sign.encode() in pane.program.said.read_bytes()

    for _ in range(3):
        wait_until(lambda: over() or pane.program.size() > seen, what="progress")  # noqa: B023
        if over():  # a program that is held goes on until nothing more of it is taken
            break
        pane.replay()
        pane.agree()
        seen = pane.program.size()
        pane.program.go_on()
    wait_until(over, what="its last word")
    pane.replay()
    pane.agree(sign)


def test_pytest(tmp_path: Path, stack: ExitStack) -> None:
    lines = ["import pytest, time", '@pytest.mark.parametrize("n", range(300))']
    lines += ["def test_it(n):", "    time.sleep(0.01); assert n % 50 != 7, 'größer'"]
    (tmp_path / "test_slow.py").write_text("\n".join(lines))
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=yes", str(tmp_path / "test_slow.py")]
    progress(["sh", "-c", f"{shlex.join(words)}; echo OVER; sleep 7722"], tmp_path, stack, "OVER")


def test_npm(tmp_path: Path, stack: ExitStack) -> None:
    need("npm")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "package.json").write_text(json.dumps({"name": name, "version": "1.0.0"}))
    slow = {"install": "sleep 2; echo installed"}
    (tmp_path / "one" / "package.json").write_text(json.dumps({"name": "one", "version": "1.0.0", "scripts": slow}))
    whole = {"name": "whole", "version": "1.0.0", "dependencies": {"one": "file:one", "two": "file:two"}}
    (tmp_path / "package.json").write_text(json.dumps(whole))
    npm = "npm install --offline --no-audit --color=always --progress --install-links"
    progress(["sh", "-c", f"cd {tmp_path}; {npm}; echo OVER; sleep 7723"], tmp_path, stack, "OVER")
