"""What real programs write gives the screen that tmux shows at the same size: equal text in every cell."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import wait_until

from engine.terminal import ByteStream, Screen
from tests.bench.terminal import COLUMNS, KEYS, LINES, capture

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is the oracle, and is not here")


class Tmux:
    """A tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "tmux.sock")
        self.stream = folder / "stream"
        self.shown = 0

    def run(self, *words: str) -> str:
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, check=False).stdout.decode()

    def shows(self, data: bytes) -> tuple[list[str], str]:
        """The rows and the cursor after ``data``."""
        self.stream.write_bytes(data)
        self.shown += 1
        title = f"all of {self.shown}"  # tmux has it once it has taken in what comes before it
        script = f"stty raw -echo; cat {self.stream}; printf '\\033]2;{title}\\033\\\\'; sleep 60"
        size = ("-x", str(COLUMNS), "-y", str(LINES))
        self.run("-f", "/dev/null", "new-session", "-d", *size, "-s", "o", "sleep 60")
        self.run("set", "-g", "status", "off")
        self.run("resize-window", "-t", "o", *size)
        self.run("respawn-pane", "-k", "-t", "o", "sh", "-c", script)
        wait_until(lambda: self.run("display-message", "-p", "-t", "o", "#{pane_title}").strip() == title)
        picture = self.run("capture-pane", "-p", "-N", "-t", "o")
        cursor = self.run("display-message", "-p", "-t", "o", "#{cursor_y},#{cursor_x}").strip()
        return [row.rstrip() for row in picture.split("\n")[:LINES]], cursor

    def close(self) -> None:
        self.run("kill-server")


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    server = Tmux(tmp_path)
    yield server
    server.close()


@pytest.mark.parametrize("program", KEYS)
def test_a_program_looks_as_in_tmux(program: str, tmux: Tmux) -> None:
    command, keys = KEYS[program]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not here")
    for pause in (0.1, 0.4, 1.6, 6.4):  # as slow as the machine needs it
        data = capture(command, keys, pause)
        if data.count(b"\x1b") > 20:
            break
    assert data.count(b"\x1b") > 20
    for share in (0.5, 1.0):
        part = data if share == 1.0 else data[: data.rfind(b"\x1b", 0, int(len(data) * share))]
        screen = Screen(COLUMNS, LINES)
        ByteStream(screen).feed(part)
        rows, cursor = tmux.shows(part)
        assert [screen.text(y) for y in range(LINES)] == rows
        assert f"{screen.cursor.y},{screen.cursor.x}" == cursor
