"""Wide characters and clusters in one cell grid, as wide as what draws them believes."""

import pytest
import wcwidth

from engine.terminal.widths import NARROW_RANGES, WIDE_RANGES, parse_ranges
from tests.engine.terminal.screens import fed, texts

CLUSTERS = {
    "👨\u200d💻": 2,
    "⚠\ufe0f": 2,
    "⚠": 1,
    "🇫🇷": 2,
    "👍🏽": 2,
    "🏃\u200d♂\ufe0f": 2,
    "❤\ufe0f\u200d🔥": 2,
    "1\ufe0f\u20e3": 2,
    "日": 2,
    "x\u0323": 1,
    "각": 2,
    "\u1100\u1161\u11a8": 2,
}


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_cluster_is_one_cell(cluster: str, size: int) -> None:
    from engine.terminal import Screen, Stream

    screen = Screen(20, 3)
    stream = Stream(screen)
    text = f"a{cluster}b"
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size])
    width = CLUSTERS[cluster]
    assert screen.buffer[0][1].data == cluster
    assert screen.buffer[0][1 + width].data == "b"
    assert [screen.buffer[0][x].data for x in range(2, 1 + width)] == [""] * (width - 1)
    assert screen.text(0) == text
    assert screen.cursor.x == 2 + width


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_rich_draws_a_cluster_as_wide(cluster: str) -> None:
    cells = pytest.importorskip("rich.cells")
    assert cells.cell_len(cluster) == CLUSTERS[cluster]


def test_classes_of_the_tokenizer_agree_with_wcwidth() -> None:
    for ranges, width in ((NARROW_RANGES, 1), (WIDE_RANGES, 2)):
        for low, high in parse_ranges(ranges):
            wrong = [hex(code) for code in range(low, high + 1) if wcwidth.wcwidth(chr(code)) != width]
            assert not wrong, wrong[:5]


ROWS = [
    ("overwriting the left half blanks the right", "日本\x1b[1;1HX", ["X 本"]),
    ("overwriting the right half blanks the left", "日本\x1b[1;2HX", [" X本"]),
    ("a wide one over two halves", "日本\x1b[1;2H漢", [" 漢"]),
    ("no room in the last column", "a" * 19 + "日", ["a" * 19, "日"]),
    ("no room and no wrap", "\x1b[?7l" + "a" * 20 + "日", ["a" * 18 + "日"]),
    ("erasing half blanks the other", "日本\x1b[1;2H\x1b[K", [""]),
    ("deleting half blanks the other", "日本\x1b[1;2H\x1b[P", ["  本"[1:]]),
    ("inserting within blanks both", "日本\x1b[1;2H\x1b[@", ["   本"]),
    ("a cluster that grows at the margin moves", "a" * 19 + "⚠\ufe0fb", ["a" * 19, "⚠\ufe0fb"]),
    ("text goes on after what has no width", "\ufeffa\u200bb\u202ec", ["abc"]),
    ("a mark at the margin", "a" * 20 + "\u0323", ["a" * 19 + "a\u0323"]),
    ("a mark in the first column", "\u0301a", ["a"]),
    ("two flags", "🇫🇷🇩🇪", ["🇫🇷🇩🇪"]),
    ("a modifier after a letter is alone", "a🏽", ["a🏽"]),
    ("REP of a wide character", "日\x1b[2b", ["日日日"]),
]


@pytest.mark.parametrize(("data", "rows"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_halves_and_margins(data: str, rows: list[str]) -> None:
    screen = fed(data)
    assert texts(screen)[: len(rows)] == [row.replace("a\u0323", "ạ") for row in rows]
    for y in range(screen.lines):
        cells = [screen.buffer[y][x].data for x in range(screen.columns)]
        assert all(cell or (x and wcwidth.wcswidth(cells[x - 1]) == 2) for x, cell in enumerate(cells))


def test_a_cell_holds_a_bounded_number_of_marks() -> None:
    assert len(fed("a" + "\u0323\u0301" * 5000).buffer[0][0].data) <= 33
