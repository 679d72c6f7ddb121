"""Jobs of the file that are started again: by a policy, by hand, by a changed file, and not when they were stopped."""

import threading
from pathlib import Path
from typing import Any

import psutil
import pytest
from file_jobs import Jobs, Run
from freezing import Freezer
from manual_clock import ManualClock
from waiting import PATIENCE, wait_until

from engine import Call
from engine.events import JobExited, JobState, JobView
from engine.results import Refused, Started, end_text
from engine.services.services import Services
from engine.spec import SpecError


def ended_and_waits(jobs: Jobs, name: str, text: str) -> JobView:
    return jobs.until(name, lambda row: row.state is JobState.EXITED and text in row.waits)


def test_a_stop_during_back_off_stays_a_stop(run: Run) -> None:
    clock = ManualClock()
    jobs = run('[jobs.crash]\ncommand = "exit 1"\nrestart = "on-failure"\nautostart = true\n', clock)
    row = ended_and_waits(jobs, "crash", "restart 1 in 1 s")
    assert jobs.engine.kill(row.session_id).result().status == "already_exited"
    jobs.until("crash", lambda row: not row.waits)
    clock.advance(jobs.engine, 1_000)
    # Whatever a timer could have begun has had its turn before the loop answers this:
    started = jobs.engine.restart(row.session_id).result()
    assert isinstance(started, Started)
    assert jobs.count("crash") == 2


def test_pauses_double_up_to_a_limit_and_then_it_gives_up(run: Run) -> None:
    clock = ManualClock()
    jobs = run(
        '[settings]\nrestart_backoff_most_seconds = 3\n[jobs.crash]\ncommand = "exit 1"\nrestart = "on-failure"\n'
        "max_restarts = 3\nautostart = true\n",
        clock,
    )
    for number, seconds in enumerate((1, 2, 3), 1):
        ended_and_waits(jobs, "crash", f"restart {number} in {seconds} s")
        clock.advance(jobs.engine, seconds - 0.1)
        assert jobs.count("crash") == number
        clock.advance(jobs.engine, 0.1)
    ended_and_waits(jobs, "crash", "no more restarts after 3")
    assert jobs.count("crash") == 4
    clock.advance(jobs.engine, 1_000)
    assert jobs.count("crash") == 4


def test_a_clock_that_is_set_ends_no_pause_and_a_run_that_lasts_begins_them_anew(run: Run, folder: Path) -> None:
    clock = ManualClock()
    jobs = run(
        '[jobs.one]\ncommand = "test -e stay && exec sleep 7399; exit 1"\nrestart = "always"\nautostart = true\n', clock
    )
    ended_and_waits(jobs, "one", "restart 1 in 1 s")
    clock.jump(jobs.engine, 100_000)
    clock.jump(jobs.engine, -200_000)
    assert jobs.count("one") == 1
    clock.advance(jobs.engine, 1)
    ended_and_waits(jobs, "one", "restart 2 in 2 s")
    (folder / "stay").touch()
    clock.advance(jobs.engine, 2)
    lasts = jobs.runs("one")
    clock.jump(jobs.engine, -100_000)
    clock.advance(jobs.engine, 31)
    assert lasts.pid is not None
    psutil.Process(lasts.pid).kill()
    ended_and_waits(jobs, "one", "restart 1 in 1 s")


@pytest.mark.parametrize(
    ("policy", "command", "again"),
    [
        ("never", "exit 1", False),
        ("on-failure", "exit 0", False),
        ("on-failure", "kill -9 $$", True),
        ("always", "exit 0", True),
    ],
)
def test_policies(run: Run, policy: str, command: str, again: bool) -> None:
    clock = ManualClock()
    jobs = run(f'[jobs.one]\ncommand = "{command}"\nrestart = "{policy}"\nautostart = true\n', clock)
    row = jobs.until("one", lambda row: row.state is JobState.EXITED and row.completion_reason == "exited")
    if again:
        ended_and_waits(jobs, "one", "restart 1")
        clock.advance(jobs.engine, 1)
        jobs.until("one", lambda other: other.session_id != row.session_id)
    else:
        clock.advance(jobs.engine, 1_000)
        assert jobs.count("one") == 1


def test_a_running_job_that_is_killed_by_hand_stays_ended_and_one_that_dies_from_outside_does_not(run: Run) -> None:
    clock = ManualClock()
    jobs = run(
        '[jobs.one]\ncommand = "exec sleep 7392"\nrestart = "always"\nautostart = true\n'
        '[jobs.two]\ncommand = "exec sleep 7393"\nrestart = "always"\nautostart = true\n',
        clock,
    )
    one, two = jobs.runs("one"), jobs.runs("two")
    jobs.engine.kill(one.session_id).result()
    assert two.pid is not None
    psutil.Process(two.pid).terminate()
    ended_and_waits(jobs, "two", "restart 1 in 1 s")
    clock.advance(jobs.engine, 1_000)
    jobs.runs("two")
    assert (jobs.count("one"), jobs.count("two")) == (1, 2)


def test_a_storm_of_restarts_leaves_one_process_and_answers_all(run: Run) -> None:
    jobs = run("[jobs.one]\ncommand = \"trap '' TERM; while :; do sleep 7394; done\"\nautostart = true\n")
    first = jobs.runs("one")
    all_asked = threading.Event()  # none is through before the last is asked for
    held = jobs.engine.call("hold", lambda: all_asked.wait(PATIENCE))
    asked = [jobs.engine.restart(first.session_id) for _ in range(10)]
    all_asked.set()
    assert held.result()
    answers = {answer.session_id for call in asked if isinstance(answer := call.result(), Started)}
    assert len(answers) == 1
    last = jobs.row("one")
    assert (last.session_id, jobs.count("one")) == (answers.pop(), 2)
    mine = psutil.Process()
    wait_until(lambda: sum("sleep 7394" in " ".join(_words(one)) for one in mine.children(recursive=True)) <= 2)
    running = [row for row in jobs.every() if row.state is not JobState.EXITED]
    assert [row.session_id for row in running] == [last.session_id]


def test_restarts_one_after_the_other_and_stops_between_them_leave_what_was_asked_for_last(run: Run) -> None:
    jobs = run('[jobs.one]\ncommand = "exec sleep 7395"\nautostart = true\n')
    calls: list[Call[Any]] = []
    jobs.runs("one")
    for _ in range(5):
        session_id = jobs.row("one").session_id
        calls += [jobs.engine.restart(session_id), jobs.engine.kill(session_id), jobs.engine.restart(session_id)]
    for call in calls:
        call.result()
    jobs.runs("one")
    assert sum(row.state is not JobState.EXITED for row in jobs.every()) == 1
    jobs.engine.kill(jobs.row("one").session_id).result()
    assert sum(row.state is not JobState.EXITED for row in jobs.every()) == 0


def test_a_run_that_cannot_be_ended_gets_no_second_beside_it(run: Run, freezer: Freezer) -> None:
    jobs = run(
        "[settings]\nterm_grace_seconds = 0.2\nkill_proof_seconds = 0.3\n"
        '[jobs.one]\ncommand = "exec sleep 7398"\nautostart = true\n'
    )
    first = jobs.runs("one")
    assert first.pid is not None
    freezer.freeze(first.pid)
    refused = jobs.engine.restart(first.session_id).result()
    assert isinstance(refused, Refused)
    assert "the old run can't be ended: 1 of its processes could not be ended" in refused.error
    # The task that keeps it has had its turns before the loop answers this:
    again = jobs.engine.restart(first.session_id).result()
    assert isinstance(again, Refused)
    assert [row.session_id for row in jobs.every()] == [first.session_id]
    freezer.thaw()
    jobs.until("one", lambda row: row.state is JobState.EXITED)
    assert isinstance(jobs.engine.restart(first.session_id).result(), Started)
    assert jobs.count("one") == 2


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_changed_file_restarts_what_runs_and_not_what_was_stopped(run: Run, folder: Path) -> None:
    (folder / "src" / "deep").mkdir(parents=True)
    jobs = run(
        '[jobs.one]\ncommand = "exec sleep 7396"\nautostart = true\nrestart_on_change = ["src/**/*.py"]\n'
        '[jobs.two]\ncommand = "exec sleep 7397"\nautostart = true\nrestart_on_change = ["src/**/*.py"]\n'
        '[jobs.three]\ncommand = "exit 1"\nautostart = true\nrestart_on_change = ["src/**/*.py"]\n'
    )
    one, two = jobs.runs("one"), jobs.runs("two")
    three = jobs.until("three", lambda row: row.completion_reason == "exited")
    jobs.engine.kill(two.session_id).result()
    services = services_of(jobs)
    assert services._changes is not None
    assert services._changes.watching.wait(PATIENCE)
    (folder / "src" / "no.txt").touch()
    (folder / "src" / "deep" / "yes.py").touch()
    jobs.told("one is restarted: src/deep/yes.py has changed")
    jobs.until("one", lambda row: row.session_id != one.session_id and row.state is JobState.RUNNING)
    jobs.until("three", lambda row: row.session_id != three.session_id)
    assert jobs.count("two") == 1


def services_of(jobs: Jobs) -> Services:
    services = jobs.engine._rooms._services
    assert services is not None
    return services


def file_changes(jobs: Jobs, name: str) -> None:
    """As when one of its files has changed."""
    services = services_of(jobs)
    jobs.engine.call("change", lambda: services._by_name[name].restart_soon("app.conf has changed")).result()


def test_a_restart_is_no_kill_of_the_operators_unless_it_was_asked_for(run: Run) -> None:
    jobs = run('[jobs.one]\ncommand = "exec sleep 7396"\nautostart = true\n')
    first = jobs.runs("one")
    feed = jobs.engine.events()
    file_changes(jobs, "one")
    second = jobs.until("one", lambda row: row.session_id != first.session_id and row.state is JobState.RUNNING)
    assert isinstance(jobs.engine.restart(second.session_id).result(), Started)
    jobs.until("one", lambda row: row.session_id != second.session_id and row.state is JobState.RUNNING)
    ends = [event for event in feed.take() if isinstance(event, JobExited)]
    assert [(end.job.session_id, end.job.termination_source) for end in ends] == [
        (first.session_id, ""),
        (second.session_id, "operator"),
    ]
    words = [end_text(end.job.exit_code, end.job.completion_reason, end.job.termination_source) for end in ends]
    assert words == ["terminated (SIGTERM)", "terminated (SIGTERM), killed by the operator"]
    kept = {row.session_id: row.termination_source for row in jobs.engine.results().result().results}
    assert (kept[first.session_id], kept[second.session_id]) == ("", "operator")


def test_a_file_that_changes_while_a_job_ends_by_hand_brings_it_not_back(run: Run, folder: Path) -> None:
    last = "touch asked; while [ ! -e go ]; do sleep 0.02; done; exit"
    stays = f"trap '{last}' TERM; echo up; while :; do sleep 0.02; done"
    jobs = run(
        f"[settings]\nterm_grace_seconds = {PATIENCE}\n"
        f'[jobs.one]\ncommand = "{stays}"\nautostart = true\nready = {{ line = "up" }}\n'
        '[jobs.other]\ncommand = "exec sleep 7396"\nautostart = true\nafter = ["one"]\n'
        '[jobs.last]\ncommand = "true"\n'
    )
    one = jobs.runs("one")
    jobs.runs("other")  # and so ``one`` is up
    killed = jobs.engine.kill(one.session_id)
    wait_until((folder / "asked").exists)
    file_changes(jobs, "one")
    (folder / "go").touch()
    assert killed.result().status == "killed"
    jobs.until("one", lambda row: row.state is JobState.EXITED)
    # The task that keeps it has had its turns before the loop answers this:
    assert isinstance(jobs.engine.restart(jobs.row("last").session_id).result(), Started)
    assert (jobs.row("one").session_id, jobs.count("one")) == (one.session_id, 1)


def test_environment_files_count_below_env_and_a_missing_one_is_told(run: Run, folder: Path) -> None:
    (folder / ".env").write_text('# no\nexport A=1\nB="two # \\"2\\"" # c\nC=\'$x\'\nD=4 # d\n')
    jobs = run(
        '[jobs.one]\ncommand = "echo $A,$B,$C,$D,$HOME"\nenv_file = ".env"\nenv = { D = 5, HOME = false }\n'
        'autostart = true\n[jobs.two]\ncommand = "true"\nenv_file = "none.env"\nautostart = true\n'
    )
    row = jobs.until("one", lambda row: row.completion_reason == "exited")
    assert row.last_line == '1,two # "2",$x,5,'
    two = jobs.until("two", lambda row: bool(row.start_error))
    assert two.start_error == f"the environment file {folder}/none.env can't be read: No such file or directory"
    (folder / "none.env").touch()
    jobs.engine.restart(two.session_id).result()
    ran = jobs.until("two", lambda row: row.exit_code == 0)
    (folder / "none.env").unlink()
    with pytest.raises(SpecError):
        jobs.engine.restart(ran.session_id).result()
    jobs.waits("two", "not started again: the environment file")
