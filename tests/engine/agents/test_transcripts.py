"""Live transcripts: no secret in them, a disk that fails costs no work, and after a week they are gone (spec 4.6)."""

import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from agent_programs import configured
from waiting import PATIENCE, wait_until

from engine import Engine, Settings
from engine.agents import transcript as transcripts
from engine.agents.transcripts import live_folder
from engine.delegation_results import BatchResult, Delegated
from engine.events import EngineNotice
from engine.store.home import home_folder, private_folder

SECRET = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5"


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    with Engine(configuration=configured(settings)) as running:
        yield running


def run(engine: Engine, *tasks: str) -> Delegated:
    given = engine.delegate(tasks, "standin").result()
    assert isinstance(given, Delegated), given
    ended = engine.batch_result(given.batch_id, PATIENCE).result()
    assert isinstance(ended, BatchResult) and ended.status != "running"
    return given


def lines_of(given: Delegated, number: int = 1) -> list[str]:
    return [line.split(" ", 1)[1] for line in Path(given.live_transcripts.paths[number - 1]).read_text().splitlines()]


def test_no_file_of_a_batch_holds_a_secret(engine: Engine) -> None:
    half = len(SECRET) // 2
    printing = f"run printf %s {SECRET[:half]}; run sleep 0.7; run echo {SECRET[half:]}"
    given = run(engine, f"say token {SECRET}", printing)
    engine.send(given.handles[0].subagent_id, SECRET).result()
    engine.shutdown()
    files = [*live_folder(home_folder()).rglob("*"), *(home_folder() / "delegations").iterdir()]
    assert len([one for one in files if one.is_file()]) >= 4
    for path in files:
        assert not path.is_file() or SECRET not in path.read_text(), path
    assert any("ghp_aB...J5" in line or "ghp_aB..." in line for line in lines_of(given))


def test_what_cannot_be_masked_is_withheld(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_more: object) -> str:
        raise RuntimeError("the redactor is broken")

    monkeypatch.setattr(transcripts, "redact", broken)
    monkeypatch.setattr(transcripts, "shown_in_pane", broken)
    given = run(engine, "say the word")
    path = Path(given.live_transcripts.paths[0])
    wait_until(lambda: len(path.read_text().splitlines()) >= 3)  # a batch waits for them, but not for long
    wait_until(lambda: "withheld" in path.read_text())
    assert "the word" not in path.read_text()


def test_a_folder_that_cannot_be_written_costs_no_work(engine: Engine) -> None:
    feed = engine.events()
    live_folder(private_folder(home_folder())).parent.parent.write_text("in the way")
    given = engine.delegate(["say hi"], "standin").result()
    assert isinstance(given, Delegated)
    ended = engine.batch_result(given.batch_id, PATIENCE).result()
    assert isinstance(ended, BatchResult) and ended.results[0].output == "hi\n"
    told = wait_until(
        lambda: [one for one in feed.take() if isinstance(one, EngineNotice) and "transcripts" in one.text]
    )
    assert len(told) == 1 and "its work goes on" in told[0].text


def test_after_a_week_they_are_gone_but_not_those_of_a_batch_that_runs(engine: Engine) -> None:
    old = run(engine, "say old")
    hanging = engine.delegate(["hang"], "standin").result()
    assert isinstance(hanging, Delegated)
    young = run(engine, "say young")
    week_ago = time.time() - 7 * 86_400 - 60
    for given, last_word in (
        (old, '"status": "done",\n  "started_at"'),
        (hanging, '"status": "running",\n      "agent"'),
    ):
        folder = Path(given.live_transcripts.folder)
        wait_until(partial(_holds, folder / "manifest.json", last_word))
        for path in folder.iterdir():
            os.utime(path, (week_ago, week_ago))
    newest = run(engine, "say new")
    left = {one.name for one in live_folder(home_folder()).iterdir()}
    assert left == {hanging.batch_id, young.batch_id, newest.batch_id}
    engine.stop(hanging.batch_id).result()


def _holds(path: Path, text: str) -> bool:
    return path.exists() and text in path.read_text()


def test_a_flood_is_cut_and_its_end_is_told(settings: Settings) -> None:
    import msgspec

    small = msgspec.structs.replace(settings, transcript_chars=20_000)
    with Engine(configuration=configured(small)) as engine:
        given = run(engine, "run seq 1 300000; say last")
        # A batch waits for its transcripts, but not for long.
        wait_until(lambda: lines_of(given)[-1] == "system | ✓ finished")
        lines = lines_of(given)
        assert len("\n".join(lines)) < 400_000
        assert any("the rest is in its job's output" in line for line in lines)
