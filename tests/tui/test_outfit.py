"""Keys, themes and settings of the console from the configuration, at the start and when its files change."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from editing import save
from file_jobs import BASE

from engine import Engine
from engine.config.loading import load
from tui import keymap
from tui.remapping import key_of, remapped
from tui.screens.help import help_text

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

TEXT = """
[settings]
theme = "mine"
[keys]
kill = "ctrl+k"
"job.dismiss" = "f6"
"app.help" = ["?", "f9"]
[themes.mine]
primary = "#123456"
"""


@pytest.fixture(autouse=True)
def _usual_keys_after() -> Iterator[None]:
    yield
    keymap.use({})


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "jobdeck.toml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def engine(file: Path) -> Iterator[Engine]:
    with Engine(configuration=load(base=BASE), follows=True) as engine:
        yield engine


async def test_a_remapped_key_works_and_is_the_one_that_is_told_everywhere(console: "Opened") -> None:
    async with console("sleep 1000", size=(150, 40)) as shown:
        await shown.until(lambda: "1 running" in shown.screen_text())
        await shown.until(lambda: "^k kill" in shown.screen_text())
        assert shown.app.theme == "mine"
        assert "Ctrl+K" in str(help_text())
        slot = next(iter(shown.deck.store))
        await shown.press("x")
        await shown.arrived()
        assert slot.live
        assert not slot.kill_asked
        await shown.press("ctrl+k")
        await shown.until(lambda: not slot.live)
        await shown.press("f6")
        await shown.until(lambda: not len(shown.deck.store))


async def test_an_edit_counts_at_once(console: "Opened", file: Path) -> None:
    async with console("sleep 1000", size=(150, 40)) as shown:
        await shown.until(lambda: "^k kill" in shown.screen_text())
        save(
            file,
            '[settings]\ntheme = "jobdeck-light"\nterm_grace_seconds = 0.1\nnotifications = "off"\nascii = true\n'
            "reduced_motion = true\n"
            '[keys]\nkill = "f7"\n',
        )
        await shown.until(lambda: "f7 kill" in shown.screen_text())
        assert shown.app.theme == "jobdeck-light"
        assert shown.app.animation_level == "none"
        assert shown.deck.stack.grace == 0.1
        await shown.until(lambda: shown.screen_text().isascii())
        slot = next(iter(shown.deck.store))
        await shown.press("ctrl+k")
        await shown.arrived()
        assert not slot.kill_asked
        await shown.press("f7")
        await shown.until(lambda: not slot.live)


async def test_what_cant_be_had_is_said_on_the_screen(console: "Opened", file: Path) -> None:
    async with console(size=(150, 40)) as shown:
        save(file, '[settings]\ntheme = "min"\n[keys]\nkil = "f7"\n[themes.mine]\nprimary = "no such"\n')

        def told() -> str:
            return "\n".join(shown.said)

        await shown.until(lambda: "jobdeck.toml:4: kil is no action of the console; did you mean 'kill'?" in told())
        await shown.until(lambda: "jobdeck.toml:6: 'no such' is no colour" in told())
        assert shown.app.theme == "mine"


Problems = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("kill = 'r'", "'r' is job.restart's already, so job.kill keeps its usual keys"),
        ("kill = 'ctrl+c'", "'ctrl+c' copies what is selected"),
        ("down = 'f7'", "down is not one action: there are stack.down, pane.down"),
        ("'type.leave' = 'f7'", "type.leave keeps its keys"),
        ("kill = 'hyperspace'", "kill = 'hyperspace' is no key"),
        ("kill = []", "kill needs a key"),
        ("kill = 'f7'\nrestart = 'f7'", "'f7' is"),
    ],
)
def test_what_cant_be_is_told_and_leaves_the_usual_keys(file: Path, keys: str, why: str) -> None:
    file.write_text(f"[keys]\n{keys}\n")
    asked = remapped(load())
    assert any(why in str(problem) for problem in asked.problems), asked.problems
    assert all(problem.line > 1 for problem in asked.problems)
    keymap.use(asked.keys)
    test_no_key_means_two_things()


def test_no_key_means_two_things() -> None:
    for places in (("anywhere", "job", "stack"), ("anywhere", "job", "pane"), ("anywhere", "job", "hits")):
        keys = [key for entry in keymap.TABLE if entry.where in places for key in entry.keys]
        assert len(keys) == len(set(keys))


def test_two_actions_can_change_their_keys_with_each_other(file: Path) -> None:
    file.write_text("[keys]\nkill = 'r'\nrestart = 'x'\n")
    asked = remapped(load())
    assert not asked.problems
    assert asked.keys == {"job.kill": ("r",), "job.restart": ("x",)}


@pytest.mark.parametrize(
    ("said", "key"),
    [("?", "question_mark"), ("K", "K"), ("Ctrl+K", "ctrl+k"), ("f5", "f5"), ("PageDown", "pagedown"), ("+", "plus"),
     ("slash", "slash"), ("nonsense", ""), ("strg+k", ""), ("alt+x", "alt+x"), ("shift+up", "shift+up")],
)  # fmt: skip
def test_keys_as_people_write_them(said: str, key: str) -> None:
    assert key_of(said) == key
