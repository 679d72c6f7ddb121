"""Notices that nobody took outlive their engine, and are handed out once (spec 2.2)."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fates import Console, entries, home, quiet
from held import Deck
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, NoticeFeed, Settings
from engine.events import Completion, EngineNotice, Heartbeat, Notice
from engine.store.lock import FileLock

A, B = Caller("conv_a"), Caller("conv_b")


def on_disk() -> list[dict[str, Any]]:
    """All letters that are kept, by whichever engine; once, where one is taking them over from another."""
    found = [json.loads(path.read_bytes())["letters"] for path in sorted((home() / "notices").glob("*.json"))]
    return list({letter["letter_id"]: letter for letters in found for letter in letters}.values())


def told_on_disk() -> set[str]:
    """The jobs of which a file says that their owners know the end."""
    return {one for path in (home() / "notices").glob("*.json") for one in json.loads(path.read_bytes())["told"]}


def beat(text: str) -> Callable[[int, float], Heartbeat]:
    return lambda sequence, at: Heartbeat(sequence=sequence, at=at, session_id="x", output=text)


def post(engine: Engine, owner: Caller, *texts: str) -> None:
    def notify() -> None:
        for text in texts:
            engine.registry.notify(owner.owner, beat(text))

    engine.call("post", notify).result(PATIENCE)


def written(engine: Engine) -> None:
    assert engine.registry.writer.flush(PATIENCE)


def texts(feed: NoticeFeed, count: int) -> list[str]:
    found: list[Notice] = []
    wait_until(lambda: found.extend(feed.take()) or len(found) >= count)  # type: ignore[func-returns-value]
    return [one.output if isinstance(one, Heartbeat) else type(one).__name__ for one in found]


def test_a_completion_that_nobody_took_is_told_by_the_next_engine_once() -> None:
    with Deck() as deck:
        spec = {"command": "echo done; exit 3", "notify_on_complete": True}
        session_id = deck.call("spawn", spec, owner="conv_a")["session_id"]
        wait_until(on_disk)
        deck.kill()
    with Engine() as engine:
        stranger = engine.api(B).notices()
        feed = engine.api(A).notices()
        told = feed.next(PATIENCE)
        assert isinstance(told, Completion)
        assert (told.session_id, told.exit_code, told.output) == (session_id, 3, "done\n")
        quiet(engine)
        written(engine)
        assert feed.take() == [] == stranger.take()
        assert [letter for letter in on_disk() if letter["owner"]] == []
    with Engine() as engine:
        quiet(engine)
        assert engine.api(A).notices().take() == []


def test_what_an_owner_took_is_not_told_again_and_the_rest_in_order() -> None:
    with Engine() as engine:
        feed = engine.api(A).notices()
        post(engine, A, "1", "2", "3")
        assert [feed.next(PATIENCE).output for _ in range(2)] == ["1", "2"]  # type: ignore[union-attr]
        post(engine, A, "4")
    assert [letter["notice"]["output"] for letter in on_disk()] == ["3", "4"]
    with Engine() as engine:
        post(engine, A, "5")
        quiet(engine)
        assert texts(engine.api(A).notices(), 3) in (["3", "4", "5"], ["5", "3", "4"])
        written(engine)
        assert on_disk() == []


def test_what_nobody_takes_goes_from_engine_to_engine() -> None:
    with Engine() as engine:
        post(engine, A, *map(str, range(5)))
    for _ in range(3):
        with Engine() as engine:
            quiet(engine)
            assert len(on_disk()) == 5
    with Engine() as engine:
        assert texts(engine.api(A).notices(), 5) == [*map(str, range(5))]
        written(engine)
        assert not list((home() / "notices").iterdir())


def test_a_reader_of_the_result_needs_no_notice_of_it_any_more() -> None:
    with Deck() as deck:
        ids = []
        for number in range(3):
            spec = {"command": f"exit {number}", "notify_on_complete": True}
            ids.append(deck.call("spawn", spec, owner="conv_a")["session_id"])
        wait_until(lambda: len(on_disk()) == 3)
        deck.kill()
    with Engine() as engine:
        quiet(engine)
        agent = engine.api(A)
        assert agent.wait(ids[0]).result().exit_code == 0  # type: ignore[union-attr]
        assert agent.poll(ids[1]).result().to_dict()["exit_code"] == 1
        engine.log(ids[2]).result()  # another's reading takes nothing from the owner
        feed = agent.notices()
        assert [one.session_id for one in feed.take() or [feed.next(PATIENCE)]] == [ids[2]]  # type: ignore[union-attr]


def test_the_operators_are_told_to_the_next_console_with_what_they_said() -> None:
    with Engine() as engine:
        engine.call("notice", lambda: engine.registry.notice("mind the gap", "error")).result()
    with Engine() as engine:
        console = Console(engine)
        wait_until(lambda: "mind the gap" in console.notices())
        quiet(engine)
        assert [one.severity for one in console.of(EngineNotice)] == ["error"]
        written(engine)
        assert on_disk() == []


def test_what_a_console_was_handed_and_never_took_comes_again() -> None:
    with Engine() as engine:
        feed = engine.events()
        engine.call("notice", lambda: engine.registry.notice("unheard")).result()
        feed.close()
    with Engine() as engine:
        console = Console(engine)
        wait_until(lambda: "unheard" in console.notices())


def test_bounds_hold_over_engines() -> None:
    with Engine(Settings(notices_kept=3)) as engine:
        post(engine, A, "1", "2", "3", "4")
        post(engine, B, "old")
    path = next(iter((home() / "notices").glob("*.json")))
    found = json.loads(path.read_bytes())
    for letter in found["letters"]:
        letter["kept_at"] -= 49 * 3600.0 * (letter["owner"] == "conv_b")
    path.write_text(json.dumps(found))
    with Engine(Settings(notices_kept=3)) as engine:
        quiet(engine)
        post(engine, A, "5")
        assert texts(engine.api(A).notices(), 3) == ["3", "4", "5"]
        assert engine.api(B).notices().take() == []


@pytest.mark.parametrize("kind", ["garbage", "empty", "cut", "wrong", "folder", "pipe"])
def test_a_bad_file_is_moved_aside_and_told_and_others_are_read(kind: str) -> None:
    with Engine() as engine:
        post(engine, A, "good")
    folder = home() / "notices"
    bad = folder / "0-0-0-bad.json"
    good = next(iter(folder.glob("*.json"))).read_bytes()
    contents = {"garbage": b"\0", "empty": b"", "cut": good[:-5], "wrong": b'{"letters": [{"owner": 7}]}'}
    if kind in contents:
        bad.write_bytes(contents[kind])
    elif kind == "folder":
        bad.mkdir()
    else:
        os.mkfifo(bad)
    with Engine() as engine:
        console = Console(engine)
        assert texts(engine.api(A).notices(), 1) == ["good"]
        (aside,) = wait_until(lambda: list(folder.glob("*.corrupt-*")))
        wait_until(lambda: any(aside.name in text for text in console.notices()))
        assert kind not in contents or aside.read_bytes() == contents[kind]


def test_a_command_that_is_no_text_is_no_trouble(tmp_path: Path) -> None:
    with Engine() as engine:
        odd = os.fsdecode(b"caf\xe9")
        session_id = (
            engine.api(A).spawn(JobSpec(argv=("echo", odd), name="odd", notify_on_complete=True)).result().session_id
        )
        engine.wait(session_id).result()
    with Engine() as engine:
        told = engine.api(A).notices().next(PATIENCE)
        assert isinstance(told, Completion) and told.command == f"echo '{odd}'"
        assert engine.log(session_id).result().output == "caf\ufffd\n"  # type: ignore[union-attr]
        (row,) = engine.list().result().processes
        assert row.command == "echo 'caf\\udce9'"


def test_many_are_handed_over_in_moments_of_both_engines() -> None:
    """No letter is doubled or lost while engines end and begin, and its owner comes and goes."""
    sent, got = 0, []
    for turn in range(6):
        with Engine() as engine:
            post(engine, A, *(str(number) for number in range(sent, sent + 50)))
            sent += 50
            quiet(engine)
            if turn % 2:
                feed = engine.api(A).notices()
                ends = time.monotonic() + 0.02 * turn
                while time.monotonic() < ends:
                    got += [one.output for one in feed.take() if isinstance(one, Heartbeat)]
                feed.close()
    with Engine() as engine:
        quiet(engine)
        feed = engine.api(A).notices()
        engine.list().result()
        got += [one.output for one in feed.take() if isinstance(one, Heartbeat)]
    assert sorted(map(int, got)) == list(range(sent))


def test_a_ledger_that_lags_behind_has_no_end_told_anew() -> None:
    with Deck() as deck:
        spec = {"command": "read x; exit 3", "stdin": "pipe", "notify_on_complete": True}
        session_id = deck.call("spawn", spec, owner="conv_a")["session_id"]
        wait_until(lambda: session_id in entries())
        lock = FileLock(home() / "ledger.lock")
        assert lock.acquire(PATIENCE)
        assert deck.call("submit", session_id, "", owner="conv_a")["status"] == "ok"
        assert deck.call("wait", session_id, owner="conv_a")["exit_code"] == 3  # its owner knows
        wait_until(lambda: session_id in told_on_disk(), what="that to be written down")
        time.sleep(0.3)  # as long as it would take to be taken out of the checkpoint
        deck.kill()
        lock.release()
    assert session_id in entries()
    with Engine() as engine:
        feed = engine.api(A).notices()
        assert Console(engine).fates(1)[session_id].exit_code == 3
        quiet(engine)
        assert feed.take() == []
