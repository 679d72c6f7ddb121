"""Nothing that a job writes or is called becomes markup, or does something to the terminal."""

from typing import TYPE_CHECKING

from palette import search

from tui.keymap import BY_ID

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_brackets_are_brackets_everywhere(console: "Opened") -> None:
    markup, name = "[bold red]not [/] markup[/bold]", "n[b]x[/][/b]"
    async with console(size=(160, 40)) as shown:
        slot = await shown.start(f"echo '{markup}'; exit 3", name=name, cols=100)
        await shown.until(lambda: any(markup in said for said in shown.said))
        await shown.until(lambda: f"✗ {name} failed (exit 3)" in shown.screen_text(), "the toast as it is painted")
        await shown.until(lambda: markup in shown.pane_text())
        await shown.until(lambda: not slot.live)
        await shown.until(lambda: name in shown.stack_text())
        await shown.until(lambda: f"exit 3 · {markup[:12]}" in shown.stack_text())
        await shown.until(lambda: f"✗ {name} · exit 3" in shown.screen_text(), "the pane's line")
        await search(shown, "Openn", f"Open {name}")
        await shown.until(lambda: f"Open {name}" in shown.screen_text(), "the palette as it is painted")


async def test_control_characters_in_names_and_lines_show_and_do_nothing(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("printf 'a\\033]52;c;aGk=\\007b\\033]0;title\\007c\\n'; sleep 1000", name="x\x1b[2Jy\x07")
        await shown.until(lambda: shown.pane_text() == "abc")
        text = shown.screen_text()
        assert not any(ord(char) < 32 and char != "\n" for char in text)
        assert "\x9b" not in text


async def test_the_help_shows_every_key_of_the_table(console: "Opened") -> None:
    async with console(size=(120, 80)) as shown:
        await shown.press("question_mark")
        await shown.until(lambda: BY_ID["pane.follow"].description in shown.screen_text())
        await shown.until(lambda: BY_ID["job.kill"].description in shown.screen_text())
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)


async def test_every_size_down_to_one_cell_is_survived(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq 1 100; while sleep 0.2; do echo going; done")
        for width, height in ((1, 1), (3, 2), (20, 5), (59, 10), (60, 20), (99, 24), (300, 80), (1, 40), (120, 1)):
            await shown.pilot.resize_terminal(width, height)
            await shown.press("tab", "question_mark")
            await shown.until(lambda: shown.app.screen is not shown.deck, "the help")
            await shown.press("escape")
            await shown.until(lambda: shown.app.screen is shown.deck)
            await shown.press("tab")
        await shown.pilot.resize_terminal(120, 32)
        await shown.until(lambda: "going" in shown.pane_text())
        await shown.until(
            lambda: all(word in shown.screen_text() for word in ("JOBS", "follow", "q quit", "1 running"))
        )
        assert slot.live


async def test_a_small_terminal_shows_one_thing_at_a_time(console: "Opened") -> None:
    async with console("echo in the pane; sleep 1000", size=(50, 20)) as shown:
        await shown.until(lambda: len(shown.deck.area.order) == 1)
        await shown.until(lambda: "JOBS" in shown.screen_text())
        await shown.press("tab")
        await shown.until(lambda: "in the pane" in shown.screen_text())
        await shown.until(lambda: "JOBS" not in shown.screen_text())
        await shown.press("tab")
        await shown.until(lambda: "JOBS" in shown.screen_text())
