"""What is waited for is released by its own signal, told exactly once, and can never wedge (spec 2.7)."""

import os
import subprocess
import threading
from pathlib import Path

import psutil
import pytest
from barriers import Told
from manual_clock import ManualClock
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, WaitSpec
from engine.barriers.process_end import ProcessEnd
from engine.events import JobExited, Snapshot
from engine.process.identity import Identity, identify
from engine.results import Refused, WaitSet
from engine.waiting import BarrierView

HALF_AN_HOUR = 1800


def standing(engine: Engine, spec: WaitSpec) -> BarrierView:
    found = engine.wait_for(spec).result()
    assert isinstance(found, WaitSet), found
    return found.barrier


def start(engine: Engine, line: str, *, stdin: bool = False) -> str:
    spec = JobSpec(command=line, stdin="pipe" if stdin else "null")
    return engine.spawn(spec).result().session_id


def let_go(engine: Engine, session_id: str) -> None:
    engine.close(session_id).result()


def output_of(engine: Engine, session_id: str) -> str:
    engine.wait(session_id).result()
    return getattr(engine.log(session_id).result(), "output", "")


# -- a job ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "on", "outcome", "happened", "code"),
    [
        ("cat; exit 0", "exit", "exit", True, 0),
        ("cat; exit 3", "exit", "exit", True, 3),
        ("cat; exit 0", "success", "exit", True, 0),
        ("echo broken; cat; exit 3", "success", "ended", False, 3),
        ("cat; exit 3", "any", "exit", True, 3),
    ],
)
def test_a_job_s_end_releases_who_waits_for_it(
    engine: Engine, line: str, on: str, outcome: str, happened: bool, code: int
) -> None:
    told = Told(engine)
    session_id = start(engine, line, stdin=True)
    barrier = standing(engine, WaitSpec(session_id=session_id, on=on))
    assert (barrier.kind, barrier.session_id, barrier.on) == ("session", session_id, on)
    let_go(engine, session_id)
    release = told.release()
    assert (release.outcome, release.happened, release.exit_code) == (outcome, happened, code)
    assert ("broken" in release.output) == (outcome == "ended")
    kinds = [type(event).__name__ for event in told.events]
    assert kinds.index("BarrierSet") < kinds.index("JobExited") < kinds.index("BarrierReleased")


def test_a_job_that_has_ended_already_releases_at_once(engine: Engine) -> None:
    session_id = start(engine, "exit 7")
    engine.wait(session_id).result()
    told = Told(engine)
    standing(engine, WaitSpec(session_id=session_id))
    assert told.release().exit_code == 7


def test_a_kill_is_an_end_too(engine: Engine) -> None:
    told = Told(engine)
    session_id = start(engine, "sleep 600")
    standing(engine, WaitSpec(session_id=session_id))
    engine.kill(session_id, now=True).result()
    release = told.release()
    assert (release.outcome, release.text, release.exit_code) == ("exit", "SIGTERM", -15)


def test_a_line_that_matches_releases_while_the_job_runs_on(engine: Engine) -> None:
    told = Told(engine)
    session = start(engine, "while read line; do echo $line; done", stdin=True)
    barrier = standing(engine, WaitSpec(session_id=session, on="match", pattern=r"/ready on \d+/"))
    for line in ("starting", "ready on", "ready on 8080", "ready on 9090"):
        engine.submit(session, line).result()
    release = told.release(barrier.barrier_id)
    assert (release.outcome, release.happened, release.text) == ("match", True, "ready on 8080")
    assert len(told.releases) == 1


def test_what_was_printed_before_is_found_too_also_in_a_job_that_has_ended(engine: Engine) -> None:
    told = Told(engine)
    session_id = start(engine, "printf 'listening on 3000'")
    engine.wait(session_id).result()
    barrier = standing(engine, WaitSpec(session_id=session_id, on="match", pattern="listening"))
    assert told.release(barrier.barrier_id).outcome == "match"


def test_a_job_that_ends_without_the_line_fails_at_once_with_its_code_and_tail(engine: Engine) -> None:
    told = Told(engine)
    session_id = start(engine, "read x; echo cannot bind port; exit 98", stdin=True)
    standing(engine, WaitSpec(session_id=session_id, on="match", pattern="listening"))
    let_go(engine, session_id)
    release = told.release()
    assert (release.outcome, release.happened, release.exit_code) == ("ended", False, 98)
    assert "cannot bind port" in release.output and "exit 98" in release.text


def test_the_last_line_counts_though_the_job_ends_with_it(engine: Engine) -> None:
    told = Told(engine)
    barriers = []
    for number in range(20):
        session_id = start(engine, f"read x; printf 'it is ready {number}'; exit 1", stdin=True)
        barriers.append(standing(engine, WaitSpec(session_id=session_id, on="match", pattern=f"ready {number}")))
        let_go(engine, session_id)
    assert {told.release(barrier.barrier_id).outcome for barrier in barriers} == {"match"}


def test_any_is_the_exit_or_a_hit_of_the_job_s_own_patterns_from_now_on(engine: Engine) -> None:
    told = Told(engine)
    spec = JobSpec(command="while read line; do echo $line; done", stdin="pipe", watch_patterns=("BUILT",))
    session_id = engine.spawn(spec).result().session_id
    engine.submit(session_id, "BUILT once").result()
    wait_until(lambda: "once" in getattr(engine.poll(session_id).result(), "output_preview", ""))
    barrier = standing(engine, WaitSpec(session_id=session_id, on="any"))
    engine.submit(session_id, "BUILT twice").result()
    release = told.release(barrier.barrier_id)
    assert (release.outcome, release.text) == ("match", "BUILT twice")
    barrier = standing(engine, WaitSpec(session_id=session_id, on="any"))
    let_go(engine, session_id)
    assert told.release(barrier.barrier_id).outcome == "exit"


def test_a_pattern_that_can_not_be_searched_for_is_refused(engine: Engine) -> None:
    session_id = start(engine, "sleep 600")
    for spec in (
        WaitSpec(session_id=session_id, on="match", pattern="/(/"),
        WaitSpec(session_id=session_id, on="match"),
    ):
        refusal = engine.wait_for(spec).result()
        assert isinstance(refusal, Refused) and len(refusal.error) > 20


# -- a process --------------------------------------------------------------------------------------------------------


def strangers_child(folder: Path) -> tuple[subprocess.Popen[bytes], psutil.Process]:
    """A process that is not our child: its parent goes on and can be told to end it."""
    number = folder / "pid"
    parent = subprocess.Popen(
        ["/bin/sh", "-c", f"sleep 600 & echo $! > {number}.new; mv {number}.new {number}; read _; kill $!; wait"],
        stdin=subprocess.PIPE,
    )
    wait_until(number.exists)
    return parent, psutil.Process(int(number.read_text()))


@pytest.mark.usefixtures("no_fd_leak")
def test_another_s_process_releases_at_its_end_and_its_command_is_named(tmp_path: Path) -> None:
    parent, child = strangers_child(tmp_path)
    assert child.ppid() != os.getpid()
    with Engine() as engine:
        told = Told(engine)
        barrier = standing(engine, WaitSpec(pid=child.pid))
        assert (barrier.kind, barrier.pid, barrier.target) == ("pid", child.pid, "sleep 600")
        assert told.releases == []
        assert parent.stdin is not None
        parent.stdin.close()
        release = told.release()
        assert (release.outcome, release.happened) == ("gone", True)
    parent.wait(PATIENCE)


def test_a_zombie_is_gone_though_its_parent_never_looks(engine: Engine, tmp_path: Path) -> None:
    number = tmp_path / "pid"
    script = f"""
import os, time
child = os.fork()
if not child:
    os.read(0, 1); os._exit(0)
open({str(number)!r} + ".new", "w").write(str(child)); os.rename({str(number)!r} + ".new", {str(number)!r})
time.sleep(600)
"""
    import sys

    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
    try:
        wait_until(number.exists)
        pid = int(number.read_text())
        told = Told(engine)
        standing(engine, WaitSpec(pid=pid))
        assert parent.stdin is not None
        parent.stdin.write(b"x")
        parent.stdin.flush()
        assert told.release().outcome == "gone"
        assert psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        again = engine.wait_for(WaitSpec(pid=pid)).result()
        assert isinstance(again, Refused) and again.status == "not_found" and "dead already" in again.error
    finally:
        parent.kill()
        parent.communicate()


def test_a_dead_pid_is_refused_and_so_is_what_never_ends(engine: Engine) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    for pid, status in ((gone.pid, "not_found"), (1, "not_found"), (os.getpid(), "not_found"), (-5, "not_found")):
        refusal = engine.wait_for(WaitSpec(pid=pid)).result()
        assert isinstance(refusal, Refused) and refusal.status == status and refusal.error
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    refusal = engine.wait_for(WaitSpec(pid=thread.native_id or 0)).result()
    stop.set()
    assert isinstance(refusal, Refused) and f"thread of the process {os.getpid()}" in refusal.error


def test_a_number_that_is_somebody_else_s_by_now_counts_as_gone(engine: Engine) -> None:
    other = subprocess.Popen(["sleep", "600"])
    try:
        now = identify(other.pid)
        assert now is not None
        before = Identity(now.pid, now.start_time - 1)
        ends: list[str] = []
        engine.call("watch", lambda: ProcessEnd(engine.registry, before, lambda: ends.append("gone"))).result()
        wait_until(lambda: ends)
        assert ends == ["gone"] and other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_without_a_descriptor_it_looks_instead(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    child = subprocess.Popen(["sleep", "600"])

    def exhausted(_pid: int) -> int:
        raise OSError(24, "Too many open files")

    told = Told(engine)
    monkeypatch.setattr(os, "pidfd_open", exhausted)
    standing(engine, WaitSpec(pid=child.pid))
    engine.list().result()  # a turn of the loop: the watch has begun
    child.kill()
    assert told.release().outcome == "gone"
    child.wait()


# -- a time -----------------------------------------------------------------------------------------------------------


def test_a_time_comes_by_itself(engine: Engine) -> None:
    told = Told(engine)
    barrier = standing(engine, WaitSpec(seconds=0.2))
    release = told.release()
    assert (barrier.kind, release.outcome, release.happened) == ("time", "time", True)
    assert told.releases[0].at >= (barrier.deadline or 0)


def test_deadlines_go_by_the_wall_and_see_it_jump(timed: Engine, clock: ManualClock) -> None:
    told = Told(timed)
    one = standing(timed, WaitSpec(seconds=600))
    other = standing(timed, WaitSpec(until=clock.wall() + 900))
    clock.jump(timed, -5000)
    clock.advance(timed, 700)
    assert told.releases == []
    clock.jump(timed, 5000 + 100 - 700 + 650)
    assert told.release(one.barrier_id).outcome == "time"
    assert len(told.releases) == 1
    clock.jump(timed, 100_000)
    assert told.release(other.barrier_id).outcome == "time"


@pytest.mark.parametrize("spec", [WaitSpec(seconds=-1), WaitSpec(until=1.0), WaitSpec(seconds=1e300)])
def test_a_time_that_can_not_come_is_refused(timed: Engine, spec: WaitSpec) -> None:
    assert isinstance(timed.wait_for(spec).result(), Refused)


# -- giving up --------------------------------------------------------------------------------------------------------


def test_a_wait_gives_up_after_half_an_hour_with_a_notice(timed: Engine, clock: ManualClock) -> None:
    told = Told(timed)
    session_id = start(timed, "sleep 600")
    child = subprocess.Popen(["sleep", "600"])
    for spec in (WaitSpec(session_id=session_id), WaitSpec(pid=child.pid)):
        barrier = standing(timed, spec)
        assert barrier.deadline == clock.wall() + HALF_AN_HOUR
        clock.advance(timed, HALF_AN_HOUR - 1)
        assert not [one for one in told.releases if one.barrier.barrier_id == barrier.barrier_id]
        clock.advance(timed, 1)
        release = told.release(barrier.barrier_id)
        assert (release.outcome, release.happened, release.text) == ("expired", False, "gave up after 30 min")
    assert len(told.notices) == 2 and session_id in told.notices[0] and str(child.pid) in told.notices[1]
    clock.advance(timed, 10_000)
    assert len(told.releases) == 2
    wait_until(lambda: clock.waiting == 0)  # what an engine does at its start holds a lease for a while
    child.kill()
    child.wait()


@pytest.mark.parametrize("jump", [-1_000_000, 1_000_000])
def test_no_clock_that_is_set_makes_a_wait_longer(timed: Engine, clock: ManualClock, jump: float) -> None:
    told = Told(timed)
    standing(timed, WaitSpec(session_id=start(timed, "sleep 600")))
    clock.jump(timed, jump)
    clock.advance(timed, HALF_AN_HOUR)
    assert told.release().outcome == "expired"


def test_a_timeout_of_one_s_own(timed: Engine, clock: ManualClock) -> None:
    told = Told(timed)
    standing(timed, WaitSpec(session_id=start(timed, "sleep 600"), timeout=7200))
    clock.advance(timed, 7199)
    assert told.releases == []
    clock.advance(timed, 1)
    assert told.release().text == "gave up after 2 h"


# -- lifting, then, whose it is ---------------------------------------------------------------------------------------


def test_lifting_is_true_once(engine: Engine) -> None:
    told = Told(engine)
    session_id = start(engine, "sleep 600")
    barrier = standing(engine, WaitSpec(session_id=session_id, then="echo never"))
    assert engine.lift(barrier.barrier_id).result().lifted
    assert not engine.lift(barrier.barrier_id).result().lifted
    assert not engine.lift("wait_00000000").result().lifted
    engine.kill(session_id, now=True).result()
    release = told.release()
    assert (release.outcome, release.happened, release.then_session_id) == ("lifted", False, "")


def test_then_runs_once_what_was_waited_for_has_happened(engine: Engine, tmp_path: Path) -> None:
    told = Told(engine)
    session_id = start(engine, "cat; exit 5", stdin=True)
    line = 'echo "$JOBDECK_WAIT_OUTCOME $JOBDECK_EXIT_CODE $(pwd)"'
    standing(engine, WaitSpec(session_id=session_id, then=line, cwd=str(tmp_path)))
    let_go(engine, session_id)
    release = told.release()
    assert output_of(engine, release.then_session_id).strip() == f"exit 5 {tmp_path}"


def test_then_does_not_run_when_it_did_not_happen(engine: Engine, tmp_path: Path) -> None:
    told = Told(engine)
    session_id = start(engine, "exit 5")
    standing(engine, WaitSpec(session_id=session_id, on="success", then=f"touch {tmp_path / 'ran'}"))
    release = told.release()
    assert (release.outcome, release.then_session_id) == ("ended", "")
    assert len(engine.list().result().processes) == 1 and not (tmp_path / "ran").exists()


def test_then_that_can_not_be_started_is_told_with_the_release(engine: Engine) -> None:
    told = Told(engine)
    standing(engine, WaitSpec(seconds=0.01, then="true", cwd="/no/such/folder"))
    release = told.release()
    assert release.happened and "/no/such/folder" in release.text and release.then_session_id


def test_a_wait_belongs_to_who_set_it(engine: Engine) -> None:
    one, other = Caller("conv_one"), Caller("conv_other")
    mine, foreign = Told(engine.api(one)), Told(engine.api(other))
    found = engine.api(one).wait_for(WaitSpec(seconds=600)).result()
    assert isinstance(found, WaitSet) and found.barrier.owner == "conv_one"
    assert not engine.api(other).lift(found.barrier.barrier_id).result().lifted
    snapshot = engine.events().next(PATIENCE)
    assert isinstance(snapshot, Snapshot) and snapshot.barriers == (found.barrier,)
    strangers = engine.api(other).events().next(PATIENCE)
    assert isinstance(strangers, Snapshot) and strangers.barriers == ()
    job = start(engine, "true")
    assert isinstance(engine.api(other).wait_for(WaitSpec(session_id=job)).result(), Refused)
    assert engine.lift(found.barrier.barrier_id).result().lifted
    assert mine.release().outcome == "lifted" and len(foreign.releases) == 0


@pytest.mark.parametrize(
    "spec",
    [
        WaitSpec(),
        WaitSpec(pid=5, seconds=5),
        WaitSpec(session_id="proc_0123456789ab"),
        WaitSpec(session_id="proc_0123456789ab", on="end"),
        WaitSpec(session_id="proc_0123456789ab", on="exit", pattern="x"),
        WaitSpec(seconds=1, timeout=float("nan")),
        WaitSpec(seconds=1, then="a\0b"),
    ],
)
def test_what_can_not_be_waited_for_is_refused_in_words(engine: Engine, spec: WaitSpec) -> None:
    refusal = engine.wait_for(spec).result()
    assert isinstance(refusal, Refused) and len(refusal.error) > 20


@pytest.mark.usefixtures("no_fd_leak")
def test_leaving_tells_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with Engine() as engine:
        told = Told(engine)
        session_id = start(engine, "sleep 600")
        standing(engine, WaitSpec(session_id=session_id, then=f"touch {ran}"))
        standing(engine, WaitSpec(pid=os.getppid()))
        standing(engine, WaitSpec(seconds=600))
    assert [event for event in told.events if isinstance(event, JobExited)]
    assert told.releases == [] and not ran.exists()
