"""The engine that has the link dies: what runs over there is ended by the next one (spec 3.3, 3.5)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from living import alive
from ssh_server import SshServer
from waiting import PATIENCE, wait_until

from engine import Engine
from engine.config import Configuration
from engine.config.entries import HostEntry

OWNER = """
import sys
from engine import Configuration, Engine, JobSpec
from engine.config.entries import HostEntry

hosts = {"far": HostEntry(via=tuple(sys.argv[1:]))}
with Engine(configuration=Configuration(hosts=hosts)) as engine:
    line = "trap '' HUP PIPE; echo pid $$; while :; do sleep 0.1; done"
    session_id = engine.spawn(JobSpec(host="far", command=line, name="left")).result().session_id
    while "pid" not in engine.log(session_id).result().output:
        engine.poll(session_id).result()
    print(session_id, engine.log(session_id).result().output.split()[1], flush=True)
    sys.stdin.read()
"""


def test_what_a_dead_engine_left_over_there_is_lost_and_ended(server: SshServer, tmp_path: Path) -> None:
    script = tmp_path / "owner.py"
    script.write_text(OWNER)
    owner = subprocess.Popen(
        [sys.executable, str(script), *server.via],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    assert owner.stdin is not None and owner.stdout is not None
    session_id, pid = owner.stdout.readline().split()
    there = [psutil.Process(int(pid))]
    entry = Path(os.environ["JOBDECK_HOME"], "processes.json")
    wait_until(lambda: entry.exists() and '"place"' in entry.read_text(), what="its place in the checkpoint")
    owner.send_signal(signal.SIGKILL)
    owner.wait(PATIENCE)
    owner.stdin.close()
    owner.stdout.close()
    with Engine(configuration=Configuration(hosts={"far": HostEntry(via=server.via)})) as engine:

        def listed() -> list[dict[str, object]]:
            rows = engine.list().result().to_dict()["processes"]
            return [row for row in rows if row["session_id"] == session_id and row["status"] == "exited"]

        (mine,) = wait_until(listed, what="its end in the list")
        wait_until(lambda: not alive(there), what="its far side to end")
        assert (mine["completion_reason"], mine["exit_code"], mine["host"]) == ("lost", None, "far")


@pytest.mark.parametrize("pty", [False, True])
def test_quitting_ends_the_far_side_too(server: SshServer, pty: bool) -> None:
    from far_jobs import far_tree, start

    with Engine(configuration=Configuration(hosts={"far": HostEntry(via=server.via)})) as engine:
        session_id = start(engine, "far", "up", command="trap '' HUP; echo up; while :; do sleep 0.1; done", pty=pty)
        there = far_tree(engine, session_id)
    assert alive(there) == []
