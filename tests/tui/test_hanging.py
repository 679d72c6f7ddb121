"""Long values of the drawer's lines go on below themselves."""

import pytest
from rich.cells import cell_len

from tui.show.hanging import hanging


def text_of(rows: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def test_a_long_value_goes_on_under_itself_each_piece_in_its_style() -> None:
    rows = hanging([(" env  ", "quiet"), ("abcdefghij", "plain"), ("12345", "loud")], 14)
    assert text_of(rows) == [" env  abcdefgh", "      ij12345"]
    assert rows[1][1:] == [("ij", "plain"), ("12345", "loud")]


@pytest.mark.parametrize("width", [10, 14, 15, 20, 60])
def test_no_row_is_wider_than_its_room_and_no_character_is_lost(width: int) -> None:
    value = "日本語のパスは/とても/長い👩‍👩‍👧 path e\u0301" * 3
    rows = hanging([(" l", ""), (value, "")], width)
    assert all(cell_len(row) <= width for row in text_of(rows))
    assert "".join(row[2:] for row in text_of(rows)) == value


def test_where_there_is_no_room_it_is_left_to_the_widget() -> None:
    assert hanging([("a label   ", ""), ("value", "")], 12) == [[("a label   ", ""), ("value", "")]]
    assert hanging([], 80) == [[]]
