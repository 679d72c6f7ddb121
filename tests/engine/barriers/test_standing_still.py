"""Who leaves ends the jobs first: that is no end that anybody waited for (spec 2.7, 5.3)."""

from pathlib import Path

import pytest
from barriers import Told
from goals import seen, started
from manual_clock import ManualClock
from waiting import wait_until

from engine import Caller, Engine, JobSpec, WaitSpec
from engine.goals.folder import GoalFolder
from engine.results import WaitSet


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def running(engine: Engine) -> int:
    return sum(row.status == "running" for row in engine.list().result().processes)


def test_what_ends_meanwhile_releases_nothing_until_it_is_over(
    timed: Engine, clock: ManualClock, tmp_path: Path
) -> None:
    engine, told = timed, Told(timed)
    job = engine.spawn(JobSpec(command="sleep 1000")).result().session_id
    waits = [WaitSpec(session_id=job, then=f"touch {tmp_path}/ran"), WaitSpec(seconds=100)]
    for spec in waits:
        assert isinstance(engine.wait_for(spec).result(), WaitSet)
    assert engine.stand_still(True).result()
    engine.kill(job, source="quit").result()
    clock.advance(engine, 100)
    lifted = engine.wait_for(WaitSpec(seconds=1000)).result()
    assert isinstance(lifted, WaitSet) and engine.lift(lifted.barrier.barrier_id).result().lifted
    assert [one.release.outcome for one in told.releases] == ["lifted"]
    assert not (tmp_path / "ran").exists()
    engine.stand_still(False).result()
    wait_until((tmp_path / "ran").exists)
    wait_until(lambda: len(told.releases) == 3)
    assert sorted(one.release.outcome for one in told.releases) == ["exit", "lifted", "time"]


def test_only_the_operator_can(engine: Engine) -> None:
    assert not engine.api(Caller("agent")).stand_still(True).result()
    told = Told(engine)
    engine.wait_for(WaitSpec(seconds=0.01)).result()
    assert told.release().outcome == "time"


@pytest.mark.parametrize("stays", [True, False])
@pytest.mark.parametrize("at", ["step", "judge", "parked"])
def test_a_goal_does_not_take_it_for_an_end(engine: Engine, home: Path, at: str, stays: bool) -> None:
    """It goes on in the next engine; or in this one, where the operator stays after all."""
    other = engine.spawn(JobSpec(command="sleep 1000")).result().session_id
    step = "sleep 1000" if at == "step" else "true"
    judge = f"""echo '{{"verdict": "wait", "wait_on_session": "{other}"}}'""" if at == "parked" else "sleep 1000"
    goal_id = started(engine, step, judge)
    # The job of the step, or of the judge, beside the other; or the barrier.
    wait_until(lambda: seen(engine, goal_id).barrier if at == "parked" else running(engine) == 2)
    wait_until(lambda: at != "judge" or seen(engine, goal_id).running == "judge")
    wait_until(lambda: at == "parked" or running(engine) == 2)
    engine.stand_still(True).result()
    for row in engine.list().result().processes:
        engine.kill(row.session_id, source="quit").result()
    wait_until(lambda: running(engine) == 0)
    view = seen(engine, goal_id)
    assert (view.status, view.turns_used) == ("active", 1)
    if stays:
        engine.stand_still(False).result()
        if at == "step":
            wait_until(lambda: "was killed" in seen(engine, goal_id).paused_reason)
        else:
            wait_until(lambda: seen(engine, goal_id).turns_used > 1)
        engine.goal_clear(goal_id).result()
    else:
        engine.shutdown()
        kept = GoalFolder().read(goal_id)
        assert kept is not None
        assert (kept.status, kept.turns_used, kept.consecutive_transport_failures) == ("active", 1, 0)
        assert (kept.waiting_on_session == other) == (at == "parked")
