"""The newest point from which a flood can be shown."""

import pytest

from engine.terminal import Screen, Stream, newest_reset
from tests.engine.terminal.screens import texts


@pytest.mark.parametrize(
    ("text", "alternate", "point"),
    [
        ("a\x1bcb\x1bcd", False, (4, False)),
        ("a\x1b[2Jb", False, None),
        ("a\x1b[2Jb", True, (1, True)),
        ("\x1b[?1049ha\x1b[2Jb\x1b[2Jc", False, (14, True)),
        ("\x1b[2Ja\x1b[?1049lb", True, None),
        ("\x1b[?1049ha\x1b[?1049lb", False, None),
        ("\x1bc\x1b[?1049ha\x1b[?1049lb", False, (0, False)),
        ("plain", True, None),
    ],
)
def test_the_newest_reset(text: str, alternate: bool, point: tuple[int, bool] | None) -> None:
    assert newest_reset(text, alternate) == point


def test_the_picture_from_there_is_the_picture() -> None:
    frame = "\x1b[2J\x1b[Hframe {0}\x1b[3;5Hmore of {0}"
    text = "".join(frame.format(n) for n in range(50))
    whole, late = Screen(20, 5), Screen(20, 5)
    Stream(whole).feed("\x1b[?1049h" + text)
    point = newest_reset(text, alternate=True)
    assert point is not None
    assert point[0] > len(text) - 60
    Stream(late).feed("\x1b[?1049h" + text[point[0] :])
    assert texts(late) == texts(whole)
