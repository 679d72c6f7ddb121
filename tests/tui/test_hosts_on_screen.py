"""A job on a host is shown with its host, a link that isn't up yet and one that is lost as such."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from textual.widgets import Input

from engine.config.entries import HostEntry

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

GATE = 'while [ ! -e "$0.open" ]; do sleep 0.05; done; shift; exec "$@"'


def give_host(shown: "Console", folder: Path) -> Path:
    """A host ``box`` whose link is up only once a file is there; that file."""
    script = folder / "link"
    script.write_text(GATE)
    registry = shown.engine.registry
    hosts = {"box": HostEntry(via=("sh", str(script), "--"))}
    registry.configuration = msgspec.structs.replace(registry.configuration, hosts=hosts)
    return folder / "link.open"


async def test_a_job_on_a_host_shows_it_and_its_link(console: "Opened", tmp_path: Path) -> None:
    async with console() as shown:
        opens = give_host(shown, tmp_path)
        slot = await shown.start("echo far away; exec sleep 1000", name="there", host="box")
        await shown.until(lambda: "connecting to box" in shown.stack_text())
        await shown.until(lambda: "nothing of it runs yet" in shown.screen_text())
        await shown.until(lambda: "there @box" in shown.stack_text())
        opens.touch()
        await shown.until(lambda: "far away" in shown.pane_text())
        await shown.until(lambda: "connecting" not in shown.screen_text())
        far = shown.engine.registry.jobs[slot.job.session_id].far
        assert far is not None
        await shown.until(lambda: slot.job.pid is not None and far.place is not None)
        await shown.press("x")
        await shown.until(lambda: "killed" in shown.stack_text())
        assert "there @box" in shown.stack_text()


async def test_a_lost_job_says_so_and_is_ended_over_there_by_the_same_key(console: "Opened", tmp_path: Path) -> None:
    async with console() as shown:
        give_host(shown, tmp_path).touch()
        (tmp_path / "link").write_text('exec 5<&0; shift; setsid "$@" <&5 & wait')  # what it starts outlives it
        slot = await shown.start("echo far away; exec sleep 7501", name="there", host="box", pty=False)
        await shown.until(lambda: "far away" in shown.pane_text())
        assert slot.job.pid is not None
        os.kill(slot.job.pid, 9)
        await shown.until(lambda: "? there @box" in shown.stack_text() and "lost" in shown.stack_text())
        await shown.until(lambda: "ends it there" in shown.screen_text())
        assert "may still run" in slot.job.start_error
        await shown.press("x")
        await shown.until(lambda: "ends it there" not in shown.screen_text())


async def test_the_dialog_starts_a_job_on_a_host_and_names_those_there_are(console: "Opened", tmp_path: Path) -> None:
    async with console() as shown:
        await shown.dialog("a", "command")
        assert not shown.app.screen.query("#host")
        await shown.back()
        give_host(shown, tmp_path).touch()
        await shown.dialog("a", "command")
        await shown.until(lambda: "Host: box" in shown.screen_text())
        await shown.type("echo far away; exec sleep 1000")
        shown.app.screen.query_one("#host", Input).value = "bax"
        await shown.press("enter")
        await shown.until(lambda: "there is no host 'bax': there are box" in shown.screen_text())
        await shown.back()
        await shown.dialog("a", "command")
        assert shown.app.screen.query_one("#host", Input).value == "bax"
        shown.app.screen.query_one("#host", Input).value = "box"
        await shown.press("enter")
        await shown.until(lambda: "far away" in shown.pane_text() and "@box" in shown.stack_text())
