"""Jobs of a dead engine that the checkpoint doesn't have: the ledger, a holder or a letter tells of them (spec 3.5)."""

import asyncio
import json
import signal

import psutil
import pytest
from fates import Console, begin, end, entries, home, locked, outlive, quiet
from held import Deck
from living import command
from patient import patient
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec
from engine.events import Completion, Recovered
from engine.ownership.held import Held
from engine.ownership.ledger import Ledger
from engine.process.identity import is_alive, send_signal
from engine.registry import orphans
from engine.registry.adopting import Adoption, find_held, readopt
from engine.registry.recovery import see_to_the_dead
from engine.registry.registry import Registry


def test_one_that_never_came_into_the_checkpoint_is_found_by_the_ledger() -> None:
    with Deck() as deck:
        begin(deck, command="sleep 7433")
        lock = locked("processes.lock")
        answer = deck.call("spawn", {"command": "sleep 7434"}, owner="conv_a")
        started = answer["session_id"]
        end(deck, answer["pid"])
        lock.release()
    assert started not in entries()
    with Engine(patient()) as engine:
        fates = Console(engine).fates(2)
        assert (fates[started].fate, fates[started].owner, fates[started].command) == ("lost", "conv_a", "sleep 7434")
        told = engine.api(Caller("conv_a")).notices().next(PATIENCE)
        assert isinstance(told, Completion) and told.session_id == started
    with Engine(patient()) as engine:
        console = Console(engine)
        quiet(engine)
        assert console.of(Recovered) == []


@pytest.mark.parametrize("persists", [False, True])
def test_an_end_that_neither_checkpoint_nor_letter_tells_of_is_told_by_what_is_left(persists: bool) -> None:
    told_by = home() / "notices"
    with Deck() as deck:
        begin(deck, command="sleep 7433")
        lock = locked("processes.lock")  # from here on the checkpoint stays as it is
        told_by.write_text("no folder, so that no letter can be written")
        fields = {"command": "read x; exit 6", "stdin": "pipe", "persist_on_release": persists}
        session_id = deck.call("spawn", {**fields, "notify_on_complete": True}, owner="conv_a")["session_id"]
        deck.call("close", session_id)
        wait_until((home() / "logs" / "process-results" / f"{session_id}.json").exists)
        wait_until(lambda: deck.look(session_id, "job.completion.told"))
        deck.call("spawn", {"command": "true"})  # the ledger is written in the order of what changes in it
        deck.kill()
        lock.release()
        told_by.unlink()
    assert session_id not in entries()
    with Engine(patient()) as engine:
        console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
        told = feed.next(PATIENCE)
        assert isinstance(told, Completion) and (told.session_id, told.exit_code) == (session_id, 6)
        (recovered,) = wait_until(lambda: console.of(Recovered))
        assert session_id in {fate.session_id for fate in recovered.fates}
        quiet(engine)
        wait_until(lambda: not entries())
        assert feed.take() == []
    with Engine(patient()) as engine:
        console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
        quiet(engine)
        assert console.of(Recovered) == [] and feed.take() == []


def test_what_tells_of_an_end_goes_once_the_letter_is_written() -> None:
    with Engine(patient()) as engine:
        agent = engine.api(Caller("conv_a"))
        kept_on = agent.spawn(JobSpec(command="sleep 7433")).result().session_id
        wait_until(lambda: kept_on in entries())
        lock = locked("processes.lock")
        untaken = agent.spawn(JobSpec(command="exit 6", notify_on_complete=True)).result().session_id
        read = agent.spawn(JobSpec(command="exit 7", notify_on_complete=True)).result().session_id
        assert agent.wait(read).result().exit_code == 7  # type: ignore[union-attr]
        ledger = Ledger(home(), print)
        wait_until(lambda: [row.session_id for row in ledger.rows()] == [kept_on], what="the rows to go")
        letters = [json.loads(path.read_bytes()) for path in (home() / "notices").glob("*.json")]
        assert [one["notice"]["session_id"] for file in letters for one in file["letters"] if one["owner"]] == [untaken]
        lock.release()
        assert engine.registry.writer.flush(PATIENCE)
        assert set(entries()) == {kept_on}


def running() -> Held:
    """The one held job, once its program runs: until then it dies with its holder."""
    (held,) = find_held()
    wait_until(lambda: command(psutil.Process(held.pid)).startswith("sleep"), what="the job to run")
    return held


def test_a_held_job_that_died_before_it_came_into_the_checkpoint_is_told_to_its_owner() -> None:
    with Deck() as deck:
        lock = locked("processes.lock")
        session_id = deck.start(owner="conv_a", argv=("sleep", "7443"))
        held = running()
        deck.kill()
        for one in (held.holder, held.identity):
            send_signal(one, signal.SIGKILL)
        wait_until(lambda: not (is_alive(held.holder) or is_alive(held.identity)))
        lock.release()
    with Engine(patient()) as engine:
        told = engine.api(Caller("conv_a")).notices().next(PATIENCE)
        assert isinstance(told, Completion) and (told.session_id, told.name) == (session_id, "sleep 7443")
        assert told.completion_reason == "lost"
        quiet(engine)
        wait_until(lambda: not entries())


@pytest.mark.parametrize("killed", [False, True])
def test_the_end_of_one_whose_holder_was_killed_with_its_engine_is_told_once(killed: bool) -> None:
    with Deck() as deck:
        session_id = deck.start(owner="conv_a", argv=("sleep", "7443"), notify_on_complete=True)
        wait_until(lambda: session_id in entries())
        held = running()
        deck.kill()
        send_signal(held.holder, signal.SIGKILL)
        wait_until(lambda: not is_alive(held.holder))
    with Engine(patient()) as engine:
        console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
        assert console.fates(1)[session_id].fate == "detached"
        if killed:
            engine.kill(session_id).result()
        else:
            send_signal(held.identity, signal.SIGKILL)
        told = feed.next(PATIENCE)
        assert isinstance(told, Completion) and told.session_id == session_id
        quiet(engine)
        wait_until(lambda: not entries())
    with Engine(patient()) as engine:
        console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
        quiet(engine)
        assert console.of(Recovered) == [] and feed.take() == []


def test_one_of_which_only_its_holder_knew_can_be_ended_and_has_a_name() -> None:
    with Deck() as deck:
        lock = locked("processes.lock")
        session_id = deck.start(argv=("sleep", "7443"))
        held = running()
        deck.kill()
        send_signal(held.holder, signal.SIGKILL)
        wait_until(lambda: not is_alive(held.holder))
        (home() / "ledger.json").unlink()
        lock.release()
    with Engine(patient()) as engine:
        assert Console(engine).fates(1)[session_id].fate == "detached"
        (row,) = engine.list().result().processes
        assert (row.name, row.status) == (session_id, "running")
        assert engine.kill(session_id).result().status == "killed"


@pytest.mark.parametrize("killed", [False, True])
def test_a_detached_job_that_never_came_into_the_checkpoint_is_told_to_its_owner(killed: bool) -> None:
    with Deck() as deck:
        lock = locked("processes.lock")
        spec = {"command": "sleep 7439", "notify_on_complete": killed}  # what is lost is told in any case
        answer = deck.call("spawn", spec, owner="conv_a")
        process = psutil.Process(answer["pid"])
        outlive(deck)
        lock.release()
    with Engine(patient(supervisor_kill_seconds=0.2)) as engine:
        console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
        session_id = answer["session_id"]
        assert console.fates(1)[session_id].fate == "detached"
        if killed:
            engine.kill(session_id).result()
        else:
            process.kill()
        told = feed.next(PATIENCE)
        assert isinstance(told, Completion) and told.session_id == session_id
        assert told.completion_reason == ("killed" if killed else "lost")


def test_a_held_job_of_ours_that_the_checkpoint_has_not_yet_stays_ours() -> None:
    with Engine(patient()) as engine:
        console, registry = Console(engine), engine.registry
        quiet(engine)
        kept = engine.spawn(JobSpec(command="sleep 7442", persist_on_release=True)).result().session_id
        wait_until(lambda: kept in entries())
        (home() / "processes.json").unlink()
        looked = asyncio.run_coroutine_threadsafe(see_to_the_dead(registry, recovers=True), registry.loop)
        looked.result(PATIENCE)
        assert console.of(Recovered) == []
    assert entries()[kept]["owner_pid"] == 0
    with Engine(patient()) as engine:
        assert Console(engine).fates(1)[kept].fate == "readopted"
        engine.shutdown(keep=False)


def test_a_held_job_that_is_found_while_it_starts_and_looked_at_after_its_end_is_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over = asyncio.Event()

    async def late(registry: Registry, held: Held) -> Adoption:
        await over.wait()
        return await readopt(registry, held)

    monkeypatch.setattr(orphans, "readopt", late)
    with Engine(patient()) as engine:
        console, registry = Console(engine), engine.registry
        agent = engine.api(Caller("conv_a"))
        feed = agent.notices()
        quiet(engine)
        books = locked("ledger.lock")
        starting = agent.spawn(JobSpec(command="exit 5", persist_on_release=True, notify_on_complete=True))
        (held,) = wait_until(find_held)
        looked = asyncio.run_coroutine_threadsafe(see_to_the_dead(registry, recovers=True), registry.loop)
        wait_until(lambda: looked.done() or held.session_id in entries(), what="the claim")
        books.release()
        assert starting.result().session_id == held.session_id
        told = feed.next(PATIENCE)
        assert isinstance(told, Completion) and told.exit_code == 5
        wait_until(lambda: not is_alive(held.holder))
        engine.call("over", over.set).result()
        looked.result(PATIENCE)
        assert console.of(Recovered) == [] and feed.take() == []
        wait_until(lambda: not entries())
