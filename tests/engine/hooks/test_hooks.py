"""``on_exit`` and ``on_hit``: told once an event, whole and masked, bounded, and dead with their owner."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from file_jobs import BASE, edit
from living import alive
from manual_clock import ManualClock
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, StartError
from engine.clock import Clock
from engine.config.loading import load
from engine.events import Completion, EngineNotice, JobExited


class Deck:
    """A real engine with hooks, what its console hears, and what the hooks were told."""

    def __init__(self, engine: Engine, told: Path) -> None:
        self.engine = engine
        self.folder = told
        self.events: list[Any] = []
        self._feed = engine.events()

    def hear(self) -> list[Any]:
        self.events += self._feed.take()
        return self.events

    def told(self, count: int) -> list[dict[str, Any]]:
        """Wait until hooks were told of so many events; each that was, whole."""

        def look() -> list[Path]:
            files = sorted(self.folder.glob("*.json"))
            return files if len(files) >= count else []

        return [json.loads(file.read_bytes()) for file in wait_until(look, what=f"{count} hooks")]

    def notice(self, text: str) -> EngineNotice:
        """Wait for a notice that holds this."""

        def look() -> EngineNotice | None:
            notices = [event for event in self.hear() if isinstance(event, EngineNotice)]
            return next((notice for notice in notices if text in notice.text), None)

        found = wait_until(look, what=f"a notice with {text!r}")
        assert found is not None
        return found

    def run(self, command: str, **more: Any) -> str:
        """Run a job to its end."""
        session_id = self.engine.spawn(JobSpec(command=command, **more)).result().session_id
        self.engine.wait(session_id).result()
        return session_id


Begin = Callable[..., Deck]


@pytest.fixture
def begin(folder: Path, tmp_path: Path) -> Iterator[Begin]:
    """An engine whose ``jobdeck.toml`` says this."""
    (tmp_path / "told").mkdir()
    with ExitStack() as stack:

        def made(text: str, clock: Clock | None = None) -> Deck:
            (folder / "jobdeck.toml").write_text(text)
            configuration = load(base=BASE)
            assert not configuration.problems
            engine = Engine(configuration=configuration, clock=clock, follows=True, runs_jobs=True)
            stack.enter_context(engine)
            return Deck(engine, tmp_path / "told")

        yield made


@pytest.fixture
def keeps(tmp_path: Path) -> str:
    """A hook that keeps what it is told: a file each, there once it is whole."""
    told = shlex.quote(str(tmp_path / "told"))
    return f"cat > {told}/$$.part && mv {told}/$$.part {told}/$JOBDECK_EVENT.$JOBDECK_JOB_ID.$$.json"


def runs(pid: int) -> bool:
    """Does this process run?"""
    try:
        return bool(alive([psutil.Process(pid)]))
    except psutil.NoSuchProcess:
        return False


def setting(**values: object) -> str:
    """``[settings]`` with these."""
    return "[settings]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def test_an_end_is_told_whole(begin: Begin, keeps: str, folder: Path) -> None:
    deck = begin(setting(on_exit=keeps, receipt_wait_seconds=PATIENCE))
    session_id = deck.run("printf 'one\\ntwo\\n'; exit 3", name="build", tags=("ci",), notify_on_complete=True)
    (told,) = deck.told(1)
    started, exited, pid = (told.pop(name) for name in ("started_at", "exited_at", "pid"))
    assert exited >= started > 0
    assert pid > 1
    assert told.pop("duration_seconds") >= 0
    assert Path(told.pop("receipt")).is_file()
    assert told == {
        "event": "exit",
        "summary": "✗ build failed (exit 3)",
        "session_id": session_id,
        "name": "build",
        "command": "printf 'one\\ntwo\\n'; exit 3",
        "cwd": str(folder),
        "tags": ["ci"],
        "host": "",
        "owner": "",
        "goal_id": "",
        "batch_id": "",
        "notify_on_complete": True,
        "exit_code": 3,
        "completion_reason": "exited",
        "termination_source": "",
        "failed": True,
        "start_error": "",
        "output": "one\ntwo\n",
        "output_cut": 0,
    }


def test_fifty_jobs_that_end_at_once_are_told_once_each(begin: Begin, keeps: str, folder: Path) -> None:
    deck = begin(setting(on_exit=keeps))
    spec = JobSpec(command="read -r line < gate; echo done", notify_on_complete=True)
    os.mkfifo(folder / "gate")
    ids = [deck.engine.spawn(spec).result().session_id for _ in range(50)]
    gate = os.open(folder / "gate", os.O_RDWR)
    os.write(gate, b"go\n" * 50)
    told = deck.told(50)
    os.close(gate)
    assert sorted(one["session_id"] for one in told) == sorted(ids)
    assert {(one["exit_code"], one["output"]) for one in told} == {(0, "done\n")}
    ended = [event.job.session_id for event in deck.hear() if isinstance(event, JobExited)]
    assert sorted(ended) == sorted(ids)  # a hook is no job

    def completed() -> list[str]:
        return [event.session_id for event in deck.hear() if isinstance(event, Completion)]

    wait_until(lambda: len(completed()) >= 50)
    assert sorted(completed()) == sorted(ids)
    assert len(list(deck.folder.iterdir())) == 50


def test_a_hit_is_told_as_it_is_delivered(begin: Begin, keeps: str) -> None:
    deck = begin(setting(on_hit=keeps))
    session_id = deck.run("echo well; echo ERROR one; echo ERROR two", name="api", watch_patterns=("ERROR",))
    (told,) = deck.told(1)  # the second is within the cooldown of the first
    kept = ("event", "summary", "session_id", "pattern", "line", "position", "suppressed", "watched_by")
    assert {name: told[name] for name in kept} == {
        "event": "hit",
        "summary": "⚑ api: ERROR one",
        "session_id": session_id,
        "pattern": "ERROR",
        "line": 1,
        "position": 5,
        "suppressed": 0,
        "watched_by": "",
    }
    assert told["text"].startswith("ERROR one")


def test_a_hook_has_what_is_kept_from_jobs_and_nothing_of_conversations(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_ADDRESS", "secret")
    monkeypatch.setenv("JOBDECK_TOKEN", "an agent's")
    deck = begin(setting(on_exit=f"env > {tmp_path}/env.part && mv {tmp_path}/env.part {tmp_path}/env",
                         env_block=["HOOK_ADDRESS"]))  # fmt: skip
    session_id = deck.run('test -z "$HOOK_ADDRESS"', name="a\nb")
    wait_until((tmp_path / "env").exists, what="the hook")
    env = dict(line.partition("=")[::2] for line in (tmp_path / "env").read_text().splitlines())
    assert env["HOOK_ADDRESS"] == "secret"
    assert "JOBDECK_TOKEN" not in env
    told = {name: env[name] for name in ("JOBDECK_EVENT", "JOBDECK_JOB_ID", "JOBDECK_JOB_NAME", "JOBDECK_EXIT_CODE")}
    assert list(told.values()) == ["exit", session_id, "a b", "0"]


def test_kills_and_starts_that_fail_are_ends(begin: Begin, keeps: str) -> None:
    deck = begin(setting(on_exit=keeps))
    session_id = deck.engine.spawn(JobSpec(command="sleep 600")).result().session_id
    deck.engine.kill(session_id).result()
    with pytest.raises(StartError):
        deck.engine.spawn(JobSpec(argv=("/nowhere/at-all",))).result()
    killed, failed = sorted(deck.told(2), key=lambda one: one["started_at"])
    assert (killed["completion_reason"], killed["failed"]) == ("killed", False)
    assert (failed["completion_reason"], failed["exit_code"], failed["failed"]) == ("failed_start", 127, True)
    assert "/nowhere/at-all" in failed["start_error"]


def test_a_job_of_the_file_has_its_own_or_none(begin: Begin, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    deck = begin(
        f'[settings]\non_exit = "echo all $JOBDECK_JOB_NAME $PWD >> {out}"\n'
        '[jobs.own]\ncommand = "true"\nautostart = true\n'
        f'on_exit = ["sh", "-c", \'echo own "$JOBDECK_JOB_NAME $PWD" >> {out}\']\n'
        '[jobs.none]\ncommand = "true"\nautostart = true\nafter = ["own"]\nready = { exit = 0 }\non_exit = ""\n'
        '[jobs.usual]\ncommand = "true"\nautostart = true\nafter = ["none"]\n'
        '[jobs.broken]\nargv = ["/nowhere/at-all"]\nautostart = true\n'
        f'on_exit = "echo broken $JOBDECK_EXIT_CODE >> {out}"\n'
    )
    wait_until(lambda: out.exists() and len(out.read_text().splitlines()) == 3, what="three hooks")
    assert sorted(out.read_text().splitlines()) == ["all usual " + str(folder), "broken 127", "own own " + str(folder)]
    # A job that only has the name of one of the file isn't it.
    deck.run("true", name="own")
    wait_until(lambda: f"all own {folder}" in out.read_text().splitlines(), what="the hook of all")


def test_a_changed_file_counts_at_once(begin: Begin, keeps: str, folder: Path) -> None:
    deck = begin(setting(on_exit=""))
    deck.run("true")
    edit(folder, setting(on_exit=keeps))
    assert "on_exit" in deck.notice("was read again").text
    session_id = deck.run("true")
    assert [one["session_id"] for one in deck.told(1)] == [session_id]


def test_secrets_are_masked_in_all_that_is_told(begin: Begin, keeps: str) -> None:
    deck = begin(setting(on_exit=keeps, on_hit=keeps))
    token = "ghp_" + "a1B2" * 9
    deck.run(f"echo look {token}", watch_patterns=("look",), name=f"with {token}")
    raw = "".join(json.dumps(one) for one in deck.told(2))
    assert "a1B2a1B2" not in raw
    assert raw.count("look") >= 2


def test_a_failing_hook_is_told_once_with_what_it_said(begin: Begin, folder: Path) -> None:
    deck = begin(setting(on_exit="echo no route to ghp_" + "a1B2" * 9 + " >&2; exit 7"))
    deck.run("true", name="first")
    notice = deck.notice("on_exit failed (exit 7) for first")
    assert "for first: no route to ghp_" in notice.text
    assert "a1B2a1B2" not in notice.text
    assert "jobdeck.toml:2" in notice.text
    assert notice.severity == "error"
    deck.run("true", name="second")
    # When this one is told, the one before it has been through: it failed in the same way and is only counted.
    edit(folder, setting(on_exit=["/nowhere/at-all"]))
    deck.notice("was read again")
    deck.run("true", name="third")
    assert "/nowhere/at-all" in deck.notice("on_exit can't be started for third: ").text
    told = [event.text for event in deck.hear() if isinstance(event, EngineNotice)]
    assert not [text for text in told if "second" in text]


def test_a_hook_that_hangs_is_ended_with_all_it_started(begin: Begin, tmp_path: Path) -> None:
    pids, clock = tmp_path / "pids", ManualClock()
    starts = "setsid sleep 7801 & away=$!; sleep 7802 & near=$!"
    line = f"trap '' TERM; {starts}; echo waits; echo $away $near $$ >> {pids}; wait; sleep 7803"
    deck = begin(setting(on_exit=line, hook_seconds=15), clock)
    deck.run("true", name="job")
    wait_until(lambda: pids.exists() and len(pids.read_text().split()) == 3 and clock.rings_in(15))
    clock.advance(deck.engine, 14.9)
    assert all(runs(int(pid)) for pid in pids.read_text().split())
    clock.advance(deck.engine, 0.1)
    deck.notice("on_exit was ended after 15 s for job: waits → mend it in jobdeck.toml:2")
    assert not [pid for pid in pids.read_text().split() if runs(int(pid))]


def test_so_many_run_at_once_and_so_many_wait(begin: Begin, folder: Path, tmp_path: Path) -> None:
    """Neither holds up a job: all have ended while no hook could."""
    os.mkfifo(folder / "gate")
    runs = tmp_path / "runs"
    runs.mkdir()
    line = f"touch {runs}/$JOBDECK_JOB_ID; read -r line < gate"
    deck = begin(setting(on_exit=line, hooks_at_once=2, hooks_waiting=3, hook_seconds=PATIENCE))
    for _ in range(7):
        deck.run("true")
    assert "3 hooks wait already" in deck.notice("hooks wait").text
    wait_until(lambda: len(list(runs.iterdir())) == 2, what="two hooks to run")
    gate = os.open(folder / "gate", os.O_RDWR)
    os.write(gate, b"go\n" * 7)
    wait_until(lambda: len(list(runs.iterdir())) == 5, what="those that waited")
    os.close(gate)


def test_a_hook_that_is_under_way_has_a_moment_when_jobdeck_ends(begin: Begin, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    os.mkfifo(folder / "gate")
    line = f"echo began >> {out}; read -r line < gate; echo ended >> {out}"
    deck = begin(setting(on_exit=line, hooks_leave_seconds=PATIENCE))
    left = deck.engine.spawn(JobSpec(command="sleep 600")).result()
    deck.run("true")
    wait_until(out.exists, what="the hook to begin")
    gate = os.open(folder / "gate", os.O_RDWR)
    os.write(gate, b"go\n")
    deck.engine.shutdown()
    os.close(gate)
    assert out.read_text() == "began\nended\n"  # and none for the job that ended with jobdeck
    assert left.pid


def test_a_hook_that_stays_ends_with_jobdeck(begin: Begin, tmp_path: Path) -> None:
    out = tmp_path / "out"
    deck = begin(setting(on_exit=f"echo $$ >> {out}; sleep 7804; sleep 7805", hooks_leave_seconds=0.1))
    deck.run("true")
    wait_until(lambda: out.exists() and out.read_text().strip(), what="the hook to begin")
    deck.engine.shutdown()
    assert not runs(int(out.read_text()))


OWNER = """
import sys, time
from engine import Engine, JobSpec, Settings
engine = Engine(Settings(on_exit=sys.argv[1], supervisor_kill_seconds=1.0))
engine.spawn(JobSpec(command=sys.argv[2], persist_on_release=len(sys.argv) > 3)).result()
print("runs", flush=True)
time.sleep(600)
"""


def test_hooks_die_with_their_engine(tmp_path: Path) -> None:
    out = tmp_path / "out"
    line = f"trap '' TERM HUP; sleep 7806 & echo $$ $! >> {out}; wait; sleep 7807"
    owner = subprocess.Popen([sys.executable, "-c", OWNER, line, "true"])
    try:
        wait_until(lambda: out.exists() and len(out.read_text().split()) == 2, what="the hook to begin")
    finally:
        os.kill(owner.pid, signal.SIGKILL)
        owner.wait()
    pids = [int(pid) for pid in out.read_text().split()]
    wait_until(lambda: not [pid for pid in pids if runs(pid)], what="the hook to end")


def test_a_job_that_outlives_its_engine_has_its_hook_run_by_the_next_alone(
    begin: Begin, keeps: str, folder: Path
) -> None:
    os.mkfifo(folder / "gate")
    words = [sys.executable, "-c", OWNER, keeps, "read -r line < gate; exit 4", "kept"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        os.kill(owner.pid, signal.SIGKILL)
    (folder / "gate").write_text("go\n")
    deck = begin(setting(on_exit=keeps))
    (told,) = deck.told(1)
    assert (told["exit_code"], told["completion_reason"]) == (4, "exited")
    deck.run("true")
    assert len(deck.told(2)) == 2
