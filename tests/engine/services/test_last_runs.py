"""What a job of the file did under an earlier jobdeck comes back as its last run, in its row."""

from pathlib import Path

from file_jobs import Jobs, Run, edit

from engine.events import JobState
from engine.results import Recalled, Refused, Started

TEXT = """
[jobs.again]
command = "echo it was here; exec sleep 7461"
autostart = true
[jobs.once]
command = "echo once; exit 3"
"""


def killed_by_hand(run: Run) -> tuple[str, str]:
    """A jobdeck that is over now, with a job of each kind; the last runs of both."""
    first = run(TEXT)
    again = first.runs("again").session_id
    first.engine.kill(again).result()
    started = first.engine.restart(first.row("once").session_id).result()
    assert isinstance(started, Started)
    first.until("once", lambda row: row.label == "exit 3")
    assert first.row("again").state is JobState.EXITED
    first.engine.shutdown()
    return again, started.session_id


def names(jobs: Jobs) -> list[str]:
    """A name a row."""
    return sorted({row.slot: row.name for row in jobs.every()}.values())


def test_a_run_is_its_jobs_last_one_and_started_again_in_its_row(run: Run) -> None:
    _, once = killed_by_hand(run)
    second = run(TEXT)
    second.runs("again")
    slot = second.row("once").slot
    recalled = second.engine.recall(once, in_place=True).result()
    assert isinstance(recalled, Recalled)
    row = second.row("once")
    assert (row.session_id, row.slot, row.label, row.place) == (once, slot, "exit 3", 2)
    assert names(second) == ["again", "once"] and second.count("once") == 1
    assert second.engine.recall(once, in_place=True).result() == recalled
    assert isinstance(second.engine.restart(once).result(), Started), "the file knows what is to run"
    second.until("once", lambda row: row.session_id != once and row.label == "exit 3")
    assert names(second) == ["again", "once"]
    assert second.engine.dismiss(second.row("once").session_id).result().status == "ok"


def test_one_that_runs_anew_keeps_its_row_and_the_old_run_is_there_if_asked_for(run: Run) -> None:
    again, _ = killed_by_hand(run)
    second = run(TEXT)
    runs = second.runs("again")
    assert runs.session_id != again
    answer = second.engine.recall(again, in_place=True).result()
    assert isinstance(answer, Refused) and runs.session_id in answer.error
    assert names(second) == ["again", "once"]
    assert isinstance(second.engine.recall(again).result(), Recalled)
    assert names(second) == ["again", "again", "once"]


def test_one_that_came_back_before_the_file_was_read_is_replaced_in_its_row(run: Run, folder: Path) -> None:
    again, once = killed_by_hand(run)
    second = run("", follows=True)
    for name in (again, once):
        assert isinstance(second.engine.recall(name, in_place=True).result(), Recalled)
    assert names(second) == ["again", "once"]
    edit(folder, TEXT)
    assert second.runs("again").session_id != again
    assert second.until("once", lambda row: row.place == 2).session_id == once
    assert names(second) == ["again", "once"]
