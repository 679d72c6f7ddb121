"""Signals are sent from a menu; a long ending says who it waits for; what got away or lives on can be dealt with."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from freezing import Freezer
from living import alive, leads_a_session, tree_of
from textual.widgets import OptionList
from waiting import PATIENCE

from engine import Settings
from engine.results import Survivor
from tui.screens.send_signal import SIGNALS
from tui.show.endings import advice

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_a_signal_is_sent_from_the_menu(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("trap 'echo got USR1' USR1; echo up; while :; do sleep 0.05; done", name="traps")
        await shown.until(lambda: "up" in shown.pane_text())
        await shown.press("S")
        await shown.until(lambda: "Send to traps" in shown.screen_text() and isinstance(shown.app.focused, OptionList))
        await shown.press(*["down"] * list(SIGNALS).index("USR1"), "enter")
        await shown.until(lambda: "got USR1" in shown.pane_text())


async def test_every_signal_of_the_menu_exists() -> None:
    assert all(hasattr(signal, f"SIG{name}") for name in SIGNALS)


@pytest.mark.parametrize("settings", [Settings(term_grace_seconds=PATIENCE)])
async def test_a_long_ending_names_who_it_waits_for(console: "Opened") -> None:
    async with console(size=(200, 32)) as shown:
        slot = await shown.start("trap '' TERM; echo up; while :; do sleep 7811; done", name="stays")
        await shown.until(lambda: "up" in shown.pane_text())
        await shown.press("x")
        await shown.until(lambda: "waits for sleep 7811" in shown.screen_text())
        await shown.press("X")
        await shown.until(lambda: not slot.live)


async def test_what_got_away_is_ended_by_its_key_when_asked_for(console: "Opened") -> None:
    async with console(size=(200, 32)) as shown:
        slot = await shown.start("(setsid sleep 7812 &); echo up; sleep 7813", name="leaves")
        await shown.until(lambda: "up" in shown.pane_text() and leads_a_session("sleep 7812"))
        await shown.press("x")
        await shown.until(lambda: slot.job.escaped, "the escaped process to be named")
        pid = slot.job.escaped[0].pid
        await shown.until(lambda: "E ends them" in shown.screen_text())
        await shown.press("E")
        await shown.until(lambda: "left behind?" in shown.screen_text() and str(pid) in shown.screen_text())
        await shown.press("n")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.press("E")
        await shown.until(lambda: "left behind?" in shown.screen_text())
        assert Path(f"/proc/{pid}").exists()
        await shown.press("y")
        await shown.until(lambda: not slot.job.escaped, "it to be gone")


@pytest.mark.parametrize("settings", [Settings(term_grace_seconds=0.2, kill_proof_seconds=0.3)])
async def test_who_could_not_be_ended_is_told_with_what_to_do(console: "Opened", freezer: Freezer) -> None:
    async with console() as shown:
        slot = await shown.start("sleep 7814 & echo up; wait", name="frozen")
        await shown.until(lambda: "up" in shown.pane_text())
        assert slot.job.pid is not None
        tree = tree_of(slot.job.pid)
        freezer.freeze(tree[-1].pid)
        await shown.press("x")
        await shown.until(lambda: "could not be ended" in shown.screen_text() and "by itself" in shown.screen_text())
        freezer.thaw()
        await shown.press("k")
        await shown.until(lambda: not slot.live)
        assert alive(tree) == []


def test_there_is_advice_for_every_reason() -> None:
    told = {
        advice(Survivor(7, "x", why))
        for why in ("Operation not permitted", "waits in the kernel", "frozen, stopped", "?")
    }
    assert len(told) == 4
    assert any("sudo kill -9 7" in text for text in told)
