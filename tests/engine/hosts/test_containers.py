"""Jobs by ``docker exec`` and ``kubectl exec``, by stand-ins that behave as these are documented to (spec 4.7)."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
from container_clients import CONTAINER, container_client
from far_jobs import far_tree, output, run, start, view
from living import alive
from waiting import PATIENCE, wait_until

from engine import Configuration, Engine, Settings
from engine.config.entries import HostEntry
from engine.wire.mcp.tools import TOOLS

HOSTS = ("docker", "kubectl")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine that knows a container by both, and one that isn't there."""
    docker, kubectl = container_client(tmp_path, "docker"), container_client(tmp_path, "kubectl")
    hosts = {
        "docker": HostEntry(via=(docker, "exec", "-it", CONTAINER)),
        "kubectl": HostEntry(via=(kubectl, "exec", "-it", CONTAINER, "--")),
        "gone": HostEntry(via=(docker, "exec", "-it", "gone")),
        "deaf": HostEntry(via=("sh", "-c", 'exec "$@" </dev/null', "sh")),
        "helpless": HostEntry(via=(docker, "exec", CONTAINER), remote_kill=False),
    }
    settings = Settings(term_grace_seconds=0.5, kill_proof_seconds=PATIENCE)
    with Engine(settings, configuration=Configuration(hosts=hosts)) as running:
        yield running


@pytest.mark.parametrize("host", HOSTS)
def test_pipes(engine: Engine, host: str) -> None:
    line = 'echo "$JOBDECK_SESSION_ID|$X"; echo err >&2; test -t 1 || exit 3'
    done = run(engine, host, command=line, env={"X": "it's"}, cwd="/")
    assert (done.exit_code, done.output) == (3, f"{done.session_id}|it's\nerr\n")
    piped = start(engine, host, command="cat; exit 4", stdin="pipe")
    engine.write(piped, "hello\n").result()
    engine.close(piped).result()
    assert engine.wait(piped, PATIENCE).result().to_dict()["exit_code"] == 4
    assert output(engine, piped).strip() == "hello"
    echoed = run(engine, host, argv=("printf", "%s|", "", "a  b", "'", "$HOME", "\n", "ä"))
    assert echoed.output == "|a  b|'|$HOME|\n|ä|"


@pytest.mark.parametrize("host", HOSTS)
def test_a_terminal(engine: Engine, host: str) -> None:
    line = "trap 'stty size' WINCH; test -t 0 && test -t 2 && stty size"
    line += "; while read -r it; do echo got $it; done; exit 9"
    session_id = start(engine, host, "22 77", command=line, pty=True, cols=77, rows=22)
    engine.resize(session_id, 101, 33).result()
    wait_until(lambda: engine.submit(session_id, "again").result() and "33 101" in output(engine, session_id))
    engine.close(session_id).result()
    assert engine.wait(session_id, PATIENCE).result().to_dict()["exit_code"] == 9
    assert "terminated with exit code" not in output(engine, session_id)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("pty", [False, True])
def test_a_kill_ends_what_the_client_would_leave(engine: Engine, host: str, pty: bool) -> None:
    line = "trap '' TERM HUP; sleep 7701 & echo ready; while :; do sleep 0.1; done"
    session_id = start(engine, host, "ready", command=line, pty=pty)
    there = far_tree(engine, session_id)
    assert engine.kill(session_id).result().status == "killed"
    assert alive(there) == []


def test_a_dead_client_is_lost_and_the_job_can_be_killed(engine: Engine) -> None:
    session_id = start(engine, "docker", "ready", command="echo ready; while :; do sleep 0.1; done")
    there = far_tree(engine, session_id)
    os.kill(engine.poll(session_id).result().to_dict()["pid"], 9)
    assert engine.wait(session_id, PATIENCE).result().to_dict()["completion_reason"] == "lost"
    assert alive(there)
    assert engine.kill(session_id).result().status == "killed"
    assert alive(there) == []


def test_what_never_ran_is_a_failed_start_in_words(engine: Engine) -> None:
    gone = run(engine, "gone", command="echo never")
    assert (gone.exit_code, gone.completion_reason) == (None, "failed_start")
    assert "No such container" in gone.output
    deaf = run(engine, "deaf", command="echo never")
    assert (deaf.exit_code, deaf.completion_reason) == (None, "failed_start")
    assert "passes no input on" in view(engine, deaf.session_id).start_error
    assert "never" not in deaf.output


def test_a_link_can_ask_for_a_password_and_nothing_typed_before_the_job_runs_reaches_it(
    engine: Engine, tmp_path: Path
) -> None:
    asks = tmp_path / "asks"
    asks.write_text(
        "stty -echo; printf 'password: '; read -r it; stty echo\n"
        '[ "$it" = sesame ] || exit 255\necho in; read -r go; exec "$@"\n'
    )
    configuration = engine.registry.configuration
    hosts = {**configuration.hosts, "asks": HostEntry(via=("sh", str(asks)))}
    engine.registry.configuration = msgspec.structs.replace(configuration, hosts=hosts)
    session_id = start(engine, "asks", "password", command="echo ready; read -r x; echo got $x", pty=True)
    wait_until(lambda: view(engine, session_id).hides_input, what="a terminal that hides input")
    engine.submit(session_id, "sesame").result()
    wait_until(lambda: "in" in output(engine, session_id).splitlines()[-1], what="word of the link")
    engine.write(session_id, "go\nlost line\nunfinished").result()
    wait_until(lambda: "ready" in output(engine, session_id))
    engine.submit(session_id, "this").result()
    assert engine.wait(session_id, PATIENCE).result().to_dict()["exit_code"] == 0
    assert output(engine, session_id).splitlines()[-1] == "got this"
    assert "sesame" not in output(engine, session_id)


def test_an_agents_terminal_names_a_host(engine: Engine) -> None:
    tool = TOOLS["terminal"]
    answer = asyncio.run(_called(tool.do(engine, tool.params(command="echo hi; exit 6", host="docker"))))
    assert (answer["exit_code"], answer["output"].strip()) == (6, "hi")


async def _called(call: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    return await call


def test_the_way_to_a_kill_leads_a_session_and_so_cannot_ask_on_the_consoles_terminal(
    engine: Engine, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.write_text('read -r it <"/proc/$$/stat"; echo "$$ ${it##*) }" >>"$0.seen"; exec "$@"\n')
    configuration = engine.registry.configuration
    hosts = {**configuration.hosts, "link": HostEntry(via=("sh", str(link)))}
    engine.registry.configuration = msgspec.structs.replace(configuration, hosts=hosts)
    session_id = start(engine, "link", "ready", command="echo ready; while :; do sleep 0.1; done")
    assert engine.kill(session_id).result().status == "killed"
    seen = [line.split() for line in (tmp_path / "link.seen").read_text().splitlines()]
    assert len(seen) == 2
    assert [(pid, tty) for pid, _state, _parent, _group, _session, tty, *_ in seen] == [(one[4], "0") for one in seen]


def test_a_kill_that_cannot_be_proved_is_no_kill(engine: Engine) -> None:
    session_id = start(engine, "helpless", "ready", command="echo ready; while :; do sleep 0.1; done")
    there = far_tree(engine, session_id)
    answer = engine.kill(session_id).result().to_dict()
    assert answer["status"] == "error"
    assert "can't be proved to have ended: remote_kill is off" in answer["error"]
    shown = view(engine, session_id)
    assert (shown.completion_reason, shown.exit_code) == ("lost", None)
    for process in there:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
