"""What becomes of the jobs of an engine that was killed: each is accounted for, once (spec 3.5)."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from fates import Console, begin, end, entries, home, outlive, quiet, receipt
from held import Deck
from living import alive, command, tree_of
from patient import patient
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec
from engine.events import Completion, JobChanged, JobExited, JobStarted, Recovered
from engine.ownership.ledger import boot_id
from engine.process.identity import identify
from engine.results import Killed, Refused
from engine.store.lock import FileLock


def completions(engine: Engine, owner: str) -> list[Completion]:
    feed = engine.api(Caller(owner)).notices()
    return [wait_until(lambda: feed.next(PATIENCE)) for _ in range(1)]  # type: ignore[misc]


def test_what_dies_with_its_engine_is_lost_and_that_is_recorded_and_told_once() -> None:
    with Deck() as deck:
        plain = begin(deck, command="echo said; sleep 7431", name="plain", env={"API_TOKEN": "hunter2hunter2hunter2"})
        agents = begin(deck, owner="conv_a", command="sleep 7432", name="agents")
        raw = (home() / "processes.json").read_text()
        assert "hunter2" not in raw and "API_TOKEN" in raw
        assert entries()[plain]["owner_pid"] == deck.pid
        deck.kill()
    with Engine(patient(supervisor_kill_seconds=PATIENCE)) as engine:  # it waits for the supervisor so long
        feed = engine.api(Caller("conv_a")).notices()
        told = feed.next(PATIENCE)
        assert isinstance(told, Completion)
        assert (told.session_id, told.completion_reason, told.exit_code) == (agents, "lost", None)
        engine.list().result()  # no console was there: what it is to be told, in the same step, is kept
        console = Console(engine)
        fates = console.fates(2)
        assert [fate.fate for fate in fates.values()] == ["lost", "lost"] and list(fates) == [plain, agents]
        assert (fates[plain].name, fates[plain].owner, fates[agents].owner) == ("plain", "", "conv_a")
        for session_id in (plain, agents):
            found = receipt(session_id)
            assert (found["exit_code"], found["completion_reason"], found["output"]) == (None, "lost", "")
            assert found["termination_source"] == "lost"
        rows = engine.list().result().processes
        assert [(row.session_id, row.completion_reason) for row in rows] == [(plain, "lost"), (agents, "lost")]
        assert engine.api(Caller("conv_a")).poll(plain).result().status == "not_found"
        wait_until(lambda: not entries())
        assert console.of(Completion) == [] and feed.take() == []
    with Engine(patient()) as engine:
        console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
        quiet(engine)
        assert console.of(Recovered) == [] and feed.take() == []


def test_a_receipt_is_the_end_of_its_job_and_an_untold_completion_is_told() -> None:
    with Deck() as deck:
        session_id = begin(deck, owner="conv_a", command="read x; exit 6", stdin="pipe", notify_on_complete=True)
        lock = FileLock(home() / "processes.lock")
        assert lock.acquire(PATIENCE)  # from here on the checkpoint stays as it is
        deck.call("close", session_id)
        wait_until((home() / "logs" / "process-results" / f"{session_id}.json").exists)
        deck.kill()
        lock.release()
    assert session_id in entries()
    with Engine(patient()) as engine:
        fates = Console(engine).fates(1)
        assert (fates[session_id].fate, fates[session_id].exit_code) == ("finished", 6)
        assert fates[session_id].text == "✗ failed (exit 6)"
        feed = engine.api(Caller("conv_a")).notices()
        told = feed.next(PATIENCE)
        assert isinstance(told, Completion) and (told.session_id, told.exit_code) == (session_id, 6)
        quiet(engine)
        assert feed.take() == [] and receipt(session_id)["exit_code"] == 6
        wait_until(lambda: not entries())


def test_what_a_living_engine_runs_is_left_alone() -> None:
    with Deck() as deck:
        theirs = begin(deck, command="sleep 7435")
        with Engine(patient()) as engine:
            console = Console(engine)
            quiet(engine)
            ours = engine.spawn(JobSpec(command="sleep 7436")).result().session_id
            wait_until(lambda: set(entries()) == {theirs, ours})
            assert entries()[theirs]["owner_pid"] == deck.pid and entries()[ours]["owner_pid"] == os.getpid()
            assert console.of(Recovered) == []
        assert set(entries()) == {theirs}
        assert deck.call("poll", theirs)["status"] == "running"


def orphan(deck: Deck, runs: str, **fields: Any) -> tuple[str, psutil.Process]:
    """A job that goes on though its engine and its supervisor were killed while this command ran in it; its id and its
    direct child."""
    session_id = begin(deck, **fields)
    process = psutil.Process(entries()[session_id]["pid"])
    wait_until(lambda: runs in map(command, tree_of(process.pid)), what=f"{runs} to run")
    outlive(deck)
    assert alive([process])
    return session_id, process


def test_what_runs_without_a_holder_is_detached_and_can_be_ended() -> None:
    with Deck() as deck:
        line = "trap '' HUP; sleep 7437 & sleep 7438; wait"
        session_id, process = orphan(deck, "sleep 7438", command=line, pty=True, owner="conv_a")
    with Engine(patient(supervisor_kill_seconds=0.2)) as engine:
        console = Console(engine)
        assert console.fates(1)[session_id].fate == "detached"
        (begun,) = console.of(JobStarted)
        assert begun.job.detached and begun.job.recovered and begun.job.pid == process.pid
        (row,) = engine.list().result().processes
        assert (row.detached, row.status, row.output_preview) == (True, "running", "")
        for call in (
            engine.write(session_id, "x"),
            engine.submit(session_id, "x"),
            engine.close(session_id),
            engine.resize(session_id, 90, 20),
        ):
            answer = call.result()
            assert isinstance(answer, Refused) and "without its streams" in answer.error
        assert engine.log(session_id).result().output == ""  # type: ignore[union-attr]
        assert engine.signal(session_id, "CONT").result().status == "ok"
        again = engine.restart(session_id).result()
        assert isinstance(again, Refused) and "anew" in again.error
        assert entries()[session_id]["owner_pid"] == os.getpid()
        killed = engine.kill(session_id).result()
        assert isinstance(killed, Killed) and (killed.status, killed.exit_code) == ("killed", -15)
        assert alive([process]) == [] and receipt(session_id)["completion_reason"] == "killed"
        wait_until(lambda: not entries())


def test_the_end_of_a_detached_job_is_seen_and_its_code_is_not_made_up() -> None:
    with Deck() as deck:
        session_id, process = orphan(deck, "sleep 7439", command="sleep 7439", owner="conv_a", notify_on_complete=True)
    with Engine(patient(supervisor_kill_seconds=0.2)) as engine:
        console = Console(engine)
        assert console.fates(1)[session_id].fate == "detached"
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: console.of(JobExited))
        (ended,) = console.of(JobExited)
        assert (ended.job.exit_code, ended.job.completion_reason) == (None, "lost")
        told = engine.api(Caller("conv_a")).notices().next(PATIENCE)
        assert isinstance(told, Completion) and told.completion_reason == "lost"
        assert receipt(session_id)["exit_code"] is None


def test_a_detached_job_dies_with_the_engine_that_took_it_over() -> None:
    with Deck() as deck:
        session_id, process = orphan(deck, "sleep 7440", command="sleep 7440")
    with Deck(supervisor_kill_seconds=0.2) as second:
        wait_until(lambda: second.look(session_id, "job is not None and job.detached"))
        second.kill()
        wait_until(lambda: alive([process]) == [])
    with Engine(patient()) as engine:
        console = Console(engine)

        def told() -> list[str]:
            return [fate.fate for one in console.of(Recovered) for fate in one.fates]

        # What the second engine had to say, and nobody heard, comes first, if it came to say it.
        wait_until(lambda: told()[-1:] == ["lost"])
        assert told() in (["lost"], ["detached", "lost"])


def entry(session_id: str, **changes: Any) -> dict[str, Any]:
    nobody = subprocess.Popen(["true"])
    nobody.wait()
    plain = {
        **{"session_id": session_id, "owner_pid": nobody.pid, "owner_started_at": 1.0, "boot": boot_id()},
        **{"pid": nobody.pid, "host_start_time": 1.0, "command": "x", "name": "x", "cwd": "/", "started_at": 5.0},
    }
    return {**plain, **changes}


def test_a_recycled_number_is_lost_and_its_stranger_untouched() -> None:
    stranger = subprocess.Popen(["sleep", "7441"], start_new_session=True)
    found = identify(stranger.pid)
    assert found is not None
    written = [
        entry("proc_000000000001", pid=stranger.pid, host_start_time=found.start_time - 1),
        # A boot ago these were the very numbers.
        entry("proc_000000000002", pid=stranger.pid, host_start_time=found.start_time, boot="another"),
        # The engine's number is somebody else's now.
        entry("proc_000000000003", owner_pid=stranger.pid, owner_started_at=found.start_time - 1),
    ]
    home().mkdir(exist_ok=True)
    (home() / "processes.json").write_text(json.dumps({"entries": written, "version": 1}))
    with Engine(patient()) as engine:
        fates = Console(engine).fates(3)
        assert {fate.fate for fate in fates.values()} == {"lost"}
        quiet(engine)
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


RECOVERER = """
import sys, time
from engine import Engine
from engine.events import Recovered
with Engine() as engine:
    feed = engine.events()
    sys.stdin.readline()
    engine.list().result()  # by now the feed has been given what was told before
    for event in feed.take():
        if isinstance(event, Recovered):
            for fate in event.fates:
                print(fate.session_id, fate.fate, flush=True)
"""


def test_engines_that_start_together_tell_each_fate_once() -> None:
    with Deck() as deck:
        started = [deck.call("spawn", {"command": f"sleep 74{number}"})["session_id"] for number in range(50, 62)]
        wait_until(lambda: set(entries()) == set(started))
        end(deck, *(one["pid"] for one in entries().values()))
    engines = [
        subprocess.Popen(
            [sys.executable, "-c", RECOVERER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        for _ in range(3)
    ]
    wait_until(lambda: not entries(), what="all of them to be seen to")
    wait_until(lambda: all((home() / "logs" / "process-results" / f"{one}.json").exists() for one in started))
    told = [line for engine in engines for line in engine.communicate("\n")[0].splitlines()]
    assert sorted(told) == sorted(f"{session_id} lost" for session_id in started)


def test_a_held_job_comes_back_whole_and_ends_with_its_own_code() -> None:
    with Deck() as deck:
        kept = deck.start(command="read x; echo got $x; exit 9", stdin="pipe", name="kept")
        wait_until(lambda: kept in entries())
        deck.kill()
    with Engine(patient()) as engine:
        console = Console(engine)
        assert console.fates(1)[kept].fate == "readopted"
        assert entries()[kept]["owner_pid"] in (os.getpid(), deck.pid)
        engine.submit(kept, "it").result()
        assert engine.wait(kept).result().exit_code == 9  # type: ignore[union-attr]
        assert receipt(kept)["output"] == "got it\n"
        wait_until(lambda: not entries())
        assert [one.job.exit_code for one in console.of(JobExited)] == [9]


def test_a_held_job_that_is_let_go_of_is_nobodys_until_the_next_engine() -> None:
    with Engine(patient()) as engine:
        kept = engine.spawn(JobSpec(command="sleep 7442", persist_on_release=True)).result().session_id
        wait_until(lambda: kept in entries())
    assert entries()[kept]["owner_pid"] == 0
    with Engine(patient()) as engine:
        assert Console(engine).fates(1)[kept].fate == "readopted"
        wait_until(lambda: entries()[kept]["owner_pid"] == os.getpid())
        engine.shutdown(keep=False)
    assert receipt(kept)["termination_source"] == "quit" and not entries()


@pytest.mark.parametrize("kind", ["garbage", "empty", "cut", "nested", "folder", "pipe", "loop"])
def test_a_bad_checkpoint_is_moved_aside_and_told_and_the_ledger_still_knows(kind: str) -> None:
    path = home() / "processes.json"
    with Deck() as deck:
        session_id = begin(deck, command="sleep 7443")
        end(deck, entries()[session_id]["pid"])
    whole = path.read_bytes()
    path.unlink()
    contents = {"garbage": b"\0\1", "empty": b"", "cut": whole[:-9], "nested": b"[" * 90_000}
    if kind in contents:
        path.write_bytes(contents[kind])
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name)
    with Engine(patient()) as engine:
        console = Console(engine)
        assert console.fates(1)[session_id].fate == "lost"
        (aside,) = home().glob("processes.json.corrupt-*")
        wait_until(lambda: any(aside.name in text for text in console.notices()))
        assert kind not in contents or aside.read_bytes() == contents[kind]
        ours = engine.spawn(JobSpec(command="sleep 7444")).result().session_id
        wait_until(lambda: set(entries()) == {ours})


def test_a_lock_that_somebody_keeps_holds_up_neither_starts_nor_ends() -> None:
    home().mkdir(exist_ok=True)
    lock = FileLock(home() / "processes.lock")
    with Engine(patient()) as engine:
        console = Console(engine)
        quiet(engine)
        assert lock.acquire(PATIENCE)
        for _ in range(5):
            session_id = engine.spawn(JobSpec(command="true")).result().session_id
            engine.wait(session_id).result()
            assert receipt(session_id)["exit_code"] == 0
        wait_until(lambda: any("another process holds its lock" in text for text in console.notices()))
        views = [one.job for one in console.of(JobExited)]
        assert not any(view.receipt_pending for view in views)
        running = engine.spawn(JobSpec(command="sleep 7445")).result().session_id
        lock.release()
        wait_until(lambda: set(entries()) == {running})


def test_alerts_that_are_changed_are_in_the_checkpoint() -> None:
    with Engine(patient()) as engine:
        session_id = engine.spawn(JobSpec(command="sleep 7446")).result().session_id
        engine.set_watches(session_id, ["x"]).result()
        wait_until(lambda: entries().get(session_id, {}).get("watch_patterns") == ["x"])
        engine.set_notify(session_id, True).result()
        wait_until(lambda: entries()[session_id].get("notify_on_complete"))
    assert not entries()


def test_an_engine_for_one_command_takes_nothing_over() -> None:
    with Deck() as deck:
        session_id = begin(deck, command="sleep 7447")
        deck.kill()
    with Engine(patient(), recovers=False) as engine:
        console = Console(engine)
        quiet(engine)
        assert console.of(Recovered) == [] and console.of(JobChanged) == []
    assert session_id in entries()


def test_an_end_that_is_not_on_the_disk_keeps_its_entry_until_it_is() -> None:
    """While a result can't be written, the checkpoint is all that says that the job was."""
    results = home() / "logs" / "process-results"
    with Engine(patient()) as engine:
        console = Console(engine)
        results.parent.mkdir(parents=True, exist_ok=True)
        results.write_text("a file where the folder should be")
        ended = engine.spawn(JobSpec(command="exit 4")).result().session_id
        assert engine.wait(ended).result().exit_code == 4  # type: ignore[union-attr]
        (view,) = [one.job for one in console.of(JobExited)]
        assert view.receipt_pending
        other = engine.spawn(JobSpec(command="sleep 7448")).result().session_id
        wait_until(lambda: set(entries()) == {ended, other})
        results.unlink()
        wait_until(lambda: set(entries()) == {other})
        assert receipt(ended)["exit_code"] == 4


def test_a_lost_job_whose_result_can_not_be_written_is_told_and_keeps_its_entry_until_it_can() -> None:
    results = home() / "logs" / "process-results"
    with Deck() as deck:
        session_id = begin(deck, command="sleep 7449")
        end(deck, entries()[session_id]["pid"])
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text("a file where the folder should be")
    with Engine(patient()) as engine:
        assert Console(engine).fates(1)[session_id].fate == "lost"
        quiet(engine)
        assert engine.registry.writer.flush(1) is False
        assert session_id in entries()
        results.unlink()
        wait_until(lambda: not entries())
        assert receipt(session_id)["completion_reason"] == "lost"
