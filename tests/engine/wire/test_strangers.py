"""No verb tells a stranger that a job is there, nor does anything to it, even with its exact id (spec 4.3)."""

import inspect
from typing import Any

import pytest
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec
from engine.results import Refused
from engine.spec import WaitSpec
from engine.wire.verbs import verbs

OWNER, STRANGER = Caller("conv_owner"), Caller("conv_stranger")
VALUES: dict[str, Any] = {
    "data": "x",
    "name": "INT",
    "cols": 80,
    "rows": 24,
    "patterns": ("x",),
    "on": True,
    "seconds": 60.0,
}
"""What is asked for where a verb must be told more than the job."""
ABOUT_A_JOB = sorted(name for name, verb in verbs().items() if "session_id" in verb.signature.parameters)


@pytest.fixture
def known(engine: Engine) -> dict[str, str]:
    """A job that runs, one that has ended, and one of which there is only the receipt."""
    api = engine.api(OWNER)
    running = api.spawn(JobSpec(command="cat", stdin="pipe", tags=("secret",))).result().session_id
    over, kept = (api.spawn(JobSpec(command="true")).result().session_id for _ in range(2))
    for session_id in (over, kept):
        api.wait(session_id).result()
    wait_until(lambda: len(api.results().result().results) == 2)
    api.dismiss(kept).result()
    return {"running": running, "over": over, "kept": kept}


def asked(engine: Engine, caller: Caller, name: str, session_id: str) -> Any:
    parameters = verbs()[name].signature.parameters.values()
    needed = [one.name for one in parameters if one.name != "self" and one.default is inspect.Parameter.empty]
    more = {one: VALUES[one] for one in needed if one != "session_id"}
    return getattr(engine.api(caller), name)(session_id=session_id, **more).result()


def test_every_verb_about_a_job_says_not_found(engine: Engine, known: dict[str, str]) -> None:
    assert {"poll", "wait", "log", "write", "kill", "signal", "handoff", "recall", "inspect"} <= set(ABOUT_A_JOB)
    for name in ABOUT_A_JOB:
        for what, session_id in known.items():
            answer = asked(engine, STRANGER, name, session_id)
            assert isinstance(answer, Refused) and answer.status == "not_found", f"{name} of one {what}: {answer}"
            unknown = asked(engine, STRANGER, name, "proc_000000000000")
            said = answer.error.replace(session_id, "proc_000000000000")
            assert (unknown.status, unknown.error) == (answer.status, said), "as of one that there never was"
    attached = engine.api(STRANGER).attach(known["running"], None, lambda _item: None).result()
    assert isinstance(attached, Refused) and attached.status == "not_found"
    waited = engine.api(STRANGER).wait_for(WaitSpec(session_id=known["running"])).result()
    assert isinstance(waited, Refused) and waited.status == "not_found"
    assert engine.api(OWNER).poll(known["running"]).result().to_dict()["status"] == "running"


def test_what_lists_lists_nothing_of_others(engine: Engine, known: dict[str, str]) -> None:
    stranger = engine.api(STRANGER)
    assert stranger.list().result().processes == () == stranger.results().result().results
    assert stranger.usage().result().jobs == ()
    found = stranger.search("true").result()
    assert getattr(found, "lines", None) == ()
    snapshot = stranger.events().next(PATIENCE)
    assert getattr(snapshot, "jobs", None) == ()
    assert stranger.snapshot_running_ids().result().to_dict()["session_ids"] == ()
    assert stranger.kill_all().result().to_dict()["killed"] == ()
    assert engine.api(OWNER).poll(known["running"]).result().to_dict()["status"] == "running"
