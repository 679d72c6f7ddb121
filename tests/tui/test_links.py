"""Only pages and mail, told in printable ASCII, are passed on as links."""

from typing import TYPE_CHECKING

import pytest

from tui.show.addresses import addresses
from tui.show.links import openable

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


@pytest.mark.parametrize("target", ["http://a.example/b?c=d#e", "HTTPS://a", "mailto:a@b.example", "ftp://a/b"])
def test_these_are_passed_on(target: str) -> None:
    assert openable(target) == target


@pytest.mark.parametrize(
    "target",
    [
        *("", "http:", "javascript:alert(1)", "file:///etc/passwd", "x-man://ls", "http://a b", " http://a"),
        *("http://a\x1b]52;c;\x07", "http://a\u202eb", "http://a\x9c", "http://a\n", "http://日本/"),
    ],
)
def test_these_are_not(target: str) -> None:
    assert openable(target) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://example.com/a_(b)?c=d#e.", ["https://example.com/a_(b)?c=d#e"]),
        ('(http://a.b), <https://c.d/>; "https://e.f"', ["http://a.b", "https://c.d/", "https://e.f"]),
        ("http://[::1]:8080/x", ["http://[::1]:8080/x"]),
        ("ftp://a.b file:///etc/passwd javascript:alert(1) https:// xhttps", []),
        ("日本 https://例え.jp/ https://ok.jp/日本", ["https://ok.jp/"]),
    ],
)
def test_addresses_end_where_the_sentence_goes_on(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in addresses(text)] == found


async def test_an_address_in_plain_text_is_a_link_over_all_its_rows(console: "Opened") -> None:
    address = "https://example.com/" + "path/" * 30
    async with console() as shown:
        slot = await shown.start(f"printf '日本 %s, and more\\n' {address}; seq 1 100; sleep 1000")
        await shown.until(lambda: "100" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("g")
        view = shown.pane(slot).view
        await shown.until(lambda: "https" in shown.pane_text())
        linked = [
            segment.text for y in range(4) for segment in view.render_line(y) if segment.style and segment.style.link
        ]
        assert "".join(linked) == address
        assert {s.style.link for y in range(4) for s in view.render_line(y) if s.style and s.style.link} == {address}
