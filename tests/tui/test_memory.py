"""The console comes back as it was left: theme, layout, tabs in their order; what it can't read is kept aside."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from file_jobs import BASE

from engine import Engine, JobSpec
from engine.config.loading import load
from tests.tui.conftest import Console
from tui.app import JobdeckApp
from tui.memory import Memory, Remembered
from tui.screens.deck import DeckScreen


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("JOBDECK_HOME", str(folder))
    return folder


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine() as engine:
        yield engine
        engine.shutdown(keep=False)


@asynccontextmanager
async def opened(engine: Engine, home: Path, size: tuple[int, int] = (140, 40)) -> AsyncIterator[Console]:
    app = JobdeckApp(engine, (), Memory(home))
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        deck = app.screen_stack[0]
        assert isinstance(deck, DeckScreen)
        shown = Console(engine, app, pilot, deck)
        await shown.until(lambda: deck.focused is not None and deck.area.size.area, "the main screen")
        yield shown


def saved(home: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((home / "console.json").read_text())
    return found


async def test_theme_tabs_order_and_focus_come_back(engine: Engine, home: Path) -> None:
    async with opened(engine, home) as shown:
        shown.app.theme = "jobdeck-light"
        for name in ("one", "two", "three"):
            await shown.start(f"echo I am {name}; sleep 1000", name=name, persist_on_release=True)
        await shown.press("2", "tab")
        shown.deck.focus_pane()
        await shown.until(lambda: "I am two" in shown.pane_text() and shown.deck.area.pane_has_focus)
    async with opened(engine, home) as shown:
        await shown.until(lambda: len(shown.deck.area.order) == 3)
        assert [shown.deck.store.name_of(name) for name in shown.deck.area.order] == ["one", "two", "three"]
        await shown.until(lambda: "I am two" in shown.pane_text() and shown.deck.area.pane_has_focus)
        assert shown.app.theme == "jobdeck-light"


async def test_panes_side_by_side_come_back(engine: Engine, home: Path) -> None:
    async with opened(engine, home, size=(200, 50)) as shown:
        for name in ("one", "two", "three"):
            await shown.start(f"echo I am {name}; sleep 1000", name=name, persist_on_release=True)
        await shown.press("v")
        await shown.until(lambda: len(shown.deck.area.split.names) == 2)
        together = [shown.deck.store.name_of(name) for name in shown.deck.area.split.names]
    async with opened(engine, home, size=(200, 50)) as shown:
        await shown.until(lambda: len(shown.deck.area.split.names) == 2)
        assert [shown.deck.store.name_of(name) for name in shown.deck.area.split.names] == together
        await shown.until(lambda: all(f"I am {name}" in shown.screen_text() for name in together))


async def test_tabs_come_back_in_order_though_their_jobs_become_known_in_another(engine: Engine, home: Path) -> None:
    ids = {name: engine.spawn(JobSpec(command="sleep 1000", name=name)).result().session_id for name in "abc"}
    memory = Memory(home)
    memory.save(Remembered(tabs=("proc_0123456789ab", ids["c"], ids["a"]), active=ids["a"]))
    memory.close()
    async with opened(engine, home) as shown:
        await shown.until(lambda: len(shown.deck.area.order) == 2)
        assert [shown.deck.store.name_of(name) for name in shown.deck.area.order] == ["c", "a"]
        await shown.until(lambda: shown.deck.area.active == shown.deck.area.order[1])


async def test_a_tab_of_a_job_that_is_over_is_read_back_and_a_killed_one_stays_away(home: Path) -> None:
    with Engine() as engine:
        async with opened(engine, home) as shown:
            done = await shown.start("echo that was it", name="done")
            await shown.until(lambda: not done.live and "that was it" in shown.pane_text())
            await shown.start("sleep 1000", name="killed")
            await shown.press("q")
            await shown.until(lambda: "Kill and leave" in shown.screen_text())
            await shown.press("x")
            await shown.until(lambda: not shown.app.is_running)
    with Engine() as engine:
        async with opened(engine, home) as shown:
            await shown.until(lambda: "that was it" in shown.pane_text())
            await shown.until(lambda: "read back from its receipt" in shown.screen_text())
            assert [shown.deck.store.name_of(name) for name in shown.deck.area.order] == ["done"]


async def test_a_job_of_the_file_has_one_row_and_its_tab_whether_it_runs_anew_or_not(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jobdeck.toml").write_text(
        '[jobs.serve]\ncommand = "echo I serve; exec sleep 7471"\nautostart = true\n'
        '[jobs.build]\ncommand = "echo I build"\n'
    )
    monkeypatch.chdir(tmp_path)
    with Engine(configuration=load(base=BASE), runs_jobs=True) as engine:
        async with opened(engine, home) as shown:
            await shown.until(lambda: "serve" in shown.stack_text() and "build" in shown.stack_text())
            slots = {slot.job.name: slot for slot in shown.deck.store}
            await shown.until(lambda: slots["serve"].live)
            for name in ("build", "serve"):
                shown.deck.area.open(slots[name].id)
            shown.deck.stack.select(slots["serve"].id)
            shown.engine.restart(slots["build"].job.session_id).result()
            await shown.until(lambda: slots["build"].job.label == "exit 0")
            await shown.press("x")
            await shown.until(lambda: not slots["serve"].live)
            await shown.press("q")
            await shown.until(lambda: not shown.app.is_running)
    with Engine(configuration=load(base=BASE), runs_jobs=True) as engine:
        async with opened(engine, home) as shown:
            await shown.until(lambda: "I serve" in shown.pane_text() and len(shown.deck.area.order) == 2)
            await shown.until(
                lambda: all(slot.job.label == "exit 0" for slot in shown.deck.store if slot.job.place == 2)
            )
            rows = [(slot.id, slot.job.name) for slot in shown.deck.store]
            assert [name for _, name in rows] == ["serve", "build"], "each has one row"
            serve, build = (slot_id for slot_id, _ in rows)
            assert shown.deck.area.order == (build, serve) and shown.deck.area.active == serve
            old = shown.deck.store.get(build)
            assert old is not None and (old.job.label, old.job.place) == ("exit 0", 2)
            before = old.job.session_id
            shown.deck.stack.select(build)
            shown.deck.area.turn_to(build)
            await shown.until(lambda: "read back from its receipt" in shown.screen_text())
            await shown.press("r")
            await shown.until(lambda: shown.deck.store.job(before) is None and "read back" not in shown.screen_text())
            assert len(shown.deck.store) == 2


async def test_what_the_operator_does_goes_before_what_was(engine: Engine, home: Path) -> None:
    old = engine.spawn(JobSpec(command="sleep 1000", name="old")).result().session_id
    memory = Memory(home)
    memory.save(Remembered(tabs=("proc_0123456789ab",), active="proc_0123456789ab", in_pane=True))
    memory.close()
    async with opened(engine, home) as shown:
        await shown.press("down")
        await shown.until(lambda: shown.deck.touched)
        assert shown.deck.focused is shown.deck.stack
    assert old


async def test_how_it_stands_is_saved_without_leaving(engine: Engine, home: Path) -> None:
    async with opened(engine, home) as shown:
        slot = await shown.start("sleep 1000", name="one")
        path = home / "console.json"
        await shown.until(lambda: path.exists() and saved(home)["tabs"] == [slot.job.session_id])
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["{", '{"theme": 3}', '{"theme": "", "more": 1}', "[]", "[" * 100_000])
async def test_a_file_that_cant_be_read_is_kept_aside_and_told(engine: Engine, home: Path, content: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "console.json").write_text(content)
    async with opened(engine, home) as shown:
        await shown.until(lambda: any("console.json can't be read" in said for said in shown.said))
        assert shown.app.theme == "jobdeck-dark"
    aside = list(home.glob("console.json.corrupt-*"))
    assert [path.read_text() for path in aside] == [content]


async def test_an_unknown_theme_is_no_trouble(engine: Engine, home: Path) -> None:
    memory = Memory(home)
    memory.save(Remembered(theme="mine"))
    memory.close()
    async with opened(engine, home) as shown:
        assert shown.app.theme == "jobdeck-dark"
