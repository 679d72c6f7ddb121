"""The engine that sees to a dead one's jobs is killed in the middle of it: nothing is told twice (spec 2.2, 3.5)."""

import json
import subprocess
import sys

from fates import Console, entries, home, locked, quiet
from held import Deck
from patient import patient
from waiting import wait_until

from engine import Caller, Engine
from engine.events import Completion, Recovered
from engine.store.lock import FileLock

AGENT = "conv_a"

TAKER = """
import sys
from engine import Caller, Engine
with Engine() as engine:
    print(engine.api(Caller("conv_a")).notices().next(30).session_id, flush=True)
    print(engine.registry.writer.flush(30), flush=True)
    sys.stdin.readline()
"""


def ended_unknown_to_the_checkpoint(deck: Deck) -> tuple[str, FileLock]:
    """A job of an agent's that has ended, of which the checkpoint says that it runs; and the lock that keeps it so."""
    spec = {"command": "read x; exit 6", "stdin": "pipe", "notify_on_complete": True}
    session_id = deck.call("spawn", spec, owner=AGENT)["session_id"]
    wait_until(lambda: session_id in entries())
    lock = locked("processes.lock")
    deck.call("close", session_id)
    wait_until((home() / "logs" / "process-results" / f"{session_id}.json").exists)
    return session_id, lock


def kept() -> tuple[set[str], set[str]]:
    """What the files of notices tell: whose ends are known, and whose are to be told."""
    files = [json.loads(path.read_bytes()) for path in (home() / "notices").glob("*.json")]
    letters = [letter["notice"] for file in files for letter in file["letters"] if letter["owner"]]
    return {one for file in files for one in file["told"]}, {letter["session_id"] for letter in letters}


def seen_to(engine: Engine) -> None:
    quiet(engine)
    wait_until(lambda: not entries())


def test_an_end_that_its_owner_has_read_stays_known() -> None:
    with Deck() as first:
        session_id, lock = ended_unknown_to_the_checkpoint(first)
        assert first.call("wait", session_id, owner=AGENT)["exit_code"] == 6
        wait_until(lambda: kept()[0] == {session_id})
        first.kill()
        lock.release()
    lock = locked("ledger.lock")  # what was claimed can't be seen to
    with Deck() as second:
        wait_until(lambda: entries()[session_id]["owner_pid"] == second.pid)
        own = f"{second.pid}-"
        wait_until(lambda: [one for one in (home() / "notices").iterdir() if not one.name.startswith(own)] == [])
        wait_until(lambda: len(list((home() / "notices").glob("*.json"))) <= 1, what="the first one's file to go")
        second.kill()
    lock.release()
    with Engine(patient()) as engine:
        feed = engine.api(Caller(AGENT)).notices()
        seen_to(engine)
        assert feed.take() == []
        wait_until(lambda: kept()[0] == set(), what="what the checkpoint knows by now to go")


def test_a_letter_that_was_taken_amid_a_recovery_is_not_written_anew() -> None:
    with Deck() as first:
        session_id, lock = ended_unknown_to_the_checkpoint(first)
        wait_until(lambda: kept()[1] == {session_id})
        first.kill()
        lock.release()
    lock = locked("ledger.lock")
    with subprocess.Popen([sys.executable, "-c", TAKER], stdin=-1, stdout=-1, text=True) as second:
        assert second.stdout is not None
        assert (second.stdout.readline(), second.stdout.readline()) == (f"{session_id}\n", "True\n")
        second.kill()
    lock.release()
    assert session_id in entries()
    with Engine(patient()) as engine:
        feed = engine.api(Caller(AGENT)).notices()
        seen_to(engine)
        assert feed.take() == []


def test_a_fate_that_waits_to_be_heard_is_not_found_anew() -> None:
    with Deck() as first:
        session_id, lock = ended_unknown_to_the_checkpoint(first)
        first.kill()
        lock.release()
    books = locked("ledger.lock")
    with Deck() as second:
        wait_until(lambda: entries()[session_id]["owner_pid"] == second.pid)
        lock = locked("processes.lock")  # the entry stays
        books.release()
        found = f"{second.pid}-*.json"
        wait_until(lambda: any(b"Recovered" in one.read_bytes() for one in (home() / "notices").glob(found)))
        second.kill()
        lock.release()
    assert session_id in entries()
    with Engine(patient()) as engine:
        console, feed = Console(engine), engine.api(Caller(AGENT)).notices()
        seen_to(engine)
        assert [[fate.session_id for fate in one.fates] for one in console.of(Recovered)] == [[session_id]]
        assert [one.session_id for one in feed.take() if isinstance(one, Completion)] == [session_id]
