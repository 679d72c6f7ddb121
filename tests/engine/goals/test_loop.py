"""The loop of a goal: step, judge, verdict, and the limits that pause it (spec 2.7)."""

import json
import os
from pathlib import Path

import pytest
from barriers import Told
from goals import parked, says, script, seen, stands, started
from manual_clock import ManualClock
from waiting import wait_until

from engine import Engine, GoalSpec, JobSpec, Settings, WaitSpec
from engine.results import GoalSaid, Lifted, Refused, WaitSet

COUNT = "echo >> turns; exit $(test $(wc -l < turns) -ge 3; echo $?)"


def test_the_exit_code_judges_until_the_step_succeeds(engine: Engine, tmp_path: Path) -> None:
    told = Told(engine)
    goal_id = started(engine, COUNT, cwd=str(tmp_path))
    view = stands(engine, goal_id, "done")
    assert [(turn.number, turn.verdict, turn.exit_code) for turn in view.turns] == [
        (1, "continue", 1),
        (2, "continue", 1),
        (3, "done", 0),
    ]
    assert (view.turns_used, view.last_verdict, view.last_reason) == (3, "done", "the step: exit 0")
    steps = {row.session_id: row for row in engine.list().result().processes}
    assert set(steps) == {turn.session_id for turn in view.turns}
    assert [goal.turns_used for goal in told.goals] == sorted(goal.turns_used for goal in told.goals)
    assert told.goals[-1] == view
    refusal = engine.goal_pause(goal_id).result()
    assert isinstance(refusal, Refused) and refusal.error == f"goal pause: {goal_id} is done; nothing of it goes on"
    assert seen(engine, goal_id) == view


def test_the_budget_pauses_after_twenty_turns(engine: Engine) -> None:
    view = stands(engine, started(engine, "false"), "paused")
    assert view.turns_used == view.max_turns == 20 and "20 of 20" in view.paused_reason
    said = engine.goal_resume(view.goal_id).result()
    assert isinstance(said, GoalSaid) and (said.goal.status, said.goal.turns_used) == ("active", 0)
    view = stands(engine, view.goal_id, "paused")
    assert view.turns_used == 20 and view.turns[-1].number == 40


@pytest.mark.parametrize(
    ("answer", "status", "verdict"),
    [
        ({"verdict": "done", "reason": "all green"}, "done", "done"),
        ({"done": True}, "done", "done"),
        ({"verdict": "blocked", "reason": "no key"}, "paused", "blocked"),
        ({"verdict": "continue"}, "paused", "continue"),
        ({"done": False}, "paused", "continue"),
        ({"verdict": "perhaps"}, "paused", "continue"),
        ({"verdict": "wait"}, "paused", "continue"),
        ({"verdict": "wait", "wait_on_session": "proc_0123456789ab"}, "paused", "continue"),
        ({"verdict": "wait", "wait_on_pid": 2**22 + 5}, "paused", "continue"),
        ({"verdict": "wait", "wait_for_seconds": -5}, "paused", "continue"),
    ],
)
def test_verdicts(engine: Engine, tmp_path: Path, answer: object, status: str, verdict: str) -> None:
    goal_id = started(engine, "true", says(answer), cwd=str(tmp_path), max_turns=2)
    view = stands(engine, goal_id, status)
    assert view.last_verdict == verdict
    assert view.turns_used == (2 if verdict == "continue" else 1)
    if verdict == "blocked":
        assert view.paused_reason == "blocked: no key"


def test_three_unreadable_answers_in_a_row_pause(engine: Engine, tmp_path: Path) -> None:
    goal_id = started(engine, "true", says("huh", "{}", {"verdict": "continue"}, "a", "[]", ""), cwd=str(tmp_path))
    view = stands(engine, goal_id, "paused")
    assert view.turns_used == 6 and "3 unreadable answers" in view.paused_reason


def test_five_failures_to_run_in_a_row_pause(engine: Engine, tmp_path: Path) -> None:
    told = Told(engine)
    view = stands(engine, started(engine, "true", "cat > /dev/null; exit 3", cwd=str(tmp_path)), "paused")
    assert view.turns_used == 5 and "5 times in a row" in view.paused_reason and "exit 3" in view.paused_reason
    assert any(view.goal_id in notice for notice in told.notices)


def test_a_step_that_can_not_be_started_pauses_at_once(engine: Engine) -> None:
    view = stands(engine, started(engine, "true", cwd="/no/such/folder"), "paused")
    assert view.turns_used == 1 and "/no/such/folder" in view.paused_reason


def test_a_killed_step_pauses(engine: Engine) -> None:
    goal_id = started(engine, "sleep 600")
    wait_until(lambda: seen(engine, goal_id).running.startswith("proc_"))
    step = seen(engine, goal_id).running
    engine.kill(step, now=True).result()
    assert step in stands(engine, goal_id, "paused").paused_reason


def test_a_step_killed_while_the_goal_rests_does_not_pause_it_again(engine: Engine, tmp_path: Path) -> None:
    goal_id = started(engine, "test -e again || { touch again; sleep 600; }", cwd=str(tmp_path))
    wait_until((tmp_path / "again").exists)
    wait_until(lambda: seen(engine, goal_id).running.startswith("proc_"))
    engine.goal_pause(goal_id).result()
    engine.kill(seen(engine, goal_id).running, now=True).result()
    stands(engine, goal_id, "paused", running="")
    engine.goal_resume(goal_id).result()
    assert stands(engine, goal_id, "done").turns_used == 2


def test_a_fault_of_ours_in_a_turn_pauses_and_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_step: object) -> None:
        raise LookupError("a fault of ours")

    told = Told(engine)
    with monkeypatch.context() as patch:
        patch.setattr("engine.goals.judge.by_exit_code", broken)
        goal_id = started(engine, "true")
        assert "a fault of ours" in stands(engine, goal_id, "paused").paused_reason
    assert any("a fault of ours" in notice for notice in told.notices)
    engine.goal_resume(goal_id).result()
    stands(engine, goal_id, "done", turns_used=2)


# -- judges that misbehave --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM; "])
def test_a_judge_that_hangs_is_ended_after_thirty_seconds(
    timed: Engine, clock: ManualClock, tmp_path: Path, stubborn: str
) -> None:
    judge = f"{stubborn}echo $$ >> pids; sleep 601 & sleep 602; sleep 603"
    goal_id = started(timed, "true", judge, cwd=str(tmp_path))
    pids = tmp_path / "pids"
    for turn in range(1, 6):
        stands(timed, goal_id, turns_used=turn)
        wait_until(lambda: clock.rings_in(30) and seen(timed, goal_id).running == "judge")
        wait_until(pids.exists)
        wait_until(lambda: len(pids.read_text().split()) == seen(timed, goal_id).turns_used)
        clock.advance(timed, 29.9)
        assert seen(timed, goal_id).turns_used == turn
        clock.advance(timed, 0.1)
    view = stands(timed, goal_id, "paused")
    assert view.turns_used == 5 and "no answer in 30 s" in view.paused_reason


def test_a_judge_may_write_as_much_as_it_likes_and_read_nothing(engine: Engine, tmp_path: Path) -> None:
    flood = script(
        tmp_path,
        "flood.py",
        "import sys, os\nos.close(0)\nsys.stderr.write('x' * 3_000_000)\nprint('noise' * 1000)\n"
        'print(\'{"verdict": "done", "reason": "so be it"}\')\n',
    )
    view = stands(engine, started(engine, "seq 200000", flood), "done")
    assert view.last_reason == "so be it"


def test_an_endless_answer_is_unreadable_and_costs_no_memory(engine: Engine, tmp_path: Path) -> None:
    view = stands(engine, started(engine, "true", "yes | head -c 3000000", max_turns=9), "paused")
    assert "unreadable" in view.paused_reason and "longer than" in view.paused_reason


def test_what_a_judge_leaves_behind_holds_nothing_up(engine: Engine) -> None:
    judge = """(sleep 604 & sleep 605 &) ; echo '{"verdict": "done"}'"""
    stands(engine, started(engine, "sleep 606 &", judge), "done")


def test_a_judge_is_asked_all_it_is_promised(engine: Engine, tmp_path: Path) -> None:
    server = engine.spawn(JobSpec(command="echo listening; sleep 600", name="server")).result()
    wait_until(lambda: "listening" in getattr(engine.poll(server.session_id).result(), "output_preview", ""))
    judge = """cat > asked.json; echo '{"done": true}'"""
    goal_id = started(engine, "echo 2 failed; exit 1", judge, cwd=str(tmp_path), goal="all pass", max_turns=7)
    view = stands(engine, goal_id, "done")
    asked = json.loads((tmp_path / "asked.json").read_text())
    assert (asked["goal"], asked["goal_id"], asked["turn"], asked["max_turns"]) == ("all pass", goal_id, 1, 7)
    assert asked["step"]["exit_code"] == 1 and asked["step"]["output"] == "2 failed\n"
    assert asked["step"]["session_id"] == view.turns[0].session_id
    (job,) = asked["background"]
    assert (job["session_id"], job["pid"], job["command"]) == (
        server.session_id,
        server.pid,
        "echo listening; sleep 600",
    )
    assert {"uptime", "patterns", "watch_hit", "notify", "tail"} < set(job) and job["tail"] == "listening\n"


# -- barriers ---------------------------------------------------------------------------------------------------------


def test_a_parked_goal_uses_no_turn_and_goes_on_by_the_signal(engine: Engine, tmp_path: Path) -> None:
    told = Told(engine)
    job = engine.spawn(JobSpec(command="cat", stdin="pipe")).result().session_id
    judge = says({"verdict": "wait", "wait_on_session": job, "reason": "the build"}, {"verdict": "done"})
    goal_id = started(engine, "echo >> steps", judge, cwd=str(tmp_path))
    view = parked(engine, goal_id)
    assert view.barrier is not None and view.running == ""
    assert (view.barrier.kind, view.barrier.session_id, view.barrier.on) == ("session", job, "any")
    assert (view.barrier.reason, view.barrier.goal_id, view.turns_used) == ("the build", goal_id, 1)
    engine.close(job).result()
    view = stands(engine, goal_id, "done")
    assert view.turns_used == 2 and view.barrier is None and (tmp_path / "steps").read_text() == "\n\n"
    assert told.release().outcome == "exit"


def test_a_job_s_own_pattern_goes_on_also_what_came_while_the_judge_was_thinking(
    engine: Engine, tmp_path: Path
) -> None:
    told = Told(engine)
    spec = JobSpec(command="while read line; do echo $line; done", stdin="pipe", watch_patterns=("BUILT",))
    job = engine.spawn(spec).result().session_id
    os.mkfifo(tmp_path / "fifo")
    wait = json.dumps({"verdict": "wait", "wait_on_session": job})
    answer = f"test $(wc -l < n) -le 2 && echo '{wait}' || echo '{{\"done\": 1}}'"
    judge = f"cat > asked; cat fifo > /dev/null; echo >> n; {answer}"
    goal_id = started(engine, "true", judge, cwd=str(tmp_path))

    def judged(turn: int, line: str = "") -> None:
        wait_until(lambda: seen(engine, goal_id).turns_used == turn and seen(engine, goal_id).running == "judge")
        if line:
            engine.submit(job, line).result()
            wait_until(lambda: line in getattr(engine.poll(job).result(), "output_preview", ""))
        with (tmp_path / "fifo").open("w"):
            pass

    judged(1, "BUILT meanwhile")
    judged(2)
    parked(engine, goal_id)
    assert json.loads((tmp_path / "asked").read_text())["background"][0]["watch_hit"]
    engine.submit(job, "BUILT again").result()
    judged(3)
    stands(engine, goal_id, "done")
    assert [event.release.text for event in told.releases] == ["BUILT meanwhile", "BUILT again"]


def test_a_pid_and_a_time_park_too_and_the_session_is_preferred(
    timed: Engine, clock: ManualClock, tmp_path: Path
) -> None:
    told = Told(timed)
    job = timed.spawn(JobSpec(command="cat", stdin="pipe")).result()
    judge = says(
        {"verdict": "wait", "wait_on_pid": job.pid, "wait_for_seconds": 50},
        {"verdict": "wait", "wait_for_seconds": 50},
        {"verdict": "done"},
    )
    goal_id = started(timed, "true", judge, cwd=str(tmp_path))
    assert parked(timed, goal_id).barrier.kind == "pid"  # type: ignore[union-attr]
    timed.close(job.session_id).result()
    wait_until(lambda: (barrier := seen(timed, goal_id).barrier) and barrier.kind == "time")
    clock.advance(timed, 49.9)
    assert seen(timed, goal_id).turns_used == 2
    clock.advance(timed, 0.1)
    stands(timed, goal_id, "done", turns_used=3)
    assert [event.release.outcome for event in told.releases] == ["gone", "time"]


def test_setting_one_barrier_replaces_the_other_and_unwait_is_true_once(engine: Engine, tmp_path: Path) -> None:
    told = Told(engine)
    goal_id = started(
        engine, "true", says({"verdict": "wait", "wait_for_seconds": 600}, {"done": True}), cwd=str(tmp_path)
    )
    first = parked(engine, goal_id).barrier
    assert first is not None
    second = engine.goal_wait(goal_id, WaitSpec(seconds=900, reason="lunch")).result()
    assert isinstance(second, WaitSet) and told.release(first.barrier_id).outcome == "replaced"
    assert parked(engine, goal_id).barrier == second.barrier
    assert isinstance(engine.goal_wait(goal_id, WaitSpec(pid=1)).result(), Refused)
    assert parked(engine, goal_id).barrier == second.barrier
    assert isinstance(engine.goal_wait(goal_id, WaitSpec(seconds=5, then="true")).result(), Refused)
    lifted = [engine.goal_unwait(goal_id).result() for _once_more in range(2)]
    assert [isinstance(one, Lifted) and one.lifted for one in lifted] == [True, False]
    stands(engine, goal_id, "done")
    assert told.release(second.barrier.barrier_id).outcome == "lifted"


@pytest.mark.parametrize("verb", ["pause", "resume", "clear"])
def test_pause_resume_and_clear_drop_the_barrier(engine: Engine, tmp_path: Path, verb: str, home: Path) -> None:
    told = Told(engine)
    goal_id = started(
        engine, "true", says({"verdict": "wait", "wait_for_seconds": 600}, {"done": True}), cwd=str(tmp_path)
    )
    barrier = parked(engine, goal_id).barrier
    assert barrier is not None
    said = getattr(engine, f"goal_{verb}")(goal_id).result()
    assert isinstance(said, GoalSaid) and said.goal.barrier is None
    assert told.release(barrier.barrier_id).outcome == "lifted"
    if verb == "resume":
        stands(engine, goal_id, "done")
    elif verb == "clear":
        assert isinstance(engine.goal_status(goal_id).result(), Refused)
        wait_until(lambda: not list((home / "goals").glob("goal_*")))
    else:
        view = stands(engine, goal_id, "paused")
        assert view.turns_used == 1 and isinstance(engine.goal_wait(goal_id, WaitSpec(seconds=5)).result(), Refused)


def test_a_wait_that_never_ends_gives_up_and_the_goal_goes_on(
    timed: Engine, clock: ManualClock, tmp_path: Path
) -> None:
    told = Told(timed)
    job = timed.spawn(JobSpec(command="sleep 600")).result().session_id
    goal_id = started(
        timed, "true", says({"verdict": "wait", "wait_on_session": job}, {"done": True}), cwd=str(tmp_path)
    )
    parked(timed, goal_id)
    clock.advance(timed, 1799)
    assert seen(timed, goal_id).barrier is not None
    clock.advance(timed, 1)
    stands(timed, goal_id, "done")
    assert told.release().outcome == "expired" and any(goal_id in notice for notice in told.notices)


def test_a_pause_leaves_the_step_to_its_end_and_asks_no_judge(engine: Engine, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    goal_id = started(engine, "cat fifo", "echo >> judged; echo '{\"done\": true}'", cwd=str(tmp_path))
    wait_until(lambda: seen(engine, goal_id).running)
    engine.goal_pause(goal_id, "coffee").result()
    assert seen(engine, goal_id).running
    with (tmp_path / "fifo").open("w"):
        pass
    view = stands(engine, goal_id, "paused", running="")
    assert view.paused_reason == "coffee" and not (tmp_path / "judged").exists()
    engine.goal_resume(goal_id).result()
    stands(engine, goal_id, "done")
    assert (tmp_path / "judged").read_text() == "\n"


def test_clearing_ends_a_step_that_runs(engine: Engine) -> None:
    goal_id = started(engine, "sleep 600 & sleep 601")
    wait_until(lambda: seen(engine, goal_id).running)
    step = seen(engine, goal_id).running
    engine.goal_clear(goal_id).result()
    wait_until(lambda: getattr(engine.poll(step).result(), "completion_reason", "") == "killed")


@pytest.mark.parametrize(
    "spec",
    [
        GoalSpec(goal="", step="true"),
        GoalSpec(goal="x", step=" "),
        GoalSpec(goal="x", step="true", judge=""),
        GoalSpec(goal="x", step="true", max_turns=-1),
        GoalSpec(goal="x", step="a\0b"),
        GoalSpec(goal="x\0", step="true"),
    ],
)
def test_what_is_no_goal_is_refused_in_words(engine: Engine, spec: GoalSpec, home: Path) -> None:
    refusal = engine.goal_start(spec).result()
    assert isinstance(refusal, Refused) and len(refusal.error) > 20 and not list(home.glob("goals/*.json"))


def test_a_goal_s_unknown_id_is_not_found(engine: Engine) -> None:
    for call in (engine.goal_status("goal_12345678"), engine.goal_pause("goal_12345678"), engine.goal_pause("")):
        refusal = call.result()
        assert isinstance(refusal, Refused) and refusal.status == "not_found"


@pytest.mark.usefixtures("no_fd_leak")
def test_leaving_in_the_middle_of_a_step_leaves_an_active_goal(home: Path) -> None:
    with Engine(Settings(term_grace_seconds=0.4)) as engine:
        goal_id = started(engine, "sleep 600")
        wait_until(lambda: seen(engine, goal_id).running)
    with Engine() as engine:
        view = seen(engine, goal_id)
        assert (view.status, view.turns_used, view.host_pid) == ("active", 1, 0)
        assert view.turns[0].ended_at is None
