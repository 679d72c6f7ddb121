"""Raw writes, what was sent before, and the end of input, from the prompt."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

SHOWS = "stty raw -echo; printf 'raw\\r\\n'; exec cat -v"
"""What is typed before the terminal is raw would be signals and an echo."""


async def test_w_writes_what_the_escapes_mean_and_no_enter(console: "Opened") -> None:
    async with console() as shown:
        await shown.start(SHOWS)
        await shown.until(lambda: shown.pane_text() == "raw")
        await shown.press("w")
        await shown.until(lambda: "raw ❯" in shown.screen_text())
        await shown.type(r"a\x03\t\e[A\u0041")
        await shown.press("enter")
        await shown.until(lambda: shown.pane_text() == "raw\na^C\t^[[AA".expandtabs())
        assert not shown.deck.prompt.display


async def test_a_wrong_escape_is_told_and_stays_to_be_mended(console: "Opened") -> None:
    async with console() as shown:
        await shown.start(SHOWS)
        await shown.until(lambda: shown.pane_text() == "raw")
        await shown.press("w")
        await shown.type(r"b\q")
        await shown.press("enter")
        await shown.until(lambda: r"\q is no escape" in shown.screen_text())
        assert shown.deck.prompt.display and shown.pane_text() == "raw"
        await shown.press("backspace", "n")
        await shown.until(lambda: "is no escape" not in shown.screen_text())
        await shown.press("enter")
        await shown.until(lambda: shown.pane_text().startswith("raw\nb"))


async def test_what_is_pasted_into_a_raw_prompt_is_there_as_escapes(console: "Opened") -> None:
    async with console() as shown:
        await shown.start(SHOWS)
        await shown.press("w")
        await shown.paste("one\ntwo\\")
        assert shown.deck.prompt.line.value == r"one\ntwo\\"


async def test_lines_and_raw_writes_have_histories_of_their_own_that_outlive_the_tab(console: "Opened") -> None:
    async with console() as shown:
        first = await shown.start("cat", name="first")
        await shown.press("s", *"hello", "enter", "w", *"raw", "enter")
        await shown.start("cat", name="second")
        await shown.press("s", "up")
        assert shown.deck.prompt.line.value == "", "another job was sent nothing yet"
        await shown.press("escape", "1", "c")
        await shown.until(lambda: first.id not in shown.deck.area.order)
        shown.deck.area.open(first.id)
        await shown.press("s", "up")
        assert shown.deck.prompt.line.value == "hello"
        await shown.press("escape", "w", "up")
        assert shown.deck.prompt.line.value == "raw"
        await shown.press("down")
        assert shown.deck.prompt.line.value == ""


async def test_ctrl_d_on_an_empty_line_ends_the_input(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("cat; echo that was all; read more")
        await shown.press("s", "x", "ctrl+d")
        assert slot.live and shown.deck.prompt.line.value == "x"
        await shown.press("backspace", "ctrl+d")
        await shown.until(lambda: "that was all" in shown.pane_text())


async def test_the_button_ends_the_input(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("cat; exit 3", pty=False, stdin="pipe")
        await shown.press("s")
        await shown.until(lambda: "EOF" in shown.screen_text())
        await shown.pilot.click("#submit-end")
        await shown.until(lambda: not slot.live and slot.job.exit_code == 3)
