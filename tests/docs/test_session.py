"""The recorded session is whole: a cast that players understand, chapters for its story, and the picture made of it."""

import json
from itertools import pairwise

from guide import DOCS, ROOT

from docs import animate, recorder, session

CAST = DOCS / "session.cast"


def test_the_cast_tells_the_story_in_its_chapters() -> None:
    head, *events = map(json.loads, CAST.read_text().splitlines())
    assert (head["version"], head["width"], head["height"]) == (2, recorder.COLS, recorder.ROWS)
    assert [text for _at, kind, text in events if kind == "m"] == [name for name, _chapter in session.STORY]
    times = [at for at, _kind, _text in events]
    assert times == sorted(times)
    assert all(after - before <= session.LONGEST + 0.01 for before, after in pairwise(times))


def test_the_picture_shows_what_the_terminal_showed_and_is_small_enough_for_a_page() -> None:
    found, size = animate.frames(CAST)
    drawn = (DOCS / "session.svg").read_text()
    assert drawn == animate.draw(found, size), "'make session' or 'python -m docs.animate' makes it anew"
    assert len(drawn) < 1_500_000
    assert "session.svg" in (ROOT / "README.md").read_text()
    words = ("waits for db", "OperationalError", "stopping the bundler", "can live on", "while you were away")
    pictures = ["".join(frame.rows) for frame in found]
    assert [word for word in words if not any(word in picture for picture in pictures)] == []
