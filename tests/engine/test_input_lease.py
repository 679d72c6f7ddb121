"""One writer at a time on a job's input, shown while it isn't the operator, who may always write (spec 3.6)."""

from collections.abc import Iterator

import pytest
from barriers import Told
from manual_clock import ManualClock
from waiting import wait_until

from engine import Caller, Engine, JobSpec, Settings
from engine.api.protocol import EngineApi
from engine.events import JobChanged
from engine.results import Refused, Written


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def timed(clock: ManualClock) -> Iterator[Engine]:
    with Engine(Settings(term_grace_seconds=0.4), clock=clock) as running:
        postbox = running.registry.broadcast.postbox
        # Two callers see a job: its owner and one that proves to be its continuation.
        running.call("prove", lambda: setattr(postbox, "may_receive", lambda _owner, _caller: True)).result()
        yield running


def job_of(api: EngineApi) -> str:
    return api.spawn(JobSpec(command="cat", stdin="pipe")).result().session_id


def holder(engine: Engine, session_id: str) -> str:
    return engine.call("view", lambda: engine.registry.jobs[session_id].view().stdin_holder).result()


def test_what_an_agent_writes_to_is_its_own_for_ten_seconds(timed: Engine, clock: ManualClock) -> None:
    agent, other = timed.api(Caller("conv_a")), timed.api(Caller("conv_b"))
    job = job_of(agent)
    assert holder(timed, job) == ""
    assert isinstance(agent.write(job, "half a li").result(), Written)
    assert holder(timed, job) == "agent conv_a"
    for refused in (other.write(job, "X").result(), other.submit(job, "X").result(), other.close(job).result()):
        assert isinstance(refused, Refused) and refused.retry
        assert "agent conv_a is writing to it, until " in refused.error and "nothing was sent" in refused.error
    clock.advance(timed, 9)
    assert isinstance(agent.submit(job, "ne").result(), Written)
    clock.advance(timed, 9.9)
    assert isinstance(other.write(job, "X").result(), Refused)
    clock.advance(timed, 0.1)
    assert holder(timed, job) == ""
    assert isinstance(other.submit(job, "mine").result(), Written)
    assert holder(timed, job) == "agent conv_b"
    wait_until(lambda: "half a line\nmine\n" in getattr(timed.poll(job).result(), "output_preview", ""))


def test_the_operator_always_writes_and_the_agent_is_told(timed: Engine, clock: ManualClock) -> None:
    agent = timed.api(Caller("conv_a"))
    job = job_of(agent)
    assert isinstance(agent.write(job, "from ").result(), Written)
    assert isinstance(timed.submit(job, "me").result(), Written)
    assert holder(timed, job) == ""
    refused = agent.write(job, "X").result()
    assert isinstance(refused, Refused) and refused.retry and "the operator is writing to it, until " in refused.error
    clock.advance(timed, 10)
    assert isinstance(agent.submit(job, "again").result(), Written)
    wait_until(lambda: "from me\nagain\n" in getattr(timed.poll(job).result(), "output_preview", ""))


def test_a_write_that_sends_nothing_takes_nothing(timed: Engine) -> None:
    agent = timed.api(Caller("conv_a"))
    job = job_of(agent)
    assert isinstance(agent.write(job, "\ud800").result(), Refused)
    assert holder(timed, job) == ""


def test_who_writes_is_told_when_it_begins_and_when_it_is_over_and_not_in_between(
    timed: Engine, clock: ManualClock
) -> None:
    told = Told(timed)
    agent = timed.api(Caller("conv_a"))
    job = agent.spawn(JobSpec(command="cat > /dev/null", stdin="pipe")).result().session_id
    for _key in range(50):
        agent.write(job, "k").result()

    def holders() -> list[str]:
        return [event.job.stdin_holder for event in told.events if isinstance(event, JobChanged)]

    wait_until(lambda: holders() == ["agent conv_a"])
    clock.advance(timed, 10)
    wait_until(lambda: holders() == ["agent conv_a", ""])


def test_a_job_that_was_handed_over_is_free_for_its_new_owner(timed: Engine) -> None:
    agent, heir = timed.api(Caller("conv_a")), timed.api(Caller("conv_b"))
    job = job_of(agent)
    agent.write(job, "a").result()
    timed.call("hand over", lambda: timed.registry.jobs[job].hand_over(Caller("conv_b"), "")).result()
    assert isinstance(heir.write(job, "b").result(), Written)


def test_a_restarted_job_is_nobody_s(timed: Engine) -> None:
    agent = timed.api(Caller("conv_a"))
    job = job_of(agent)
    agent.write(job, "a").result()
    again = timed.restart(job).result()
    assert not isinstance(again, Refused)
    assert holder(timed, again.session_id) == ""
