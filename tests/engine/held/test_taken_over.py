"""Jobs that outlive their engine, under a holder: taken over whole by the next one (spec 3.4)."""

import asyncio
import signal
import sys
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import psutil
import pytest
from held import Deck, adopted, end_of, folder_of, heard, log_of, numbered, text_of
from patient import patient
from waiting import PATIENCE, wait_until, wait_until_async

from engine import Caller, Engine, JobSpec
from engine.events import Completion, JobExited, WatchHit
from engine.ownership.holding.folder import SOCKET
from engine.process.identity import is_alive, send_signal, state
from engine.registry import adopting
from engine.registry.adopting import Outcome, find_held, readopt
from engine.replay import SizeMark
from engine.results import Logged

FLOOD = "i=0; while [ $i -lt 60000 ]; do echo $i; i=$((i+1)); done; read x; echo got $x; exit 7"
WAITS = "until [ -e go ]; do sleep 0.02; done"


@pytest.mark.parametrize("pty", [False, True])
def test_engine_killed_in_a_flood_and_the_next_has_the_job_whole(home: Path, pty: bool) -> None:
    with Deck() as deck:
        session_id = deck.start(command=FLOOD, pty=pty, stdin="pipe" if not pty else "null", cols=90, rows=20)
        wait_until(lambda: deck.look(session_id, "job.stream.buffer.line_feeds") > 100)
        if pty:
            deck.call("resize", session_id, 77, 33)
        deck.kill()
    with Engine(patient()) as engine:
        held = adopted(engine, session_id)
        wait_until(lambda: numbered(text_of(engine, session_id))[-1:] == [59999], 2 * PATIENCE)
        assert numbered(text_of(engine, session_id)) == [*range(60000)]
        job = engine.registry.jobs[session_id]
        view = engine.call("view", job.view).result()
        assert view.recovered and view.persist_on_release and (view.cols, view.rows) == ((77, 33) if pty else (0, 0))
        assert view.command == FLOOD
        assert engine.submit(session_id, "word").result().status == "ok"
        waited = engine.wait(session_id).result()
        assert (waited.exit_code, waited.completion_reason) == (7, "exited")  # type: ignore[union-attr]
        assert "got word" in text_of(engine, session_id)
        wait_until(lambda: not is_alive(held.holder) and not folder_of(home, session_id).exists())


def test_job_that_ended_while_nobody_was_there(home: Path, tmp_path: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(
            owner="conv_a",
            command=f"echo before; {WAITS}; echo after; exit 9",
            cwd=str(tmp_path),
            notify_on_complete=True,
        )
        wait_until(lambda: "before" in deck.output(session_id))
        deck.kill()
    (tmp_path / "go").touch()
    wait_until((folder_of(home, session_id) / "exit").exists)
    ended_by = time.time()
    with Engine(patient()) as engine:
        feed = engine.events()
        agent = engine.api(Caller("conv_a")).notices()
        events = wait_until(lambda: [one for one in heard(feed) if isinstance(one, JobExited)])
        job = events[0].job
        assert (job.session_id, job.exit_code, job.completion_reason) == (session_id, 9, "exited")
        assert job.exited_at is not None and job.started_at <= job.exited_at <= ended_by
        assert text_of(engine, session_id) == "before\nafter\n"
        told = wait_until(lambda: [one for one in agent.take() if isinstance(one, Completion)])
        assert [(one.session_id, one.exit_code) for one in told] == [(session_id, 9)]
        wait_until(lambda: not folder_of(home, session_id).exists())
    with Engine(patient()) as engine:
        agent = engine.api(Caller("conv_a")).notices()
        engine.list().result()
        assert not [one for one in agent.take() if isinstance(one, Completion)]


def test_killed_by_a_signal_is_what_it_says(home: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(argv=("sleep", "600"))
        deck.kill()
    with Engine(patient()) as engine:
        held = adopted(engine, session_id)
        send_signal(held.identity, signal.SIGKILL)
        assert engine.wait(session_id).result().exit_code == -9  # type: ignore[union-attr]


def test_watches_go_on_and_tell_each_line_once(home: Path, tmp_path: Path) -> None:
    script = "echo ERROR one; printf 'ERROR ask? '; until [ -e go ]; do sleep 0.02; done; echo; echo ERROR two; read x"
    with Deck() as deck:
        session_id = deck.start(
            command=script, cwd=str(tmp_path), stdin="pipe", watch_patterns=("ERROR",), heartbeat_seconds=3600.0
        )
        wait_until(lambda: deck.look(session_id, "job.watching.hits") == 2)
        deck.kill()
    (tmp_path / "go").touch()
    wait_until(lambda: b"two" in log_of(home, session_id))
    with Engine(patient()) as engine:
        feed = engine.events()
        hits: list[WatchHit] = []

        def told() -> bool:
            hits.extend(one for one in heard(feed) if isinstance(one, WatchHit))
            return any(hit.line == 2 for hit in hits)

        # What the dead engine had found and nobody had taken comes first.
        wait_until(told)
        adopted(engine, session_id)
        assert [(hit.text, hit.line, hit.count) for hit in hits if hit.line == 2] == [("ERROR two", 2, 1)]
        assert len({hit.line for hit in hits}) == len(hits)
        view = engine.call("view", engine.registry.jobs[session_id].view).result()
        assert (view.watch_patterns, view.hits, view.heartbeat_seconds) == (("ERROR",), 3, 3600.0)
        engine.submit(session_id, "").result()
        engine.wait(session_id).result()
        assert engine.call("hits", lambda: engine.registry.jobs[session_id].watching.hits).result() == 3


def test_input_that_waited_is_read_after_the_engines_death(home: Path, tmp_path: Path) -> None:
    sent = "x" * 100_000
    with Deck() as deck:
        session_id = deck.start(command=f"{WAITS}; wc -c; echo read", cwd=str(tmp_path), stdin="pipe")
        assert deck.call("write", session_id, sent)["bytes_written"] == len(sent)
        assert deck.call("close", session_id)["status"] == "ok"
        deck.kill()
    (tmp_path / "go").touch()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        assert engine.wait(session_id).result().exit_code == 0  # type: ignore[union-attr]
        assert text_of(engine, session_id).split() == [str(len(sent)), "read"]


def test_input_that_still_waits_counts_for_the_next_engine(home: Path, tmp_path: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(command=f"{WAITS}; wc -c", cwd=str(tmp_path), stdin="pipe")
        deck.call("write", session_id, "x" * 100_000)
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        assert engine.write(session_id, "y" * 1_020_000).result().status == "error"
        assert engine.write(session_id, "y" * 10).result().status == "ok"
        engine.close(session_id).result()
        (tmp_path / "go").touch()
        engine.wait(session_id).result()
        assert text_of(engine, session_id).split() == ["100010"]


def test_terminal_that_hides_what_is_typed_and_its_end_of_file(home: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(
            command="stty -echo; echo ready; read x; stty echo; echo shown; cat; echo over", pty=True
        )
        wait_until(lambda: "ready" in deck.output(session_id))
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        job = engine.registry.jobs[session_id]
        assert engine.call("view", job.view).result().hides_input
        engine.submit(session_id, "secret").result()
        wait_until(lambda: "shown" in text_of(engine, session_id))
        assert not engine.call("view", job.view).result().hides_input
        assert engine.close(session_id).result().status == "ok"
        assert engine.wait(session_id).result().exit_code == 0  # type: ignore[union-attr]
        assert "secret" not in text_of(engine, session_id) and "over" in text_of(engine, session_id)


def test_size_is_set_and_kept(home: Path, tmp_path: Path) -> None:
    says = "import os, signal, sys; say = lambda *_: print(*os.get_terminal_size()[::-1], flush=True)"
    ask = f"{says}\nsignal.signal(signal.SIGWINCH, say)\nprint('ready', flush=True)\nfor line in sys.stdin: say()"
    with Deck() as deck:
        session_id = deck.start(argv=(sys.executable, "-c", ask), pty=True, cols=100, rows=40)
        wait_until(lambda: "ready" in deck.output(session_id))
        deck.call("resize", session_id, 80, 24)
        wait_until(lambda: "24 80" in deck.output(session_id))
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        engine.submit(session_id, "again").result()
        wait_until(lambda: text_of(engine, session_id).count("24 80") == 2)
        engine.resize(session_id, 60, 20).result()
        wait_until(lambda: "20 60" in text_of(engine, session_id))
        replay = engine.call("replay", lambda: engine.registry.jobs[session_id].stream.buffer.replay(None)).result()
        assert (replay.base.cols, replay.base.rows) == (100, 40)  # type: ignore[union-attr]
        sizes = [(mark.cols, mark.rows) for mark in replay.marks if isinstance(mark, SizeMark)]
        assert sizes[0] == (80, 24) and sizes[-1] == (60, 20)


def test_a_line_that_was_begun_counts_against_what_a_terminal_keeps(home: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(command="read x; echo ${#x}", pty=True)
        assert deck.call("write", session_id, "x" * 4_000)["status"] == "ok"
        wait_until(lambda: b"x" in log_of(home, session_id))  # its echo
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        assert engine.submit(session_id, "y" * 100).result().status == "error"
        assert engine.submit(session_id, "y" * 90).result().status == "ok"
        engine.wait(session_id).result()
        assert text_of(engine, session_id).endswith("\r\n4090\r\n")


def test_one_that_ends_while_it_is_taken_over(home: Path, tmp_path: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(command=f"{WAITS}; echo done; exit 12", cwd=str(tmp_path))
        deck.kill()
    with Engine(patient(), recovers=False) as engine:
        registry = engine.registry

        async def take() -> None:
            async with (
                AsyncExitStack() as stack
            ):  # it has to wait for others, after it has been told how the job stands
                for _ in range(4):
                    await stack.enter_async_context(registry.taking_over)
                taking = asyncio.create_task(readopt(registry, find_held()[0]))
                (tmp_path / "go").touch()
                await wait_until_async((folder_of(home, session_id) / "exit").exists)
                await asyncio.sleep(0.2)
            assert (await taking).outcome is Outcome.ADOPTED

        engine.call_async("take", take).result()
        assert engine.wait(session_id).result().exit_code == 12  # type: ignore[union-attr]
        assert text_of(engine, session_id) == "done\n"


def test_two_engines_never_have_the_same_job(home: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(command="echo on; read x; exit 3", stdin="pipe")
        with Engine(patient()) as engine:
            held = find_held()[0]
            outcome = engine.call_async("readopt", lambda: readopt(engine.registry, held)).result().outcome
            assert outcome is Outcome.TAKEN
            assert session_id not in engine.registry.jobs
            assert deck.call("submit", session_id, "")["status"] == "ok"
            assert deck.call("wait", session_id)["exit_code"] == 3


def test_two_new_engines_share_what_was_left(home: Path) -> None:
    with Deck() as deck:
        ids = [deck.start(command="read x; exit 4", stdin="pipe") for _ in range(4)]
        deck.kill()
    with Engine(patient()) as one, Engine(patient()) as other:
        owners = wait_until(lambda: _owners(ids, one, other))
        assert all(len(engines) == 1 for engines in owners.values()), owners
        for session_id, (engine,) in owners.items():
            engine.submit(session_id, "").result()
            assert engine.wait(session_id).result().exit_code == 4  # type: ignore[union-attr]


def _says(deck: Deck, session_id: str, text: str) -> bool:
    return text in deck.output(session_id)


def _log_end(home: Path, session_id: str) -> int:
    files = sorted(folder_of(home, session_id).glob("*.log"))
    return int(files[-1].stem) + files[-1].stat().st_size if files else 0


def _owners(ids: list[str], *engines: Engine) -> dict[str, list[Engine]]:
    found = {one: [engine for engine in engines if one in engine.registry.jobs] for one in ids}
    return found if all(found.values()) else {}


def test_engine_after_engine(home: Path) -> None:
    with Deck() as deck:
        session_id = deck.start(command="while read x; do echo got $x; done; exit 5", stdin="pipe")
        deck.call("submit", session_id, "0")
        wait_until(lambda: "got 0" in deck.output(session_id))
        deck.kill()
    for number in range(1, 4):
        with Deck() as deck:
            wait_until(lambda: session_id in [row["session_id"] for row in deck.call("list")["processes"]])
            deck.call("submit", session_id, str(number))
            wait_until(partial(_says, deck, session_id, f"got {number}"))
            deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        assert text_of(engine, session_id) == "".join(f"got {number}\n" for number in range(4))
        engine.close(session_id).result()
        assert engine.wait(session_id).result().exit_code == 5  # type: ignore[union-attr]


def test_quit_that_keeps_lets_go_and_quit_that_does_not_ends(home: Path) -> None:
    engine = Engine(patient())
    spec = JobSpec(command="echo here; read x", stdin="pipe", persist_on_release=True)
    session_id = engine.spawn(spec).result().session_id
    held = adopted(engine, session_id)
    direct = engine.spawn(JobSpec(command="sleep 600")).result()
    engine.shutdown()
    assert is_alive(held.holder) and is_alive(held.identity)
    wait_until(lambda: not psutil.pid_exists(direct.pid))
    engine = Engine(patient())
    assert adopted(engine, session_id) == held
    engine.shutdown(keep=False)
    wait_until(lambda: not is_alive(held.holder) and not is_alive(held.identity))


def test_a_holder_that_is_just_leaving_is_waited_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adopting, "_LEAVING_SECONDS", PATIENCE)
    with Deck() as deck:
        session_id = deck.start(argv=("sleep", "600"))
        (held,) = find_held()
        deck.kill()
    (folder_of(home, session_id) / SOCKET).unlink()  # as it does first of all
    with Engine(patient()) as engine:
        wait_until(
            lambda: engine.call("waited", lambda: len(engine.registry.ends._descriptors)).result(), what="a wait"
        )
        for one in (held.holder, held.identity):
            send_signal(one, signal.SIGKILL)
        wait_until(lambda: [row.completion_reason for row in engine.list().result().processes] == ["lost"])


def test_kill_all_passes_it_by_and_a_kill_does_not(home: Path) -> None:
    with Deck() as deck:
        line = "trap 'echo last words; exit 0' TERM; echo armed; sleep 600 & wait"
        session_id = deck.start(argv=("bash", "-c", line), pty=True)
        wait_until(lambda: b"armed" in log_of(home, session_id))
        deck.kill()
    with Engine(patient()) as engine:
        held = adopted(engine, session_id)
        assert engine.kill_all().result().killed == ()  # type: ignore[union-attr]
        killed = engine.kill(session_id).result()
        assert (killed.status, killed.completion_reason) == ("killed", "killed")  # type: ignore[union-attr]
        assert "last words" in text_of(engine, session_id)
        wait_until(lambda: not is_alive(held.holder))
        assert engine.call("raw", lambda: engine.registry.jobs[session_id].raw_exit_code).result() == 0


def test_who_was_stopped_for_a_kill_goes_on_when_its_engine_dies(home: Path) -> None:
    with Deck(term_grace_seconds=600.0) as deck:
        line = "trap 'echo told' TERM; sleep 600 & echo here; while :; do wait; done"
        session_id = deck.start(argv=("bash", "-c", line))
        wait_until(lambda: b"here" in log_of(home, session_id))
        deck.begin_kill(session_id)
        wait_until(lambda: b"told" in log_of(home, session_id))
        held = find_held()[0]
        send_signal(held.identity, signal.SIGSTOP)
        wait_until(lambda: state(held.identity) == "T")
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        wait_until(lambda: state(held.identity) != "T")
        assert engine.kill(session_id, now=True).result().status == "killed"


def test_positions_and_lines_are_true_after_more_than_the_log_keeps(home: Path, tmp_path: Path) -> None:
    lines, line = 300_000, "\u20ac" * 15 + "\u00e9"
    write = f"import sys; [sys.stdout.write(f'{{n:07d}}' + {line!a} + '\\n') for n in range({lines})]"
    with Deck() as deck:
        session_id = deck.start(
            command=f'{WAITS}; PYTHONIOENCODING=utf-8 exec python3 -c "{write}; sys.stdout.flush(); input()"',
            cwd=str(tmp_path),
            stdin="pipe",
        )
        deck.kill()
    (tmp_path / "go").touch()
    total = lines * (8 + len(line))
    wait_until(lambda: _log_end(home, session_id) == lines * (8 + len(line.encode())), 2 * PATIENCE)
    with Engine(patient()) as engine:
        adopted(engine, session_id)
        assert end_of(engine, session_id) == total
        buffer = engine.registry.jobs[session_id].stream.buffer
        assert buffer.line_feeds == lines
        assert buffer.kept >= 1_000_000
        text = text_of(engine, session_id)
        assert "\ufffd" not in text
        found = text.split("\n")[1:-1]
        assert found == [f"{number:07d}{line}" for number in range(lines - len(found), lines)]
        assert buffer.line_start(lines - 1) == total - 8 - len(line)
        logged = engine.log(session_id, limit=1).result()
        assert logged.total_lines == lines  # type: ignore[union-attr]
        engine.submit(session_id, "").result()
        assert engine.wait(session_id).result().exit_code == 0  # type: ignore[union-attr]
    wait_until(lambda: not [*home.rglob("*.log")], what="the log to go with its job")


def test_what_a_job_printed_before_its_holder_was_killed_with_its_engine_is_kept(home: Path) -> None:
    with Deck() as deck:
        runs_on = deck.start(command="trap '' HUP PIPE; echo so far; while :; do sleep 0.1; done")
        dies = deck.start(command="echo last words; read x", pty=True)
        wait_until(lambda: "so far" in deck.output(runs_on) and "last words" in deck.output(dies))
        holders = {held.session_id: held for held in find_held()}
        deck.kill()
    for held in holders.values():
        send_signal(held.holder, signal.SIGKILL)
    wait_until(lambda: not is_alive(holders[dies].identity))
    with Engine(patient()) as engine:
        wait_until(lambda: runs_on in engine.registry.jobs)
        view = engine.call("view", engine.registry.jobs[runs_on].view).result()
        assert view.detached and text_of(engine, runs_on) == "so far\n"
        assert engine.kill(runs_on).result().status == "killed"
        logged = wait_until(lambda: _logged(engine, dies))
        assert logged is not None and "last words" in logged.output
        assert engine.poll(dies).result().completion_reason == "lost"  # type: ignore[union-attr]
        wait_until(lambda: not [*(home / "held").iterdir()])


def _logged(engine: Engine, session_id: str) -> Logged | None:
    result = engine.log(session_id).result()
    return result if isinstance(result, Logged) else None
