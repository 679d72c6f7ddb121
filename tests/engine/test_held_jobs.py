"""Jobs that outlive their engine, under a holder: taken over whole by the next one (spec 3.4)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from held import Deck, adopted, end_all_held, folder_of, numbered, text_of
from waiting import wait_until

from engine import Engine
from engine.process.identity import is_alive


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, in which nobody is left at the end."""
    path = tmp_path / "home"
    monkeypatch.setenv("JOBDECK_HOME", str(path))
    yield path
    end_all_held()


FLOOD = "i=0; while [ $i -lt 60000 ]; do echo $i; i=$((i+1)); done; read x; echo got $x; exit 7"


@pytest.mark.parametrize("pty", [False, True])
def test_engine_killed_in_a_flood_and_the_next_has_the_job_whole(home: Path, pty: bool) -> None:
    with Deck() as deck:
        session_id = deck.start(command=FLOOD, pty=pty, stdin="pipe" if not pty else "null", cols=90, rows=20)
        wait_until(lambda: "100\n" in deck.output(session_id))
        if pty:
            deck.call("resize", session_id, 77, 33)
        deck.kill()
    with Engine() as engine:
        held = adopted(engine, session_id)
        wait_until(lambda: numbered(text_of(engine, session_id))[-1:] == [59999])
        assert numbered(text_of(engine, session_id)) == [*range(60000)]
        view = engine.call("view", lambda: engine.registry.jobs[session_id].view()).result()
        assert view.recovered and view.persist_on_release and (view.cols, view.rows) == ((77, 33) if pty else (0, 0))
        assert view.command == FLOOD
        assert engine.submit(session_id, "word").result().status == "ok"
        waited = engine.wait(session_id).result()
        assert (waited.exit_code, waited.completion_reason) == (7, "exited")  # type: ignore[union-attr]
        assert "got word" in text_of(engine, session_id)
        wait_until(lambda: not is_alive(held.holder) and not folder_of(home, session_id).exists())
