"""``notify-send`` gets exact arguments; one that is missing, fails or hangs is said once and harms nothing."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from waiting import PATIENCE

from engine import JobSpec
from tui.outside.desktop import Desktop
from tui.outside.wording import Message

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

MESSAGE = Message("✗ build failed (exit 2)", "-n <b>no & such\\n file</b> $(id)", urgent=True)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that comes before all others on the PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    yield folder


def standing_in(folder: Path, script: str) -> None:
    """A program of this name that does this."""
    program = folder / "notify-send"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_its_arguments_are_exact(programs: Path, tmp_path: Path) -> None:
    standing_in(programs, f"printf '%s\\0' \"$@\" > {tmp_path}/argv")
    assert asyncio.run(Desktop(PATIENCE).tell(MESSAGE)) == ""
    assert (tmp_path / "argv").read_text().split("\0")[:-1] == [
        "--app-name=jobdeck",
        "--urgency=critical",
        "--",
        "✗ build failed (exit 2)",
        "-n &lt;b&gt;no &amp; such\\\\n file&lt;/b&gt; $(id)",  # a desktop reads markup in it, and the program escapes
    ]


def test_one_that_is_missing_fails_or_hangs_says_what_to_do(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in(programs, "exit 3")
    assert "failed (exit 3): is there a desktop here?" in asyncio.run(Desktop(PATIENCE).tell(MESSAGE))
    standing_in(programs, "exec sleep 600")
    assert "has not ended in 0.2 seconds" in asyncio.run(Desktop(0.2).tell(MESSAGE))
    (programs / "notify-send").chmod(0o644)
    monkeypatch.setenv("PATH", str(programs))
    assert "can't be started (Permission denied)" in asyncio.run(Desktop().tell(MESSAGE))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "isn't there" in asyncio.run(Desktop().tell(MESSAGE))


def test_one_that_is_just_being_started_as_the_console_ends_is_ended_too(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in(programs, "exec sleep 600")
    desktop = Desktop(PATIENCE)
    start = subprocess.Popen

    def closing(*args: Any, **named: Any) -> subprocess.Popen[bytes]:
        program = start(*args, **named)
        desktop.close()
        return program

    monkeypatch.setattr(subprocess, "Popen", closing)
    assert "failed (exit -9)" in asyncio.run(desktop.tell(MESSAGE))


async def test_a_failure_is_said_once(console: "Opened", programs: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    standing_in(programs, f'echo "$4" >> {calls}; exit 3')
    async with console() as shown:
        ways = shown.deck.outside.ways
        ways.desktop, ways.interval_seconds = True, 0.0
        shown.deck.outside._desktop = Desktop(PATIENCE)

        async def ends(name: str) -> None:
            spec = JobSpec(command="true", name=name, notify_on_complete=True)
            await asyncio.wrap_future(shown.engine.spawn(spec).future)
            await shown.until(lambda: calls.exists() and name in calls.read_text(), f"the end of {name}")
            await shown.until(lambda: not shown.deck.outside._desktop.busy, "the program's end")

        await ends("first")
        said = "notify-send failed (exit 3)"
        await shown.until(lambda: said in shown.screen_text())
        shown.app.clear_notifications()
        await ends("second")
        await shown.pilot.pause()
        assert not [toast for toast in shown.app._notifications if said in toast.message]


async def test_one_that_hangs_is_ended_with_the_console(console: "Opened", programs: Path, tmp_path: Path) -> None:
    """The fixture that looks for what is left proves it; and no job waits for it."""
    standing_in(programs, f"echo > {tmp_path}/began; exec sleep 600")
    async with console() as shown:
        shown.deck.outside.ways.desktop = True
        spec = JobSpec(command="true", notify_on_complete=True)
        await asyncio.wrap_future(shown.engine.spawn(spec).future)
        await shown.until((tmp_path / "began").exists, "the program to begin")
        slot = await shown.start("echo on", open_tab=False)
        await shown.until(lambda: not slot.live)
