"""The verbs: exact fields, ids, input, size, signals, restart, the shelf (spec 1.2, 1.6)."""

import sys
import time
from pathlib import Path

import pytest
from patient import patient
from sizes import SIZES
from viewing import Viewing
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, EventFeed, JobSpec, Settings, SpecError, StartError
from engine.events import Event, JobChanged, JobDismissed, JobExited, JobStarted, Snapshot
from engine.results import Refused, Result, Started

READ = ("bash", "-c", "while IFS= read -r x; do echo got:$x; done; echo over")
RAW = ("bash", "-c", "stty raw -echo; echo ready; dd bs=1 count=40 2>/dev/null | od -An -c | tr -s ' '; stty sane")


def preview(engine: Engine, session_id: str) -> str:
    return str(engine.poll(session_id).result().to_dict()["output_preview"])


def start(engine: Engine, spec: JobSpec) -> str:
    return engine.spawn(spec).result().session_id


def fields(answer: Result) -> set[str]:
    return set(answer.to_dict())


def test_list_has_exactly_the_fields_of_the_specification(engine: Engine) -> None:
    started = engine.spawn(JobSpec(command="echo hi; sleep 7330", name="api", cwd="/tmp")).result()
    wait_until(lambda: preview(engine, started.session_id) == "hi\n")
    (row,) = engine.list().result().processes
    assert fields(row) == set(
        "session_id name command cwd pid owner_task_id started_at uptime_seconds status output_preview watch_patterns "
        "watch_hit notify_on_complete exit_code exited_at completion_reason persist_on_release detached".split()
    )
    assert (row.name, row.cwd, row.status, row.pid, row.exit_code) == ("api", "/tmp", "running", started.pid, None)
    assert started.session_id.startswith("proc_") and len(started.session_id) == 17


def test_poll_and_wait_have_their_fields(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="echo hi; exit 4"))
    waited = engine.wait(session_id).result()
    assert waited.to_dict() == {
        "status": "exited",
        "session_id": session_id,
        "output": "hi\n",
        "exit_code": 4,
        "completion_reason": "exited",
    }
    polled = engine.poll(session_id).result().to_dict()
    assert polled["status"] == "exited"
    assert set(polled) == set("status session_id pid uptime_seconds output_preview exit_code completion_reason".split())


def test_a_wait_that_times_out_is_no_error_and_says_what_next(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="sleep 7331"))
    answer = engine.wait(session_id, 0.05).result().to_dict()
    assert answer["status"] == "timeout"
    assert answer["process_running"] is True
    assert "wait again" in answer["timeout_note"]
    assert engine.wait(session_id, 0).result().status == "error"
    assert engine.wait(session_id, -1).result().status == "error"


def test_too_long_a_wait_is_clamped_and_says_so() -> None:
    with Engine(Settings(wait_max_seconds=0.1)) as engine:
        session_id = start(engine, JobSpec(command="sleep 7332"))
        answer = engine.wait(session_id, 999).result().to_dict()
        assert "999" in answer["timeout_note"] and "0.1" in answer["timeout_note"]


def test_who_waits_when_the_engine_goes_is_told(settings: Settings) -> None:
    engine = Engine(settings)
    session_id = start(engine, JobSpec(command="trap '' TERM; while :; do sleep 0.05; done"))
    waiting = engine.wait(session_id, 60)
    engine.shutdown()
    assert waiting.result().to_dict()["status"] == "interrupted"


def test_ids_by_prefix_and_never_a_guess(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="sleep 7333"))
    digits = session_id.removeprefix("proc_")
    for good in (session_id, digits, session_id[:9], digits[:4]):
        assert engine.poll(good).result().to_dict()["session_id"] == session_id
    for bad in (session_id[:8], digits[:3], "proc_", "nothing", "proc_zzzz"):
        answer = engine.poll(bad).result()
        assert isinstance(answer, Refused)
        assert answer.status == "not_found"
        assert bad in answer.error
    missing = engine.kill("").result()
    assert isinstance(missing, Refused)
    assert missing.status == "error" and "kill" in missing.error


@pytest.mark.parametrize("spec", [JobSpec(argv=READ, pty=True), JobSpec(argv=READ, stdin="pipe")])
def test_lines_go_in_and_end_of_file_ends_them(engine: Engine, spec: JobSpec) -> None:
    session_id = start(engine, spec)
    assert engine.submit(session_id, "one").result().to_dict() == {"status": "ok", "bytes_written": 4}
    wait_until(lambda: "got:one\n" in preview(engine, session_id))
    assert engine.write(session_id, "two\n").result().to_dict() == {"status": "ok", "bytes_written": 4}
    wait_until(lambda: "got:two\n" in preview(engine, session_id))
    engine.write(session_id, "unfinished").result()
    engine.close(session_id).result()
    assert engine.wait(session_id).result().to_dict()["exit_code"] == 0
    assert "over\n" in preview(engine, session_id)


def test_enter_is_a_carriage_return_of_its_own_in_raw_mode(engine: Engine) -> None:
    session_id = start(engine, JobSpec(argv=RAW, pty=True))
    wait_until(lambda: "ready" in preview(engine, session_id))
    assert engine.submit(session_id, "ab").result().to_dict()["bytes_written"] == 3
    closed = engine.close(session_id).result()
    assert isinstance(closed, Refused) and "keys" in closed.error
    engine.write(session_id, "x" * 37).result()
    wait_until(lambda: "a b \\r x" in preview(engine, session_id).replace("\n", " "), what="the bytes as they arrived")


def test_text_is_bracketed_where_the_program_asked_for_it(engine: Engine) -> None:
    script = "stty raw -echo; printf '\\033[?2004hready\\n'; dd bs=1 count=15 2>/dev/null | od -An -c | tr -s ' '"
    session_id = start(engine, JobSpec(argv=("bash", "-c", script), pty=True))
    wait_until(lambda: "ready" in preview(engine, session_id))
    engine.submit(session_id, "ab").result()
    wait_until(lambda: "[ 2 0 0 ~ a b 033 [ 2 0 1 ~ \\r" in preview(engine, session_id).replace("\n", ""))


def test_a_line_the_kernel_would_cut_is_refused_whole(engine: Engine) -> None:
    session_id = start(engine, JobSpec(argv=("bash", "-c", "read -r x; echo ${#x}"), pty=True))
    engine.write(session_id, "a" * 4000).result()
    answer = engine.write(session_id, "b" * 96).result()
    assert isinstance(answer, Refused)
    assert "4,096" in answer.error and "4,095" in answer.error
    assert engine.submit(session_id, "b" * 95).result().status == "ok"
    wait_until(lambda: "4095" in preview(engine, session_id).split(), what="the whole line's length")


def test_input_nobody_reads_is_queued_then_refused_and_never_blocks(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="sleep 7334", stdin="pipe"))
    for _ in range(16):
        assert engine.write(session_id, "x" * 65_536).result().status == "ok"
    answer = engine.write(session_id, "x" * 200_000).result()
    assert isinstance(answer, Refused)
    assert answer.retry and "not reading" in answer.error


def test_without_stdin_the_error_says_how_to_get_one(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="sleep 7335"))
    for call in (engine.write(session_id, "x"), engine.submit(session_id, "x"), engine.close(session_id)):
        answer = call.result()
        assert isinstance(answer, Refused)
        assert "pty=true" in answer.error and "stdin='pipe'" in answer.error


def test_a_terminal_has_its_size_from_the_start_and_follows(engine: Engine) -> None:
    session_id = start(engine, JobSpec(argv=(sys.executable, "-c", SIZES), pty=True, cols=97, rows=31))
    wait_until(lambda: preview(engine, session_id) == "31 97\n")
    for cols, rows in ((1, 1), (200, 60), (80, 24)):
        engine.resize(session_id, cols, rows).result()
        wait_until(lambda: preview(engine, session_id).endswith(f"{rows} {cols}\n"))  # noqa: B023
    assert preview(engine, session_id) == "31 97\n1 1\n60 200\n24 80\n"
    for cols, rows in ((0, 5), (5, -1), (10_001, 5)):
        assert engine.resize(session_id, cols, rows).result().status == "error"
    assert engine.resize(start(engine, JobSpec(command="sleep 7336")), 80, 24).result().status == "error"


def test_questions_without_state_are_answered(engine: Engine) -> None:
    script = (
        "stty raw -echo; printf '\\033[5n'; IFS= read -r -d n a; printf '\\033['; sleep 0.1; printf 'c'; "
        "IFS= read -r -d c b; printf '\\033[18t'; IFS= read -r -d t c; stty sane; "
        'printf "%q|%q|%q\\n" "$a" "$b" "$c"'
    )
    session_id = start(engine, JobSpec(argv=("bash", "-c", script), pty=True, cols=90, rows=20))
    engine.wait(session_id).result()
    assert "$'\\E[0'|$'\\E[?62;22'|$'\\E[8;20;90'" in preview(engine, session_id)


@pytest.mark.parametrize("name", ["USR1", "sigusr1", "SIGUSR1"])
def test_a_signal_reaches_the_group_and_ends_no_record(engine: Engine, name: str) -> None:
    script = 'trap "echo caught" USR1; echo up; while :; do sleep 0.02; done'
    session_id = start(engine, JobSpec(argv=("bash", "-c", script)))
    wait_until(lambda: "up" in preview(engine, session_id))
    assert engine.signal(session_id, name).result().status == "ok"
    wait_until(lambda: "caught" in preview(engine, session_id))
    assert engine.poll(session_id).result().status == "running"


@pytest.mark.parametrize("name", ["NOPE", "", "SIG_DFL", "0", "9"])
def test_an_unknown_signal_is_named(engine: Engine, name: str) -> None:
    session_id = start(engine, JobSpec(command="sleep 7337"))
    answer = engine.signal(session_id, name).result()
    assert isinstance(answer, Refused) and repr(name) in answer.error


def test_restart_keeps_the_slot_and_takes_a_new_id(engine: Engine) -> None:
    feed = engine.events()
    old = start(engine, JobSpec(command="echo run; sleep 7338", name="web", pty=True, cols=70, rows=20))
    engine.resize(old, 88, 22).result()
    new = engine.restart(old).result()
    assert isinstance(new, Started)
    assert new.session_id != old
    begun = [event for event in feed.take() if isinstance(event, JobStarted)]
    assert [(event.replaces, event.job.slot, event.job.name) for event in begun] == [
        ("", old, "web"),
        (old, old, "web"),
    ]
    assert (begun[1].job.cols, begun[1].job.rows) == (88, 22)
    assert engine.poll(old).result().to_dict()["completion_reason"] == "killed"
    again = engine.restart(old).result()
    assert isinstance(again, Refused) and new.session_id in again.error
    engine.kill(new.session_id).result()
    assert isinstance(engine.restart(new.session_id).result(), Started)


def test_two_restarts_at_once_start_one_job(engine: Engine) -> None:
    old = start(engine, JobSpec(command="sleep 7339"))
    answers = [call.result() for call in (engine.restart(old), engine.restart(old))]
    assert sorted(type(answer).__name__ for answer in answers) == ["Refused", "Started"]


def test_the_oldest_finished_leave_the_shelf_and_running_ones_never() -> None:
    with Engine(patient(max_processes=3)) as engine:
        running = start(engine, JobSpec(command="sleep 7340"))
        ids = []
        for _ in range(5):
            ids.append(start(engine, JobSpec(command="true")))
            engine.wait(ids[-1]).result()
        shelf = engine.events().next()
        assert isinstance(shelf, Snapshot)
        assert [job.session_id for job in shelf.jobs] == [running, *ids[-3:]]
        # What they left on the disk outlives the shelf.
        assert [row.session_id for row in engine.list().result().processes] == [running, *ids]


def _more(events: list[Event], feed: EventFeed) -> list[Event]:
    events.extend(feed.take())
    return events


def test_a_finished_job_leaves_the_shelf_after_its_time_counted_from_its_exit() -> None:
    with Engine(Settings(finished_ttl_seconds=0.3)) as engine:
        feed = engine.events()
        session_id = start(engine, JobSpec(command="sleep 0.5"))
        engine.wait(session_id).result()
        events: list[Event] = []
        wait_until(lambda: [one for one in _more(events, feed) if isinstance(one, JobDismissed)], what="an empty shelf")
        (exited,) = [event.job.exited_at for event in events if isinstance(event, JobExited)]
        (dismissed,) = [event for event in events if isinstance(event, JobDismissed)]
        assert dismissed.session_id == session_id
        assert exited is not None and dismissed.at - exited > 0.25


def test_dismiss_takes_finished_jobs_only(engine: Engine) -> None:
    running = start(engine, JobSpec(command="sleep 7341"))
    assert engine.dismiss(running).result().status == "error"
    engine.kill(running).result()
    assert engine.dismiss(running).result().status == "ok"
    assert engine.dismiss(running).result().status == "not_found"


@pytest.mark.parametrize(
    "spec",
    [
        JobSpec(),
        JobSpec(command="x", argv=("x",)),
        JobSpec(command="  "),
        JobSpec(argv=()),
        JobSpec(command="a\0b"),
        JobSpec(command="x", env={"A=B": "c"}),
        JobSpec(command="x", stdin="tty"),
        JobSpec(command="x", kill_order="any"),
        JobSpec(command="x", pty=True, cols=-1),
    ],
)
def test_a_spec_that_contradicts_itself_is_refused(engine: Engine, spec: JobSpec) -> None:
    with pytest.raises(SpecError):
        engine.spawn(spec).result()
    assert engine.list().result().processes == ()


def test_too_long_arguments_are_a_failed_start(engine: Engine) -> None:
    with pytest.raises(StartError, match="too long"):
        engine.spawn(JobSpec(argv=("echo", "x" * 5_000_000))).result()


def test_a_conversation_sees_its_own_jobs_and_the_operator_all(engine: Engine) -> None:
    agent = engine.api(Caller("conv-a"))
    session_id = agent.spawn(JobSpec(command="echo secret; sleep 7342")).result().session_id
    mine = start(engine, JobSpec(command="sleep 7343"))
    assert [row.session_id for row in agent.list().result().processes] == [session_id]
    assert [row.session_id for row in engine.list().result().processes] == [session_id, mine]
    stranger = engine.api(Caller("conv-b"))
    for answer in (
        stranger.poll(session_id).result(),
        stranger.log(session_id).result(),
        stranger.wait(session_id, 1).result(),
        stranger.restart(session_id).result(),
        stranger.attach(session_id, None, lambda _item: None).result(),
    ):
        assert isinstance(answer, Refused)
        assert answer.status == "not_found"


def test_a_job_is_named_after_its_command(engine: Engine) -> None:
    for spec, name in (
        (JobSpec(command="cd /tmp && A=1 sleep 7344"), "sleep 7344"),
        (JobSpec(argv=("/bin/sleep", "7345")), "sleep 7345"),
        (JobSpec(command="sleep 7346", name="a/b [x] 日本"), "a/b [x] 日本"),
    ):
        session_id = start(engine, spec)
        row = next(row for row in engine.list().result().processes if row.session_id == session_id)
        assert row.name == name


def test_an_attachment_is_answered_before_anything_new_is_delivered(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="for i in $(seq 1 2000); do echo $i; done"))
    viewing = Viewing(engine, session_id)
    assert viewing.ended.wait(PATIENCE)
    assert viewing.text.split() == [str(number) for number in range(1, 2001)]
    wrong = engine.attach(session_id, 10**9, lambda _item: None).result()
    assert isinstance(wrong, Refused)


def test_a_wait_wakes_with_the_exit_itself(engine: Engine) -> None:
    session_id = start(engine, JobSpec(argv=("cat",), stdin="pipe"))
    waiting = engine.wait(session_id, 30)
    time.sleep(0.05)
    assert not waiting.done()
    engine.close(session_id).result()
    assert waiting.result().to_dict()["exit_code"] == 0


def test_a_password_prompt_is_told(engine: Engine) -> None:
    feed = engine.events()
    start(engine, JobSpec(argv=("bash", "-c", "read -sp 'Password: ' p; echo; echo got $p; sleep 7347"), pty=True))
    seen: list[bool] = []

    def told() -> list[bool]:
        for event in feed.take():
            if isinstance(event, JobChanged):
                seen.append(event.job.hides_input)
        return seen

    wait_until(lambda: True in told(), what="the view to say that input is hidden")
    (row,) = engine.list().result().processes
    engine.submit(row.session_id, "secret").result()
    wait_until(lambda: not told()[-1], what="the view to say that input shows again")


def test_a_deleted_folder_is_a_failed_start_that_says_so(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(StartError, match="gone"):
        engine.spawn(JobSpec(command="true")).result()
