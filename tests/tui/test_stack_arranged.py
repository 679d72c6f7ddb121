"""What the stack shows and in which order; rows move, and the selection stays on its job."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from command_line import verb
from job_views import ended, running
from textual.widget import Widget

from engine import Engine
from engine.results import JobUse
from engine.wire.server import Server
from tests.tui.conftest import Console, Opened
from tui.app import JobdeckApp
from tui.arranging import Arrangement, Filter, Grouping, Sort, grouped, in_order
from tui.memory import Memory
from tui.screens.deck import DeckScreen
from tui.show.owners import whose
from tui.store import Slot
from tui.widgets.line import width_of


def names(shown: Console) -> list[str]:
    return [shown.deck.store.name_of(slot_id) for slot_id in order(shown)]


def order(shown: Console) -> list[str]:
    return [line.slot_id for line in shown.deck.stack._lines if line.slot_id and not line.second]


def heads(shown: Console) -> list[str]:
    return [line.head for line in shown.deck.stack._lines if line.head]


async def start_three(shown: Console) -> list[Slot]:
    slots = [
        await shown.start("echo api; sleep 1000", name="zebra", tags=("web",), open_tab=False),
        await shown.start("sleep 1000", name="ape", open_tab=False),
        await shown.start("exit 3", name="gnu", tags=("batch", "web"), open_tab=False),
    ]
    await shown.until(lambda: not slots[2].live and slots[0].job.last_line == "api")
    shown.deck.set_focus(shown.deck.stack)
    await shown.press("home")
    return slots


async def type_filter(shown: Console, text: str) -> None:
    await shown.press("slash")
    shown.deck.filter.line.value = ""
    await shown.type(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("EBR", ["zebra"]), ("sleep", ["zebra", "ape"]), ("#web", ["zebra", "gnu"]), ("failed", ["gnu"]),
        ("exit 3", ["gnu"]), ("running web", ["zebra"]), ("nothing", []),
    ],
)  # fmt: skip
async def test_the_filter_finds_names_commands_tags_and_states(console: Opened, text: str, left: list[str]) -> None:
    async with console() as shown:
        await start_three(shown)
        await type_filter(shown, text)
        await shown.until(lambda: names(shown) == left)
        await shown.until(lambda: f"{3 - len(left)} hidden" in shown.screen_text())
        assert shown.deck.stack.selected in order(shown) if left else shown.deck.stack.selected is None
        await shown.press("enter")
        assert shown.deck.focused is shown.deck.stack
        await shown.press("escape")
        await shown.until(lambda: names(shown) == ["zebra", "ape", "gnu"] and not shown.deck.filter.display)
        assert shown.deck.stack.selected is not None


async def test_keys_are_text_while_a_filter_is_typed_and_arrows_move(console: Opened) -> None:
    async with console() as shown:
        slots = await start_three(shown)
        await shown.press("slash", "z", "backspace", "e")
        await shown.until(lambda: shown.deck.filter.line.value == "e" and names(shown) == ["zebra", "ape", "gnu"])
        await shown.press("down")
        await shown.until(lambda: shown.deck.stack.selected == slots[1].id)
        assert slots[0].live
        await shown.press("escape")
        await shown.until(lambda: not shown.deck.filter.display and shown.deck.focused is shown.deck.stack)


async def test_the_selected_job_stays_in_sight_though_it_no_longer_fits(console: Opened) -> None:
    async with console() as shown:
        slots = await start_three(shown)
        await type_filter(shown, "running")
        await shown.until(lambda: names(shown) == ["zebra", "ape"])
        await shown.press("enter", "end")
        assert shown.deck.stack.selected == slots[1].id and names(shown) == ["zebra", "ape"]
        await shown.press("X")
        await shown.until(lambda: not slots[1].live)
        await shown.press("r")  # the key is for the same job as the one before
        await shown.until(lambda: slots[1].live)
        await shown.press("X")
        await shown.until(lambda: not slots[1].live)
        await shown.press("up")
        await shown.until(lambda: names(shown) == ["zebra"])


async def test_sorting_keeps_the_selection_on_its_job(console: Opened) -> None:
    async with console() as shown:
        slots = await start_three(shown)
        selected = shown.deck.stack.selected
        seen = {}
        for _ in Sort:
            await shown.press("comma")
            seen[shown.deck.stack.arrangement.sort] = names(shown)
            await shown.until(lambda: f"by {shown.deck.stack.arrangement.sort}" in shown.deck.stack_title.plain)
            assert shown.deck.stack.selected == selected == slots[0].id
        assert seen[Sort.NAME] == ["ape", "gnu", "zebra"]
        assert seen[Sort.STATE] == ["gnu", "zebra", "ape"]
        assert seen[Sort.START] == ["zebra", "ape", "gnu"]


async def test_a_job_that_ends_or_writes_goes_where_it_belongs(console: Opened) -> None:
    async with console() as shown:
        slots = await start_three(shown)
        shown.deck.stack.rearrange(sort=Sort.STATE)
        assert names(shown) == ["gnu", "zebra", "ape"]
        shown.deck.stack.select(slots[1].id)
        await shown.press("x")
        await shown.until(lambda: not slots[1].live)
        shown.deck.stack.rearrange(sort=Sort.OUTPUT)
        talker = await shown.start("read line; echo said; sleep 1000", name="talker", open_tab=False)
        await shown.until(lambda: names(shown)[0] == "talker")
        newest = await shown.start("echo newest; sleep 1000", name="newest", open_tab=False)
        await shown.until(lambda: names(shown)[0] == "newest" and newest.job.last_line == "newest")
        shown.engine.submit(talker.job.session_id, "go").result()
        await shown.until(lambda: names(shown)[0] == "talker")


async def test_groups_by_tag_place_and_state_or_none(console: Opened) -> None:
    async with console() as shown:
        await start_three(shown)
        found = {}
        for _ in Grouping:
            await shown.press("g")
            found[shown.deck.stack.arrangement.group] = (heads(shown), names(shown))
        assert found[Grouping.TAG] == (["#batch", "#web", "no tag"], ["gnu", "zebra", "ape"])
        assert found[Grouping.PLACE] == (["this console"], ["zebra", "ape", "gnu"])
        assert found[Grouping.STATE] == (["failed", "running"], ["gnu", "zebra", "ape"])
        assert found[Grouping.NONE] == ([], ["zebra", "ape", "gnu"])
        assert found[Grouping.OWNER] == (["operator"], ["zebra", "ape", "gnu"])


async def test_the_mouse_sorts_and_takes_the_filter_away(console: Opened) -> None:
    async with console(size=(160, 40)) as shown:
        await start_three(shown)
        title = shown.deck.stack_title
        await shown.until(lambda: title.plain.endswith("by start"))
        for width in range(32, 60):
            left, right = title.pieces(width)
            assert right and width_of([*left, *right]) <= width - 2, "it reads as one with the counts"
        await shown.pilot.click("#stack-title", offset=(title.plain.index("start"), 0))
        await shown.until(lambda: shown.deck.stack.arrangement.sort is Sort.STATE)
        await type_filter(shown, "ape")
        await shown.until(lambda: names(shown) == ["ape"])
        said = shown.deck.filter._said
        await shown.until(lambda: "×" in said.plain and said.region.width > said.plain.index("×"))
        await shown.pilot.click("#filter-said", offset=(said.plain.index("×"), 0))
        await shown.until(lambda: len(names(shown)) == 3)


async def test_news_that_change_no_row_paint_none(console: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    async with console() as shown:
        slots = await start_three(shown)
        stack = shown.deck.stack
        stack.rearrange(sort=Sort.NAME, group=Grouping.STATE, words="e")
        await shown.pilot.pause()
        painted: list[object] = []
        monkeypatch.setattr(stack, "refresh", lambda *regions, **_: painted.append(regions))
        stack._lay_out()
        stack.put(shown.deck.store)
        stack.rearrange(sort=Sort.NAME)
        assert not painted
        stack.touch([slots[0].id])
        assert len(painted) == 1


@asynccontextmanager
async def at_home(engine: Engine, home: Path) -> AsyncIterator[Console]:
    app = JobdeckApp(engine, (), Memory(home))
    async with app.run_test(size=(140, 40), notifications=True) as pilot:
        await pilot.pause()
        deck = app.screen_stack[0]
        assert isinstance(deck, DeckScreen)
        shown = Console(engine, app, pilot, deck)
        await shown.until(lambda: deck.focused is not None and deck.area.size.area, "the main screen")
        yield shown


async def test_filter_sort_and_grouping_come_back(engine: Engine, tmp_path: Path) -> None:
    async with at_home(engine, tmp_path) as shown:
        await start_three(shown)
        await type_filter(shown, "sleep")
        await shown.until(lambda: names(shown) == ["zebra", "ape"])
        await shown.press("enter", "comma", "g")
        await shown.until(lambda: shown.deck.stack.arrangement == Arrangement("sleep", Sort.STATE, Grouping.TAG))
    async with at_home(engine, tmp_path) as shown:
        await shown.until(lambda: names(shown) == ["zebra", "ape"])
        assert shown.deck.stack.arrangement == Arrangement("sleep", Sort.STATE, Grouping.TAG)
        await shown.until(lambda: "1 hidden" in shown.screen_text())
        assert shown.deck.filter.line.value == "sleep"
        await shown.press("escape")
        await shown.until(lambda: len(names(shown)) == 3)


def test_a_remembered_word_that_is_not_known_is_as_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "console.json").write_text('{"sort": "of what was", "group": "tag"}')
    memory = Memory(tmp_path)
    assert memory.last.group == "tag" and not memory.troubles


def slots_of(*views: object) -> list[Slot]:
    return [Slot(view) for view in views]  # type: ignore[arg-type]


def test_numbers_in_names_count_as_numbers() -> None:
    slots = slots_of(running("task-10"), running("task-9"), running("Task-1"), running("7"))
    assert [slot.job.name for slot in in_order(slots, Sort.NAME)] == ["7", "Task-1", "task-9", "task-10"]


def test_the_hungriest_first_and_what_has_ended_last() -> None:
    slots = slots_of(ended("over"), running("small"), running("big"), running("unknown"))
    slots[1].use = JobUse(session_id="proc_small", cpu=0.1, rss=900, processes=1, stopped=False, waiting=False)
    slots[2].use = JobUse(session_id="proc_big", cpu=0.9, rss=100, processes=1, stopped=False, waiting=False)
    assert [slot.job.name for slot in in_order(slots, Sort.CPU)] == ["big", "small", "over", "unknown"]
    assert [slot.job.name for slot in in_order(slots, Sort.MEMORY)] == ["small", "big", "over", "unknown"]


def test_a_filter_sees_that_a_job_has_another_state_now() -> None:
    slots = slots_of(running("one"))
    filter_ = Filter()
    assert filter_.fitting(slots, "run")
    slots[0].job = ended("one", 1)
    assert not filter_.fitting(slots, "run") and filter_.fitting(slots, "fail")


def test_owners_whose_short_names_are_alike_stay_apart() -> None:
    slots = slots_of(running("a", owner="conv_7f3a11"), running("b", owner="conv_7f3a22"), running("c"))
    groups = grouped(slots, Grouping.OWNER)
    assert [[slot.job.name for slot in group.slots] for group in groups] == [["c"], ["a"], ["b"]]


def test_what_was_started_in_ones_own_shell_stands_under_that_before_the_agents() -> None:
    agent, shell, its = "conv_7f3a11", "shell_02bd33", "shell_02bd33/77aa88"
    slots = slots_of(running("a", owner=agent), running("b", owner=shell), running("c"), running("d", owner=its))
    heads_then = [group.head for group in grouped(slots, Grouping.OWNER)]
    assert heads_then == ["operator", "shell", "agent · conv 7f3a", "agent · shell/77aa"]
    assert [whose(owner) for owner in ("", shell, agent, its)] == [
        "operator",
        "shell",
        "agent conv 7f3a",
        "agent shell/77aa",
    ]


def test_the_command_line_without_a_token_is_a_shell(engine: Engine) -> None:
    with Server(engine, "console"):
        started = verb("start", "--", "true")
        assert started.exit_code == 0, started.stderr
        (row,) = engine.list().result().processes
    assert whose(row.owner_task_id) == "shell"


async def test_no_style_of_stack_or_view_hangs_on_the_focus(console: Opened) -> None:
    def styles(widget: Widget) -> list[object]:
        own: list[object] = [dict(widget.styles.base.get_rules())]
        return [
            *own,
            *(dict(widget.get_component_styles(name).get_rules()) for name in widget._get_component_classes()),
        ]

    async with console() as shown:
        await shown.start("sleep 1000", name="one")
        view = shown.deck.area.view
        assert view is not None
        for _ in range(2):
            await shown.press("tab")
            assert shown.app.focused in (shown.deck.stack, view)
            for widget in (shown.deck.stack, view):  # they don't have themselves styled anew when it comes or goes
                before = styles(widget)
                widget.update_node_styles(animate=False)
                assert styles(widget) == before
