"""Only pages and mail, told in printable ASCII, are passed on as links."""

import pytest

from tui.show.links import openable


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
