"""An engine behind a socket has the interface of one in this process (spec 4.1, 4.2)."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from viewing import Viewing
from waiting import PATIENCE, wait_until

from engine import Engine, EngineGone, JobSpec, SpecError, StartError
from engine.events import JobExited, JobStarted, Snapshot
from engine.replay import Chunk, OutputEnd, Replay
from engine.results import Killed, Listed, Polled, Refused, Waited
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello
from engine.wire.server import Server


@pytest.fixture
def server(engine: Engine) -> Iterator[Server]:
    with Server(engine, "test") as listening:
        yield listening


@pytest.fixture
def remote(server: Server) -> Iterator[RemoteEngine]:
    with RemoteEngine(server.path, Hello(version=1, operator=True)) as connected:
        yield connected


def test_the_socket_is_ours_alone(server: Server) -> None:
    assert stat.S_IMODE(server.path.lstat().st_mode) == 0o600
    assert stat.S_IMODE(server.path.parent.lstat().st_mode) == 0o700
    server.close()
    assert not server.path.exists()


def test_a_job_over_the_wire(remote: RemoteEngine, server: Server) -> None:
    assert remote.info.pid == os.getpid() and remote.info.kind == "test"
    feed = remote.events()
    assert isinstance(feed.next(), Snapshot)
    started = remote.spawn(JobSpec(command="read x; echo got $x", stdin="pipe")).result()
    assert isinstance(remote.poll(started.session_id).result(), Polled)
    remote.submit(started.session_id, "hällo").result()
    waited = remote.wait(started.session_id).result()
    assert isinstance(waited, Waited) and (waited.output, waited.exit_code) == ("got hällo\n", 0)
    kinds: list[type] = []
    while JobExited not in kinds:
        kinds.append(type(feed.next(PATIENCE)))
    assert kinds[0] is JobStarted


def test_output_of_megabytes_comes_whole_and_in_order(remote: RemoteEngine) -> None:
    session_id = remote.spawn(JobSpec(command="seq 1 150000")).result().session_id
    remote.wait(session_id).result()
    viewing = Viewing(remote, session_id)
    assert viewing.ended.wait(PATIENCE)
    replay = viewing.items[0]
    assert isinstance(replay, Replay) and replay.base is not None
    lines = "".join(replay.pieces).splitlines()
    assert lines == [str(number) for number in range(int(lines[0]), 150_001)]
    assert viewing.items[1:] == [OutputEnd(replay.end)]


def test_output_goes_on_by_credit(remote: RemoteEngine) -> None:
    session_id = (
        remote.spawn(JobSpec(command="for i in 1 2 3; do read x; echo $x; done", stdin="pipe")).result().session_id
    )
    viewing = Viewing(remote, session_id, 0, auto=False)
    for word in ("one", "two", "three"):
        remote.submit(session_id, word).result()
    remote.wait(session_id).result()
    assert [type(item) for item in viewing.items] == [Replay]
    viewing.attachment.grant()
    wait_until(lambda: len(viewing.items) == 2)
    chunk = viewing.items[1]
    assert isinstance(chunk, Chunk) and chunk.text == "one\ntwo\nthree\n"


def test_what_a_verb_raises_is_raised_here(remote: RemoteEngine) -> None:
    with pytest.raises(StartError, match="No such file") as failed:
        remote.spawn(JobSpec(argv=("/nonexistent",))).result()
    assert failed.value.session_id.startswith("proc_")
    with pytest.raises(SpecError, match="not both or neither"):
        remote.spawn(JobSpec()).result()


def test_bytes_that_are_no_text_arrive(remote: RemoteEngine, tmp_path: Path) -> None:
    target = tmp_path / "bytes"
    session_id = remote.spawn(JobSpec(command=f"head -c 6 > '{target}'", stdin="pipe")).result().session_id
    text = b"\xff\x00a".decode("utf-8", "surrogateescape")
    remote.write(session_id, text).result()
    remote.type_in(session_id, text).result()
    remote.wait(session_id).result()
    assert target.read_bytes() == 2 * b"\xff\x00a"


def test_conversations_see_their_own_jobs_alone(server: Server) -> None:
    with RemoteEngine(server.path, Hello(version=1)) as first, RemoteEngine(server.path, Hello(version=1)) as second:
        job = first.spawn(JobSpec(command="sleep 7601")).result().session_id
        assert second.poll(job).result().to_dict()["status"] == "not_found"
        assert second.list().result() == Listed(processes=())
        assert isinstance(second.kill(job).result(), Refused)
        with RemoteEngine(server.path, Hello(version=1, continues=first.token)) as heir:
            assert [row.session_id for row in heir.list().result().processes] == [job]
            assert isinstance(heir.kill(job).result(), Killed)


def test_who_waits_when_the_engine_goes_is_told(engine: Engine, server: Server) -> None:
    gone: list[bool] = []
    with RemoteEngine(server.path, Hello(version=1, operator=True)) as remote:
        remote.on_death(lambda: gone.append(True))
        session_id = remote.spawn(JobSpec(command="sleep 7602")).result().session_id
        waiting = remote.wait(session_id)
        server.close()
        with pytest.raises(EngineGone):
            waiting.result(PATIENCE)
        wait_until(lambda: bool(gone))
        assert not remote.alive
        with pytest.raises(EngineGone):
            remote.list().result()
