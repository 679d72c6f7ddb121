"""Receipts: on the disk before an end is told, redacted, bounded, and never an end that was another (spec 3.1)."""

import json
import os
import random
import threading
import time
from pathlib import Path

import pytest
from fates import Console, receipt
from goals import stands, started
from viewing import Viewing
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, Settings, StartError
from engine.events import EngineNotice, JobChanged, JobExited, JobView
from engine.registry.tap import RawTap
from engine.results import Refused, Started

FIELDS = {
    *("id", "command", "name", "cwd", "task_id", "owner_task_id", "parent_session_id", "started_at", "exited_at"),
    *("exit_code", "completion_reason", "termination_source", "notify_on_complete", "output", "total_output_chars"),
}


def folder() -> Path:
    return Path(os.environ["JOBDECK_HOME"]) / "logs" / "process-results"


def ended(engine: Engine, spec: JobSpec) -> str:
    session_id = engine.spawn(spec).result().session_id
    engine.wait(session_id).result()
    return session_id


def hang(engine: Engine) -> threading.Event:
    """The disk gives no answer until this is set."""
    answers = threading.Event()

    def wait() -> None:
        answers.wait(10 * PATIENCE)

    engine.registry.writer.perform(Path("hangs"), wait)
    return answers


class Events(Console):
    """What a console was told so far, end by end."""

    def exit_of(self, session_id: str) -> JobView:
        def find() -> JobView | None:
            ends = [one.job for one in self.seen() if isinstance(one, JobExited) and one.job.session_id == session_id]
            assert len(ends) <= 1
            return ends[0] if ends else None

        found = wait_until(find, what="the end to be told")
        assert found is not None
        return found

    def notices(self) -> list[str]:
        return [one.text for one in self.seen() if isinstance(one, EngineNotice)]


def test_a_receipt_says_how_a_job_ended_and_what_it_said(engine: Engine, tmp_path: Path) -> None:
    session_id = ended(
        engine, JobSpec(command="printf '\\033[31mred\\033[0m\\n'; exit 3", name="one", cwd=str(tmp_path))
    )
    found = receipt(session_id)
    assert set(found) == FIELDS
    assert (found["id"], found["name"], found["cwd"]) == (session_id, "one", str(tmp_path))
    assert (found["exit_code"], found["completion_reason"], found["termination_source"]) == (3, "exited", "")
    assert (found["output"], found["total_output_chars"]) == ("\x1b[31mred\x1b[0m\n", 13)
    assert 0 < found["started_at"] <= found["exited_at"] <= time.time()
    assert (
        folder() / f"{session_id}.json"
    ).stat().st_mode & 0o777 == 0o600 and folder().stat().st_mode & 0o777 == 0o700


def test_it_is_there_when_the_end_is_told_and_when_a_waiter_is_released(engine: Engine) -> None:
    there: list[tuple[str, bool, str]] = []
    subscribed = threading.Event()

    def looked() -> list[tuple[str, bool, str]]:
        assert subscribed.wait(PATIENCE)
        exits = [one.job for one in feed.take() if isinstance(one, JobExited)]
        return [(job.session_id, (folder() / f"{job.session_id}.json").exists(), job.receipt) for job in exits]

    feed = engine.events(lambda: there.extend(looked()))
    subscribed.set()
    released: list[bool] = []
    for number in range(30):
        session_id = engine.spawn(JobSpec(command=f"exit {number % 3}")).result().session_id
        call = engine.wait(session_id)
        call.when_done(lambda _call, name=session_id: released.append((folder() / f"{name}.json").exists()))  # type: ignore[misc]
        call.result()
    wait_until(lambda: len(there) == 30 and len(released) == 30)
    assert all(released)
    assert [(exists, receipt) for _, exists, receipt in there] == [
        (True, str(folder() / f"{session_id}.json")) for session_id, _, _ in there
    ]


def test_command_and_output_are_redacted_and_only_they(engine: Engine) -> None:
    secret = "ghp_" + "a1B2" * 9
    session_id = ended(engine, JobSpec(command=f"echo {secret}; env", env={"API_TOKEN": "hunter2hunter2hunter2"}))
    raw = (folder() / f"{session_id}.json").read_text()
    assert secret not in raw and "hunter2hunter2" not in raw
    found = receipt(session_id)
    assert found["command"] == "echo ghp_a1...a1B2; env" and "ghp_a1...a1B2" in found["output"]


def test_the_newest_200_000_characters_are_kept_from_a_lines_start_on(engine: Engine) -> None:
    session_id = ended(engine, JobSpec(command="seq 100000"))
    found = receipt(session_id)
    whole = "".join(f"{number}\n" for number in range(1, 100_001))
    assert found["total_output_chars"] == len(whole)
    assert 199_900 < len(found["output"]) <= 200_000 and whole.endswith("\n" + found["output"])


def test_a_character_cut_off_by_the_end_is_one_replacement_on_the_disk_too(engine: Engine) -> None:
    session_id = ended(engine, JobSpec(command="printf 'x\\303'"))
    assert (receipt(session_id)["output"], receipt(session_id)["total_output_chars"]) == ("x\ufffd", 2)


def test_a_kill_that_races_the_exit_has_one_author_on_the_disk_and_in_the_view(engine: Engine) -> None:
    events, chance, reasons = Events(engine), random.Random(7), []
    for _ in range(25):
        session_id = engine.spawn(JobSpec(command="read x", stdin="pipe")).result().session_id
        engine.close(session_id).result()
        time.sleep(chance.choice((0, 0.001, 0.003, 0.01)))
        killed = engine.kill(session_id).result()
        view, found = events.exit_of(session_id), receipt(session_id)
        told = (view.exit_code, view.completion_reason, view.termination_source)
        assert told == (found["exit_code"], found["completion_reason"], found["termination_source"])
        assert (killed.status == "killed") == (found["completion_reason"] == "killed")
        reasons.append(found["completion_reason"])
    assert set(reasons) <= {"killed", "exited"}


def test_every_kind_of_end_has_one(engine: Engine) -> None:
    with pytest.raises(StartError) as failure:
        engine.spawn(JobSpec(argv=("/no/such/program",))).result()
    failed = receipt(failure.value.session_id)
    assert (failed["completion_reason"], failed["exit_code"]) == ("failed_start", failure.value.exit_code)
    assert "No such file" in failed["start_error"]
    running = engine.spawn(JobSpec(command="sleep 7411")).result().session_id
    engine.kill(running).result()
    killed = receipt(running)
    assert (killed["completion_reason"], killed["exit_code"], killed["termination_source"]) == (
        "killed",
        -15,
        "operator",
    )
    again = engine.restart(running).result()
    assert isinstance(again, Started)
    newer = again.session_id
    engine.kill(newer).result()
    assert receipt(newer)["parent_session_id"] == running


def test_steps_and_judges_have_theirs_and_a_foreground_run_none(engine: Engine) -> None:
    goal_id = started(engine, "echo step", "echo '{\"done\": true}'")
    stands(engine, goal_id, "done")
    parts = {receipt(path.stem)["goal_part"]: receipt(path.stem) for path in folder().glob("proc_*.json")}
    assert set(parts) == {"step", "judge"} and {one["task_id"] for one in parts.values()} == {goal_id}
    read_end, write_end = os.pipe()
    tap = RawTap(None, write_end, write_end)
    events = Events(engine)
    session_id = engine.foreground(JobSpec(command="echo seen"), tap).result().session_id
    view = events.exit_of(session_id)
    tap.finish()
    assert tap.wait_written(PATIENCE)
    for descriptor in (read_end, write_end):
        os.close(descriptor)
    assert (view.receipt, view.receipt_pending) == ("", False)
    assert not (folder() / f"{session_id}.json").exists()


def test_the_newest_64_of_a_week_stay(settings: Settings) -> None:
    with Engine(settings) as engine:
        first = [ended(engine, JobSpec(command="true")) for _ in range(3)]
        old = time.time() - 8 * 86_400
        path = folder() / f"{first[0]}.json"
        path.write_text(json.dumps({**receipt(first[0]), "started_at": old, "exited_at": old}))
        later = [ended(engine, JobSpec(command="true")) for _ in range(63)]
        # One may stay a moment longer: while the ledger still says that it runs.
        wait_until(
            lambda: [row.session_id for row in engine.results().result().results] == [*reversed(later), first[2]]
        )
        assert {one.stem for one in folder().glob("*.json")} == {first[2], *later}
        # Also by who only looks.
        path = folder() / f"{later[5]}.json"
        path.write_text(json.dumps({**receipt(later[5]), "started_at": old, "exited_at": old}))
        assert len(engine.results().result().results) == 63
        assert not path.exists()


def test_what_can_not_be_parsed_is_moved_aside_and_told_and_the_rest_is_read(engine: Engine) -> None:
    good = [ended(engine, JobSpec(command=f"echo {number}")) for number in range(2)]
    bad = {
        "proc_000000000001": b"",
        "proc_000000000002": b"\0" * 4096,
        "proc_000000000003": (folder() / f"{good[0]}.json").read_bytes()[:-20],
        "proc_000000000004": (folder() / f"{good[0]}.json").read_bytes(),
        "proc_000000000005": b"[" * 100_000,
        "proc_000000000006": b'{"id": "proc_000000000006"}',
        "proc_000000000007": json.dumps({**receipt(good[0]), "id": "proc_000000000007", "exited_at": 1e300}).encode(),
    }
    for name, data in bad.items():
        (folder() / f"{name}.json").write_bytes(data)
    (folder() / "proc_00000000000a.json").mkdir()
    os.mkfifo(folder() / "proc_00000000000b.json")
    (folder() / "proc_00000000000c.json").symlink_to("proc_00000000000c.json")
    (folder() / "notes.txt").write_text("somebody else's")
    events = Events(engine)
    assert [row.session_id for row in engine.results().result().results] == good[::-1]
    for name, data in bad.items():
        (aside,) = folder().glob(f"{name}.json.corrupt-*")
        assert aside.read_bytes() == data
        wait_until(lambda aside=aside: any(aside.name in text for text in events.notices()))  # type: ignore[misc]
    left = sorted(path.name for path in folder().glob("*.json"))
    assert left == sorted(f"{name}.json" for name in good)
    assert len(list(folder().glob("*.corrupt-*"))) == len(bad) + 3 and (folder() / "notes.txt").exists()


def test_a_disk_that_hangs_holds_an_end_up_for_a_while_and_then_no_longer() -> None:
    with Engine(Settings(receipt_wait_seconds=0.2)) as engine:
        events, answers = Events(engine), hang(engine)
        names = [engine.spawn(JobSpec(command=f"echo {number}")).result().session_id for number in range(3)]
        for name in names:
            assert engine.wait(name).result().exit_code == 0  # type: ignore[union-attr]
            view = events.exit_of(name)
            assert view.receipt_pending and not view.receipt
            assert not (folder() / f"{name}.json").exists()
        # Said once, with what to do.
        assert len([text for text in events.notices() if "gives no answer" in text and "Look at" in text]) == 1
        answers.set()
        for number, name in enumerate(names):

            def told_later(name: str = name) -> bool:
                views = [one.job for one in events.seen() if isinstance(one, JobChanged) and one.job.session_id == name]
                return any(view.receipt and not view.receipt_pending for view in views)

            wait_until(told_later)
            assert receipt(name)["output"] == f"{number}\n"


def test_what_waits_for_a_disk_is_written_when_the_engine_ends() -> None:
    with Engine(Settings(receipt_wait_seconds=0.05)) as engine:
        answers = hang(engine)
        running = [engine.spawn(JobSpec(command="sleep 7412")).result().session_id for _ in range(5)]
        name = ended(engine, JobSpec(command="echo last"))
        threading.Timer(0.5, answers.set).start()
    assert receipt(name)["output"] == "last\n"
    assert {receipt(one)["termination_source"] for one in running} == {"quit"}


def test_more_ends_than_are_kept_wait_for_a_hung_disk_as_the_newest() -> None:
    with Engine(Settings(receipt_wait_seconds=0.01, receipts_kept=4)) as engine:
        answers = hang(engine)
        names = [ended(engine, JobSpec(command="true")) for _ in range(10)]
        answers.set()
        wait_until(lambda: {path.stem for path in folder().glob("*.json")} == set(names[-4:]))


def test_results_are_the_owners_its_continuations_and_the_operators(settings: Settings) -> None:
    with Engine(settings) as engine:
        mine = engine.api(Caller("conv_a")).spawn(JobSpec(command="echo mine; exit 4")).result().session_id
        engine.wait(mine).result()
    with Engine(settings) as engine:
        engine.registry.broadcast.postbox.may_receive = lambda owner, caller: (
            owner == caller.owner or (owner, caller.owner) == ("conv_a", "conv_next")
        )
        for caller in (Caller("conv_a"), Caller("conv_next"), Caller()):
            api = engine.api(caller)
            assert [row.session_id for row in api.list().result().processes] == [mine]
            assert [row.session_id for row in api.results().result().results] == [mine]
            assert api.log(mine).result().output == "mine\n"  # type: ignore[union-attr]
            assert api.wait(mine[5:9]).result().exit_code == 4  # type: ignore[union-attr]
            assert api.poll(mine).result().to_dict()["completion_reason"] == "exited"
            assert api.kill(mine).result().status == "already_exited"
        stranger = engine.api(Caller("conv_b"))
        assert stranger.list().result().processes == () and stranger.results().result().results == ()
        for call in (stranger.log(mine), stranger.wait(mine), stranger.poll(mine), stranger.recall(mine)):
            assert call.result().status == "not_found"


def test_a_recalled_result_is_a_finished_job_that_tells_nothing(settings: Settings) -> None:
    agent = Caller("conv_a")
    with Engine(settings) as engine:
        line = "seq 70000; printf '\\033[1mbold\\033[0m\\n'; exit 5"
        spec = JobSpec(command=line, name="numbers", notify_on_complete=True, tags=("t",))
        name = engine.api(agent).spawn(spec).result().session_id
        before = engine.wait(name).result()
        tail = engine.log(name).result()
        engine.api(agent).log(name).result()
    with Engine(settings) as engine:
        events, inbox = Events(engine), engine.api(agent).notices()
        assert engine.recall(name[:9]).result().status == "recalled"
        assert engine.recall(name).result().status == "recalled"
        (view,) = [one.job for one in events.seen() if isinstance(one, JobChanged)]
        assert (
            view.recovered
            and view.receipt
            and view.tags == ("t",)
            and view.name == "numbers"
            and view.label == "exit 5"
        )
        after = engine.wait(name).result()
        assert (after.output, after.exit_code) == (before.output, 5)  # type: ignore[union-attr]
        assert engine.log(name).result().output == tail.output  # type: ignore[union-attr]
        assert engine.log(name).result().total_lines == tail.total_lines == 70_001  # type: ignore[union-attr]
        viewing = Viewing(engine, name)
        assert viewing.ended.wait(PATIENCE)
        assert viewing.text.endswith("70000\n\x1b[1mbold\x1b[0m\n") and viewing.start > 0
        assert viewing.text.split("\n", 1)[0].isdigit()
        again = engine.restart(name).result()
        assert isinstance(again, Refused) and "anew" in again.error
        assert engine.dismiss(name).result().status == "ok"
        assert [row.on_shelf for row in engine.results().result().results] == [False]
        assert inbox.take() == [] and not any(isinstance(one, JobExited) for one in events.seen())


def test_a_terminals_result_is_shown_at_its_size(settings: Settings) -> None:
    with Engine(settings) as engine:
        line = "printf 'one\\r\\ntwo\\033[1;70Hright'; exit 3"
        name = ended(engine, JobSpec(command=line, pty=True, cols=77, rows=11))
        before = engine.screen(name).result()
    assert (receipt(name)["cols"], receipt(name)["rows"]) == (77, 11)
    with Engine(settings) as engine:
        after = engine.screen(name).result()
        assert after == before and not isinstance(after, Refused) and after.lines[0].endswith("right")
        again = engine.restart(name).result()
        assert isinstance(again, Refused) and "anew" in again.error
        assert engine.recall(name).result().status == "recalled"
        assert Viewing(engine, name).text.endswith("right")
