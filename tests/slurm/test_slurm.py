"""Jobs by way of a real Slurm (``make test-slurm``): a terminal, a batch, a cancel, a dead node (spec 4.7)."""

import os
import subprocess
import time
from collections.abc import Iterator

import pytest
from far_jobs import far_tree, output, place, run, start, view
from living import alive
from nasty import nasty_vectors
from slurm_cluster import Cluster, slurm_cluster, why_not
from waiting import PATIENCE, wait_until

from engine import Configuration, Engine, Settings
from engine.config.entries import HostEntry
from engine.hosts.quoting import for_sh, script_words
from engine.results import Done

pytestmark = [
    pytest.mark.skipif("JOBDECK_TEST_SLURM" not in os.environ, reason="only with JOBDECK_TEST_SLURM (make test-slurm)"),
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "it is all here"),
    pytest.mark.xdist_group("slurm"),
]
HOST = "slurm"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One node, for all of these."""
    folder = tmp_path_factory.mktemp("slurm")
    for path in (folder, folder.parent, folder.parent.parent):
        path.chmod(0o755)  # munged isn't root's
    with slurm_cluster(folder) as running:
        yield running


@pytest.fixture
def engine(cluster: Cluster) -> Iterator[Engine]:
    """An engine that knows it."""
    assert cluster.conf.exists()
    hosts = {HOST: HostEntry(via=("srun", "--pty"))}  # as one would write it; jobs without a terminal get none
    with Engine(Settings(term_grace_seconds=1.0), configuration=Configuration(hosts=hosts)) as running:
        yield running


def no_jobs(cluster: Cluster) -> bool:
    return not cluster.ask("squeue", "-h")


def test_a_terminal_has_its_size_follows_it_and_takes_input(engine: Engine, cluster: Cluster) -> None:
    line = "trap 'stty size' WINCH; test -t 0 && test -t 2 && stty size"
    line += "; while read -r it; do echo got $it; done; exit 9"
    session_id = start(engine, HOST, "22 77", command=line, pty=True, cols=77, rows=22)
    print("\nsqueue while it runs:\n" + cluster.ask("squeue"))
    engine.resize(session_id, 101, 33).result()
    wait_until(lambda: engine.submit(session_id, "again").result() and "33 101" in output(engine, session_id))
    engine.submit(session_id, "one").result()
    wait_until(lambda: "got one" in output(engine, session_id))
    engine.close(session_id).result()
    done = engine.wait(session_id, PATIENCE).result().to_dict()
    print(f"place: {place(engine, session_id)}\nexit code {done['exit_code']}, output:\n{output(engine, session_id)}")
    assert done["exit_code"] == 9


def test_streams_codes_and_arguments_without_a_terminal(engine: Engine) -> None:
    done = run(engine, HOST, command="echo out; echo err >&2; test -t 1 || exit 3")
    assert (done.exit_code, done.output) == (3, "out\nerr\n")
    echoed = run(engine, HOST, argv=("printf", "%s|", "", "a  b", "'", "$HOME", "\n", "ä"))
    assert (echoed.exit_code, echoed.output) == (0, "|a  b|'|$HOME|\n|ä|")
    piped = start(engine, HOST, command="cat; echo end", stdin="pipe")
    engine.write(piped, "early\n").result()
    engine.close(piped).result()
    wait_until(lambda: output(engine, piped) == "early\nend\n" or output(engine, piped) == "early\nend")


def test_a_batch_of_eight_on_one_node_each_with_its_own_end(engine: Engine, cluster: Cluster) -> None:
    jobs = [start(engine, HOST, command=f"echo this is $SLURM_JOB_ID; sleep 0.3; exit {code}") for code in range(8)]
    wait_until(lambda: "PD" in cluster.ask("squeue", "-h", "-o", "%t"), what="jobs that wait for the node")
    print("\nsqueue with the batch:\n" + cluster.ask("squeue"))
    print("waiting jobs are:", sorted(view(engine, one).link for one in jobs))
    ends = [engine.wait(one, 2 * PATIENCE).result().to_dict() for one in jobs]
    print("exit codes:", [end["exit_code"] for end in ends])
    print("one's output:\n" + output(engine, jobs[-1]))
    assert [end["exit_code"] for end in ends] == list(range(8))
    assert len({output(engine, one).split("this is ")[1].split()[0] for one in jobs}) == 8


@pytest.mark.parametrize("pty", [False, True])
def test_a_kill_cancels_it_at_once_though_it_ignores_term(engine: Engine, cluster: Cluster, pty: bool) -> None:
    line = "trap '' TERM HUP; sleep 7601 & echo ready; while :; do sleep 0.1; done"
    session_id = start(engine, HOST, "ready", command=line, pty=pty)
    there = far_tree(engine, session_id)
    began = time.monotonic()
    answer = engine.kill(session_id).result()
    took = time.monotonic() - began
    print(f"\nkill (pty={pty}): {answer.status}, {took:.1f} s; squeue now: {cluster.ask('squeue', '-h')!r}")
    assert answer.status == "killed"
    assert alive(there) == []
    assert no_jobs(cluster)


def test_a_signal_goes_to_the_jobs_processes(engine: Engine) -> None:
    session_id = start(engine, HOST, "ready", command="trap 'echo got usr1' USR1; echo ready; read -r x", stdin="pipe")
    assert isinstance(engine.signal(session_id, "USR1").result(), Done)
    wait_until(lambda: "got usr1" in output(engine, session_id))
    engine.kill(session_id).result()


def test_one_that_waits_for_the_node_is_killed_without_having_run(engine: Engine, cluster: Cluster) -> None:
    first = start(engine, HOST, "ready", command="echo ready; sleep 7602")
    waiting = start(engine, HOST, "queued", command="echo never")
    assert view(engine, waiting).link == "connecting"
    assert engine.kill(waiting).result().status == "killed"
    assert "never" not in output(engine, waiting)
    assert engine.kill(first).result().status == "killed"
    wait_until(lambda: no_jobs(cluster), what="an empty queue")


def test_a_dead_srun_is_lost_and_its_job_can_be_killed(engine: Engine, cluster: Cluster) -> None:
    session_id = start(engine, HOST, "ready", command="trap '' HUP PIPE; echo ready; while :; do sleep 0.1; done")
    there = far_tree(engine, session_id)
    os.kill(engine.poll(session_id).result().to_dict()["pid"], 9)
    done = engine.wait(session_id, PATIENCE).result().to_dict()
    print(f"\n{done['completion_reason']}: {view(engine, session_id).start_error}")
    assert (done.get("exit_code"), done["completion_reason"]) == (None, "lost")
    assert engine.kill(session_id).result().status == "killed"
    assert alive(there) == []
    assert no_jobs(cluster)


def test_200_nasty_vectors_through_srun(cluster: Cluster) -> None:
    assert cluster.conf.exists()
    vectors = nasty_vectors(200)
    for vector in vectors:
        script = " ".join(map(for_sh, ["exec", "env", "printf", r"%s\0", "word", *vector]))
        said = subprocess.check_output(["srun", "-Q", *script_words(script, 0)], stdin=subprocess.DEVNULL)
        assert said == b"".join(b"%s\0" % os.fsencode(word) for word in ("word", *vector)), vector
    print(f"\n{len(vectors)} argument vectors, each by an srun of its own: all arrived unchanged")


def test_a_killed_node_daemon_is_lost(engine: Engine, cluster: Cluster) -> None:
    session_id = start(engine, HOST, "ready", command="echo ready; while :; do sleep 0.1; done")
    there = far_tree(engine, session_id)
    cluster.kill_node()
    wait_until(lambda: view(engine, session_id).completion_reason, 4 * PATIENCE, what="the end of the job")
    shown = view(engine, session_id)
    print(f"\nsinfo: {cluster.ask('sinfo', '-h')}")
    print(f"{shown.completion_reason}, exit code {shown.exit_code}: {shown.start_error}")
    assert (shown.completion_reason, shown.exit_code) == ("lost", None)
    cluster.start_node()
    print("after the daemon's return: kill says", engine.kill(session_id).result().status)
    wait_until(lambda: not alive(there), 2 * PATIENCE, what="its processes to end")
    wait_until(lambda: no_jobs(cluster), 2 * PATIENCE, what="an empty queue")
    cluster.stop_node()  # it is this test's
