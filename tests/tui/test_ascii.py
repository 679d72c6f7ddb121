"""Without Unicode every sign of the console is one of ASCII, and of the same width; states are told apart still."""

import ast
import inspect
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from scenes import DIALOGS, VIEWS, busy, open_dialog

import tui.show.cleaning
from engine import Settings
from engine.events import Fate, Recovered
from tui.ascii_only import in_ascii, wanted
from tui.show.states import GLYPHS, Look

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


@pytest.mark.parametrize("settings", [Settings(ascii=True)])
async def test_no_screen_paints_anything_else(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        text = r"printf '\342\224\200\342\234\223 w\303\266rld \344\275\240 |\n'; "
        await shown.start(f"{text}sleep 1000", name="wörld", persist_on_release=True)
        await shown.until(lambda: "-+ w?rld ?? |" in shown.screen_text())
        await shown.until(lambda: "k kept when jobdeck ends" in shown.screen_text())
        assert shown.screen_text().isascii()
        await shown.press("tab")  # who has done something isn't shown at once what became of others
        fate = Fate(session_id="proc_x", name="x", command="x", owner="", fate="lost", text="…", exit_code=None)
        shown.deck.take_events([Recovered(1, time.time(), (fate,))])
        await shown.until(lambda: "1 lost" in shown.deck.away_line.plain)
        assert shown.screen_text().isascii()
        for slot in shown.deck.store:
            shown.engine.kill(slot.job.session_id, now=True).result()


@pytest.mark.parametrize("settings", [Settings(ascii=True)])
async def test_every_screen_is_ascii(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        await busy(shown)
        for name, (enter, leave) in VIEWS.items():
            await enter(shown)
            await shown.arrived()
            assert shown.screen_text().isascii(), name
            await leave(shown)
        for name in DIALOGS:
            await open_dialog(shown, name)
            assert shown.screen_text().isascii(), name
            await shown.app.pop_screen()
        for action in ("app.palette", "view.themes"):
            shown.deck.action_do(action)
            await shown.until(lambda: shown.app.screen is not shown.deck)
            await shown.arrived()
            assert shown.screen_text().isascii(), action
            await shown.press("escape")
            await shown.until(lambda: shown.app.screen is shown.deck)


def test_every_sign_of_ours_has_one_in_ascii_that_isnt_a_question_mark() -> None:
    """In whatever the console's code says; docstrings and comments are for others."""
    signs: set[str] = set()
    for path in Path(inspect.getfile(tui)).parent.rglob("*.py"):
        if "cli" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                signs |= {sign for sign in node.value if not sign.isascii()}
    assert len(signs) > 20
    cleaning = inspect.getsource(tui.show.cleaning)  # knows those that are never shown; the last is what is decoded
    assert {sign for sign in signs if in_ascii(sign) == "?" and sign.isprintable() and sign not in cleaning} <= {
        "\ufffd"
    }


@pytest.mark.parametrize(
    ("environ", "ascii"),
    [
        ({}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE.utf8@euro"}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, True),
        ({"LC_CTYPE": "de_DE.ISO-8859-1"}, True),
        ({"LANG": "C", "JOBDECK_ASCII": "0"}, False),
    ],
)
def test_where_the_locale_has_no_more_than_ascii_there_is_no_more(environ: dict[str, str], ascii: bool) -> None:
    assert wanted(False, environ) is ascii


def test_states_are_told_apart_in_ascii_too() -> None:
    signs = {in_ascii(GLYPHS[seen]) for seen in Look}
    assert len(signs) == len(set(GLYPHS.values())) and all(sign.isascii() for sign in signs)


def test_new_output_is_taken_neither_for_the_bell_nor_for_a_hit() -> None:
    assert in_ascii("•") not in {"!", in_ascii("⚑")}


@pytest.mark.parametrize("text", ["plain", "●✓✗⊘∞⇡↩◷⚑", "╭─╮│", "wörld", "你好", "a\u0301"])
def test_widths_stay(text: str) -> None:
    assert in_ascii(text).isascii() and cell_len(in_ascii(text)) == cell_len(text)


def test_the_variable_goes_before_the_setting() -> None:
    assert wanted(False, {"JOBDECK_ASCII": "1"}) and not wanted(True, {"JOBDECK_ASCII": "0"})
    assert wanted(True, {}) and wanted(True, {"JOBDECK_ASCII": " "}) and not wanted(False, {})
