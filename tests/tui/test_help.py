"""The help screen: keys and what they do stand side by side, at any width."""

from typing import TYPE_CHECKING

import pytest

from tui import keymap
from tui.screens.help import KEYS_WIDTH, help_text

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


@pytest.mark.parametrize("width", [40, 68, 120])
def test_what_keys_do_stands_in_a_column_of_its_own(width: int) -> None:
    lines = help_text(width).plain.splitlines()
    column = KEYS_WIDTH + 2
    for key in (key for key in keymap.TABLE if key.keys and key.listed):
        begins = [line for line in lines if line[column:] and key.description.startswith(line[column:])]
        assert {line[:column].strip() for line in begins} & {"", keymap.shown_keys(key)}, key
        assert all(line[column - 1] == " " for line in begins), key
    rows = [line for line in lines[: lines.index("In dialogs")] if line.startswith("  ")]
    assert all(len(line) <= width for line in rows)
    words = " ".join(help_text(width).plain.split())
    assert all(" ".join(key.description.split()) in words for key in keymap.TABLE if key.keys and key.listed)


async def test_the_help_is_wrapped_for_its_screen(console: "Opened") -> None:
    async with console(size=(70, 24)) as shown:
        await shown.press("question_mark")

        def stand_in_one_column() -> bool:
            lines = shown.screen_text().splitlines()
            first = next(
                (number for number, line in enumerate(lines) if "Search all that jobs have printed" in line), -1
            )
            return first >= 0 and lines[first].index("Search") == lines[first + 1].find("go to")

        await shown.until(stand_in_one_column)
