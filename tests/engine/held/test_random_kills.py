"""Engines killed at any moment, one after another: a held job loses nothing and repeats nothing (spec 3.4)."""

import random
import time
from pathlib import Path

import pytest
from held import Deck, adopted, numbered, text_of
from patient import patient

from engine import Engine

COUNTS = (
    "i=0; while [ $i -lt 60000 ]; do echo $i; i=$((i+1)); done; printf '{}\\n';"
    "until [ -e go ]; do sleep 0.02; done; exit 11"
)
WORD = "\\303\\251\\342\\202\\254"


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("pty", [False, True])
def test_killed_again_and_again(home: Path, tmp_path: Path, pty: bool, seed: int) -> None:
    chance = random.Random(seed)
    with Deck() as deck:
        session_id = deck.start(command=COUNTS.format(WORD), pty=pty, cwd=str(tmp_path))
        time.sleep(chance.random() / 10)
        deck.kill()
    for _ in range(5):
        with Deck() as deck:
            deck.call("list")
            time.sleep(chance.random() / 3)
            deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        (tmp_path / "go").touch()
        assert engine.wait(session_id).result().exit_code == 11  # type: ignore[union-attr]
        text = text_of(engine, session_id)
        assert numbered(text) == [*range(60_000)]
        assert text.split()[-1] == "\u00e9\u20ac"
