"""The holder itself: what it is, what it costs, whom it listens to, and what it does alone (spec 3.4)."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from held import Deck, adopted, folder_of, log_of, numbered, text_of
from patient import patient
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, StartError
from engine.ownership.calling import HolderError, born, reached
from engine.ownership.holding import frames
from engine.ownership.holding.frames import Line, frame
from engine.ownership.leftovers import find_leftovers
from engine.ownership.standing import start_question
from engine.process.identity import is_alive
from engine.registry.adopting import find_held

_MOST_BYTES = 16 << 20
CHECKOUT = Path(__file__).parents[3]


def test_it_is_nobodys_child_in_a_session_of_its_own_and_carries_no_id(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOBDECK_SESSION_ID", "proc_aaaaaaaaaaaa")
    with Engine(patient()) as engine:
        session_id = engine.spawn(JobSpec(argv=("sleep", "600"), persist_on_release=True)).result().session_id
        held = adopted(engine, session_id)
        holder = psutil.Process(held.holder_pid)
        assert os.getsid(holder.pid) == holder.pid == os.getpgid(holder.pid)
        assert not {name for name in holder.environ() if name.startswith(("JOBDECK", "PYTHON", "HOME"))}
        assert psutil.Process(held.pid).environ()["JOBDECK_SESSION_ID"] == session_id
        assert psutil.Process(held.pid).ppid() == holder.pid
        assert holder.terminal() is None
        folder = folder_of(home, session_id)
        assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
        engine.shutdown(keep=False)


@pytest.mark.parametrize("pty", [False, True])
def test_it_stays_small_after_a_flood(home: Path, pty: bool) -> None:
    with Deck() as deck:
        stays = "seq 1 3000000; sleep 600" if pty else "seq 1 3000000; read x; sleep 600"
        session_id = deck.start(command=stays, pty=pty, stdin="null" if pty else "pipe")
        wait_until(lambda: deck.look(session_id, "job.stream.buffer.line_feeds") == 3_000_000, 3 * PATIENCE)
        held = find_held()[0]
        if not pty:
            deck.call("write", session_id, "x" * 1_000_000)
        assert psutil.Process(held.holder_pid).memory_info().rss <= _MOST_BYTES
        kept = sum(path.stat().st_size for path in folder_of(home, session_id).iterdir())
        assert kept <= 24 << 20
        deck.kill()
        wait_until(lambda: psutil.Process(held.holder_pid).memory_info().rss <= _MOST_BYTES)


def test_a_job_under_it_has_what_any_job_has(home: Path) -> None:
    shows = "umask; ulimit -n; ls -l /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status; pwd; nice"
    with Engine(patient()) as engine:
        texts = []
        for held in (False, True):
            spec = JobSpec(command=shows, cwd="/", stdin="pipe", persist_on_release=held)
            session_id = engine.spawn(spec).result().session_id
            engine.close(session_id).result()
            assert engine.wait(session_id).result().exit_code == 0  # type: ignore[union-attr]
            texts.append(text_of(engine, session_id))
        assert texts[0] == texts[1] != ""


@pytest.mark.parametrize("pty", [False, True])
def test_a_job_that_closes_its_output_runs_until_it_exits(home: Path, tmp_path: Path, pty: bool) -> None:
    command = "echo here; exec >&- 2>&- <&-; until [ -e go ]; do sleep 0.02; done; exit 5"
    if pty:
        command = command.replace("; exit 5", "; echo again >/dev/tty; exit 5")
    with Engine(patient()) as engine:
        spec = JobSpec(command=command, cwd=str(tmp_path), pty=pty, persist_on_release=True)
        session_id = engine.spawn(spec).result().session_id
        wait_until(lambda: "here" in text_of(engine, session_id))
        held = adopted(engine, session_id)
        assert is_alive(held.identity) and is_alive(held.holder)
        (tmp_path / "go").touch()
        assert engine.wait(session_id).result().exit_code == 5  # type: ignore[union-attr]
        assert not pty or text_of(engine, session_id).endswith("again\r\n")


def test_a_forked_child_of_the_engines_process_keeps_nobody_away(home: Path) -> None:
    forks = (
        "import os, sys, time; from engine import Engine, JobSpec\n"
        "engine = Engine(); spec = JobSpec(command='read x; exit 8', stdin='pipe', persist_on_release=True)\n"
        "print(engine.spawn(spec).result().session_id, flush=True)\n"
        "child = os.fork()\n"
        "if child: print(child, flush=True)\n"
        "time.sleep(600)\n"
    )
    words = [sys.executable, "-W", "ignore", "-c", forks]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        session_id, child = parent.stdout.readline().strip(), int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        try:
            with Engine(patient()) as engine:
                adopted(engine, session_id)
                engine.submit(session_id, "").result()
                assert engine.wait(session_id).result().exit_code == 8  # type: ignore[union-attr]
        finally:
            os.kill(child, signal.SIGKILL)


def test_it_loads_next_to_nothing() -> None:
    code = (
        f"import sys; sys.path.append({str(CHECKOUT)!r}); import engine.ownership.holder;"
        "import engine.output.questions; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "engine.ownership.holder" in loaded
    assert not loaded & {"asyncio", "msgspec", "typing", "pathlib", "json", "subprocess", "threading", "engine.config"}


def test_a_flood_while_the_engine_listens_is_whole_though_the_log_is_bounded(home: Path) -> None:
    with Engine(patient(replay_chars=30_000_000)) as engine:
        spec = JobSpec(command="seq 1 3000000; exit 3", persist_on_release=True)
        session_id = engine.spawn(spec).result().session_id
        assert engine.wait(session_id).result().exit_code == 3  # type: ignore[union-attr]
        assert numbered(text_of(engine, session_id)) == [*range(1, 3_000_001)]


def test_an_engine_that_stands_still_makes_the_job_wait_not_lose(home: Path) -> None:
    with Deck(replay_chars=30_000_000) as deck:
        session_id = deck.start(command="seq 1 2000000; exit 3")
        os.kill(deck.pid, signal.SIGSTOP)
        settled = wait_until(lambda: _unchanged(home, session_id))
        assert settled < 12 << 20
        os.kill(deck.pid, signal.SIGCONT)
        assert deck.call("wait", session_id)["exit_code"] == 3
        assert deck.look(session_id, "job.stream.buffer.line_feeds") == 2_000_000


def _unchanged(home: Path, session_id: str) -> int:
    """The bytes in its log, once they don't change any more."""
    before = len(log_of(home, session_id))
    time.sleep(0.5)
    return before if before and before == len(log_of(home, session_id)) else 0


def test_alone_it_answers_what_needs_no_state_and_nothing_else(home: Path, tmp_path: Path) -> None:
    asks = (
        "import os, sys, termios, time, tty; tty.setraw(0)\n"
        "while not os.path.exists('go'): time.sleep(0.02)\n"
        "for question in (b'\\33[5n', b'\\33[6n', b'\\33[c'):\n"
        "    os.write(1, question[:2]); time.sleep(0.2); os.write(1, question[2:])\n"
        "found = b''\n"
        "while not found.endswith(b'c'): found += os.read(0, 100)\n"
        "os.write(1, b'answers ' + found.replace(b'\\33', b'E') + b'\\r\\n')\n"
        "os.write(1, b'\\33[6n'); os.read(0, 100); os.write(1, b'placed')\n"
    )
    with Deck() as deck:
        session_id = deck.start(argv=(sys.executable, "-c", asks), pty=True, cwd=str(tmp_path))
        deck.kill()
    (tmp_path / "go").touch()
    wait_until(lambda: b"answers E[0nE[?62;22c" in log_of(home, session_id))
    with Engine(patient()) as engine:
        # A question that was asked while nobody was there stays open; the next is answered with the true place.
        adopted(engine, session_id)
        engine.write(session_id, "x").result()
        assert engine.wait(session_id).result().exit_code == 0  # type: ignore[union-attr]
        assert text_of(engine, session_id).endswith("placed")


def test_garbage_and_strangers_at_its_socket_change_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Deck() as deck:
        session_id = deck.start(command="read x; exit 6", stdin="pipe")
        monkeypatch.chdir(folder_of(home, session_id))  # the path of a socket may not be long
        path = Path("socket")
        assert path.stat().st_mode & 0o777 == 0o600
        for garbage in (
            b"GET / HTTP/1.0\r\n\r\n",
            b"\x00" + os.urandom(99),  # whatever size of a frame that says
            frame(frames.COLLECTED, b"x" * 1000)[:100],
            frame(frames.COLLECTED),
            frame(frames.HELLO, 1, 2.0),
        ):
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.connect(str(path))
                stranger.sendall(garbage)
                stranger.settimeout(20)
                assert stranger.recv(100) == b""
        silent = [socket.socket(socket.AF_UNIX) for _ in range(12)]
        for stranger in silent:
            stranger.connect(str(path))
        deck.call("submit", session_id, "")
        assert deck.call("wait", session_id)["exit_code"] == 6
        for stranger in silent:
            stranger.close()


def test_whoever_else_answers_in_its_folder_is_not_believed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home / "held" / "proc_000000000001"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as impostor:
        impostor.bind("socket")
        impostor.listen()
        with pytest.raises(HolderError, match="in place of"):
            reached(folder, os.getppid())


def test_many_short_ones_leave_no_descriptor_and_no_folder(no_fd_leak: None, home: Path) -> None:
    with Engine(patient()) as engine:
        spec = JobSpec(command="echo x; exit 3", pty=True, persist_on_release=True)
        for _ in range(3):
            calls = [engine.spawn(spec) for _ in range(8)]
            ids = [call.result().session_id for call in calls]
            assert [engine.wait(one).result().exit_code for one in ids] == [3] * 8  # type: ignore[union-attr]
            assert [text_of(engine, one) for one in ids] == ["x\r\n"] * 8
        wait_until(lambda: not [*(home / "held").iterdir()])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_is_not_listened_to(home: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(command="read x; exit 6", stdin="pipe")
        folder = folder_of(home, session_id)
        folder.chmod(0o711)
        (folder / "socket").chmod(0o666)
        calls = (
            "import os, socket; s = socket.socket(socket.AF_UNIX); s.settimeout(20); os.seteuid(65534);"
            "s.connect('socket'); print(s.recv(10))"
        )
        words = [sys.executable, "-c", calls]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.stdout == "b''\n" or "ConnectionResetError" in done.stderr, done
        deck.call("submit", session_id, "")
        assert deck.call("wait", session_id)["exit_code"] == 6


def test_nothing_runs_if_the_engine_dies_before_the_gate_is_open(home: Path, tmp_path: Path) -> None:
    folder = home / "held" / "proc_000000000000"
    line = Line(born(folder))
    words = ["touch", str(tmp_path / "ran")]
    line.send(start_question("/", None, stdin_pipe=False, story=b"{}", words=words, env={"PATH": os.environ["PATH"]}))
    found = wait_until(line.receive) or []
    values = dict(zip(frames.STANDING, found[0][1], strict=True))
    child, holder = (psutil.Process(int(values[name])) for name in ("pid", "holder_pid"))
    line.close()
    wait_until(lambda: not child.is_running() and not holder.is_running())
    assert not folder.exists() and not (tmp_path / "ran").exists()


def test_a_start_that_fails_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine(patient()) as engine:
        with pytest.raises(StartError, match="No such file"):
            engine.spawn(JobSpec(argv=("no-such-program",), persist_on_release=True)).result()
        with pytest.raises(StartError, match="too long"):
            engine.spawn(JobSpec(argv=("true", "x" * 4_000_000), persist_on_release=True)).result()
        wait_until(lambda: not [*(home / "held").iterdir()])
        monkeypatch.setattr(sys, "executable", "/no/such/python")
        with pytest.raises(StartError, match="holder"):
            engine.spawn(JobSpec(argv=("true",), persist_on_release=True)).result()
        wait_until(lambda: not [*(home / "held").iterdir()])
        assert {job.completion_reason for job in engine.registry.jobs.values()} == {"failed_start"}


def test_a_home_with_a_very_long_path(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 100) / ("y" * 100)
    monkeypatch.setenv("JOBDECK_HOME", str(long))
    with Deck() as deck:
        session_id = deck.start(command="read x; exit 2", stdin="pipe")
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        engine.submit(session_id, "").result()
        assert engine.wait(session_id).result().exit_code == 2  # type: ignore[union-attr]


def test_a_holder_that_is_killed_is_told_and_its_job_can_still_be_ended(home: Path) -> None:
    with Engine(patient()) as engine:
        command = "trap '' HUP PIPE; echo on; while :; do sleep 0.1; done"
        session_id = engine.spawn(JobSpec(command=command, persist_on_release=True, stdin="pipe")).result().session_id
        held = adopted(engine, session_id)
        wait_until(lambda: "on" in text_of(engine, session_id))
        job = engine.registry.jobs[session_id]
        os.kill(held.holder_pid, signal.SIGKILL)
        wait_until(lambda: engine.call("view", job.view).result().detached)
        assert text_of(engine, session_id) == "on\n"
        assert engine.call("view", job.view).result().accepts_input is False
        assert engine.write(session_id, "x").result().status == "error"
        assert engine.kill(session_id).result().status == "killed"
        wait_until(lambda: not is_alive(held.identity))
        wait_until(lambda: not folder_of(home, session_id).exists())


def test_a_holder_that_is_killed_and_a_job_that_dies_of_it_is_lost(home: Path) -> None:
    with Engine(patient()) as engine:
        spec = JobSpec(command="echo here; read x", pty=True, persist_on_release=True)
        session_id = engine.spawn(spec).result().session_id
        held = adopted(engine, session_id)
        wait_until(lambda: "here" in text_of(engine, session_id))
        os.kill(held.holder_pid, signal.SIGKILL)
        ended = engine.wait(session_id).result()
        assert (ended.exit_code, ended.completion_reason) == (None, "lost")  # type: ignore[union-attr]
        assert "here" in text_of(engine, session_id)


def test_neither_supervisor_nor_doctor_take_it_for_a_leftover(home: Path) -> None:
    with Deck(supervisor_kill_seconds=0.5) as deck:
        held_id = deck.start(command="(setsid sleep 601 &); sleep 600; true")
        direct = deck.call("spawn", {"command": "sleep 602; true"})
        supervisor = deck.supervisor()
        deck.kill()
    wait_until(lambda: not psutil.pid_exists(direct["pid"]) and not psutil.pid_exists(supervisor))
    held = find_held()[0]
    assert is_alive(held.holder) and is_alive(held.identity)
    with Engine(patient()) as engine:
        adopted(engine, held_id)
        ledger = engine.registry.owned.ledger
        assert find_leftovers(ledger, ()) == []
        wait_until(lambda: [row.session_id for row in ledger.rows()] == [held_id])
    assert find_leftovers(ledger, ()) == []
    with Engine(patient()) as engine:
        adopted(engine, held_id)
        killed = engine.kill(held_id, escaped=True).result()
        assert killed.status == "killed"
        wait_until(lambda: ledger.rows() == ())


def test_a_disk_that_takes_no_more_costs_an_engine_that_listens_nothing(home: Path) -> None:
    counts = "read x; seq 1 300000; read x; seq 300001 600000; read x; exit 4"
    with Deck(replay_chars=30_000_000) as deck:
        session_id = deck.start(command=counts, stdin="pipe")
        holder = find_held()[0].holder_pid
        resource.prlimit(holder, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        deck.call("submit", session_id, "")
        wait_until(lambda: deck.look(session_id, "job.stream.buffer.line_feeds") == 300_000, 2 * PATIENCE)
        resource.prlimit(holder, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        deck.call("submit", session_id, "")
        wait_until(lambda: deck.look(session_id, "job.stream.buffer.line_feeds") == 600_000, 2 * PATIENCE)
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        buffer = engine.registry.jobs[session_id].stream.buffer
        assert (buffer.end, buffer.line_feeds) == (sum(len(f"{n}\n") for n in range(1, 600_001)), 600_000)
        engine.submit(session_id, "").result()
        assert engine.wait(session_id).result().exit_code == 4  # type: ignore[union-attr]


def test_a_disk_that_takes_no_more_stops_no_job_that_is_alone(home: Path, tmp_path: Path) -> None:
    counts = "read x; until [ -e go ]; do sleep 0.02; done; seq 1 300000; touch done; read x; seq 1 10; read x; exit 4"
    with Deck() as deck:
        session_id = deck.start(command=counts, stdin="pipe", cwd=str(tmp_path))
        deck.call("submit", session_id, "")
        deck.kill()
    holder = find_held()[0].holder_pid
    resource.prlimit(holder, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    (tmp_path / "go").touch()
    wait_until((tmp_path / "done").exists)
    resource.prlimit(holder, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        engine.submit(session_id, "").result()
        wait_until(lambda: text_of(engine, session_id).endswith("\n9\n10\n"))
        buffer = engine.registry.jobs[session_id].stream.buffer
        assert buffer.end == sum(len(f"{n}\n") for n in range(1, 300_001)) + 21
        engine.submit(session_id, "").result()
        assert engine.wait(session_id).result().exit_code == 4  # type: ignore[union-attr]
