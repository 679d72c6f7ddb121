"""After jobs have printed every kind of secret, none of them is anywhere in the home (spec 3.1, 3.2, E06)."""

import os
from pathlib import Path

from fates import home
from secret_shapes import SHAPES, Shape
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec

_WINDOW = 12
_GROUP = 12
"""Shapes that one job prints."""


def hidden(shape: Shape) -> str:
    """A part of the secret that its mask doesn't show."""
    return shape.secret[6:-4][:_WINDOW] if len(shape.secret) >= 18 else shape.secret


def texts() -> dict[Path, str]:
    """Every file of the home, whatever it is."""
    return {path: path.read_bytes().decode("utf-8", "replace") for path in home().rglob("*") if path.is_file()}


def test_no_file_of_the_home_holds_a_secret_that_a_job_printed(tmp_path: Path) -> None:
    with Engine() as engine:
        agent = engine.api(Caller("conv_a"))  # nobody takes its notices: they are kept on the disk
        jobs = []
        for number in range(0, len(SHAPES), _GROUP):
            printed = tmp_path / f"printed-{number}"
            printed.write_text("".join(f"line\n{shape.printed}\n" for shape in SHAPES[number : number + _GROUP]))
            half = len(printed.read_bytes()) // 2
            # In two halves, so that some of them come over two reads.
            line = f"head -c {half} {printed}; sleep 0.2; tail -c +{half + 1} {printed}"
            for persists in (False, True):
                spec = JobSpec(
                    command=line,
                    pty=bool(number % 2),
                    notify_on_complete=True,
                    watch_patterns=() if persists else ("line",),
                    persist_on_release=persists,
                )
                jobs.append(agent.spawn(spec).result().session_id)
        secret = SHAPES[0]
        told = JobSpec(command=f"true {secret.secret}", env={"TOKEN": secret.secret}, notify_on_complete=True)
        jobs.append(agent.spawn(told).result().session_id)
        for session_id in jobs:
            wait_until(lambda: engine.poll(session_id).result().to_dict()["status"] == "exited", PATIENCE)  # noqa: B023
        wait_until(lambda: not [*home().glob("held/*")], what="the raw logs of those that were kept to be gone")
        assert engine.registry.writer.flush(30)
    found = texts()
    assert any("process-results" in str(path) for path in found) and any("notices" in str(path) for path in found)
    left = [(path, shape.kind) for path, text in found.items() for shape in SHAPES if hidden(shape) in text]
    assert left == []
    assert os.environ["JOBDECK_HOME"] in str(next(iter(found)))
