"""The supervisor's script: plain sh, and nobody is ended on a number's word alone (spec 3.3)."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest
from living import alive, command, tree_of
from waiting import wait_until

from engine.ownership.supervisor import SCRIPT
from engine.process.identity import identify

SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}

JOB = f"proc_{os.getpid()}_"
"""How ids begin here: the same tests may run side by side, and who carries an id is ended."""


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> list[str]:
    words = SHELLS[request.param]
    if shutil.which(words[0]) is None:
        pytest.skip(f"no {words[0]} on this machine")
    return words


class Script:
    """The script, run by hand."""

    def __init__(self, shell: list[str], *words: str) -> None:
        self.process = subprocess.Popen(
            [*shell, str(SCRIPT), str(os.getpgrp()), "10", *words], stdin=subprocess.PIPE, start_new_session=True
        )

    def run(self, *lines: str, unfinished: str = "") -> int:
        """Tell it all this, then let the owner be dead; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode() + unfinished.encode())
        self.process.stdin.close()
        return self.process.wait(60)


class Sleepers:
    """Processes with a session each, as jobs have it."""

    def __init__(self) -> None:
        self.all: list[subprocess.Popen[bytes]] = []

    def __call__(self, *argv: str, job: str = "", clean: bool = False) -> subprocess.Popen[bytes]:
        env: Mapping[str, str] = {} if clean else {**os.environ, "JOBDECK_SESSION_ID": job}
        process = subprocess.Popen(argv or ("sleep", "7409"), start_new_session=True, env=env)
        self.all.append(process)
        return process


@pytest.fixture
def sleepers() -> Iterator[Sleepers]:
    made = Sleepers()
    yield made
    for process in made.all:
        process.kill()
        process.wait()


def start_of(process: subprocess.Popen[bytes]) -> int:
    identity = identify(process.pid)
    assert identity is not None
    return int(identity.start_time)


def test_the_script_takes_nothing_on_trust(shell: list[str], sleepers: Sleepers) -> None:
    ours = sleepers(job=f"{JOB}1")
    timed = sleepers(clean=True)
    strangers = [
        unregistered := sleepers(job=f"{JOB}2"),
        malformed := sleepers(job=f"{JOB}3"),
        unmarked := sleepers(job=f"{JOB}other"),
        recycled := sleepers(clean=True),
        forgotten := sleepers(job=f"{JOB}6"),
        unfinished := sleepers(job=f"{JOB}5"),
        sleepers(),
    ]
    script = Script(shell)
    code = script.run(
        f"register {ours.pid} {JOB}1",
        f"register {timed.pid} {JOB}7 {start_of(timed)}",
        f"register {unregistered.pid} {JOB}x",
        f"unregister {unregistered.pid}",
        f"register {malformed.pid} {JOB}3 extra",
        f"register {malformed.pid} {JOB}3 1 extra",
        f"register {malformed.pid}",
        f"register {malformed.pid} proc*",
        f"regist {malformed.pid} {JOB}3",
        f"seek {JOB}3 extra",
        f"register {unmarked.pid} {JOB}4",  # no start time, and it doesn't carry the id
        f"register {recycled.pid} {JOB}4 {start_of(recycled) - 1}",  # its leader began at another time
        f"seek {JOB}6",
        f"forget {JOB}6",
        f"register 0 {JOB}5",
        f"register 1 {JOB}5",
        f"register -1 {JOB}5",
        f"register {os.getpgrp()} {JOB}5",
        f"register 99999999999999999999 {JOB}5",
        f"register $(touch /tmp/never) {JOB}5",
        "",
        unfinished=f"register {unfinished.pid} {JOB}5",
    )
    assert code == 0
    assert [ours.wait(30), timed.wait(30)] == [-signal.SIGTERM, -signal.SIGTERM]
    assert [one.poll() for one in strangers] == [None] * len(strangers)
    assert forgotten.poll() is None


def test_who_left_the_group_is_found_by_its_id_and_who_is_kept_stays(
    shell: list[str], sleepers: Sleepers, tmp_path: Path
) -> None:
    odd = tmp_path / "a)\nb ("
    odd.symlink_to(shutil.which("sleep") or "")
    job = sleepers(
        "bash", "-c", f"'{odd}' 7410 & setsid sleep 7411 & setsid env -i sleep 7412 & exec sleep 7413", job=f"{JOB}1"
    )
    escaped = sleepers(job=f"{JOB}1")
    sought = sleepers(job=f"{JOB}2")
    agent = sleepers("bash", "-c", "exec -a ssh-agent bash -c 'sleep 7414; true'", job=f"{JOB}1")
    stranger = sleepers(job=f"{JOB}11")
    wait_until(lambda: len([one for one in tree_of(job.pid) if command(one).endswith(("7410", "7411", "7412"))]) == 3)
    wait_until(lambda: [command(one) for one in tree_of(agent.pid)][1:] == ["sleep 7414"])
    family, kept = tree_of(job.pid), tree_of(agent.pid)
    assert len(family) == 4
    script = Script(shell, str(min(start_of(job), start_of(agent))), "tmux", "ssh-*")
    assert script.run(f"register {job.pid} {JOB}1 {start_of(job)}", f"seek {JOB}2") == 0
    assert alive(family) == []
    assert [escaped.wait(30), sought.wait(30)] == [-signal.SIGTERM, -signal.SIGTERM]
    assert len(alive(kept)) == 2
    assert stranger.poll() is None
    for one in kept:
        one.kill()


def test_the_stubborn_and_the_stopped_end_too(shell: list[str], sleepers: Sleepers) -> None:
    stubborn = sleepers("bash", "-c", "trap '' TERM; while :; do sleep 0.05; done", job=f"{JOB}1")
    stopped = sleepers(job=f"{JOB}2")
    stopped.send_signal(signal.SIGSTOP)
    wait_until(lambda: psutil.Process(stopped.pid).status() == psutil.STATUS_STOPPED)
    wait_until(lambda: "sleep 0.05" in map(command, tree_of(stubborn.pid)), what="the trap to be set")
    assert Script(shell).run(f"register {stubborn.pid} {JOB}1", f"register {stopped.pid} {JOB}2") == 0
    assert [stubborn.wait(30), stopped.wait(30)] == [-signal.SIGKILL, -signal.SIGTERM]


def test_interrupts_and_hang_ups_dont_end_it(shell: list[str], sleepers: Sleepers) -> None:
    script = Script(shell)
    stat = Path(f"/proc/{script.process.pid}/status")

    def ignores_both() -> bool:
        ignored = int(stat.read_text().partition("SigIgn:")[2].split()[0], 16)
        return ignored & 0b11 == 0b11

    wait_until(ignores_both, what="the trap to be set")
    script.process.send_signal(signal.SIGHUP)
    script.process.send_signal(signal.SIGINT)
    job = sleepers(job=f"{JOB}1")
    assert script.run(f"register {job.pid} {JOB}1") == 0
    assert job.wait(30) == -signal.SIGTERM


def test_it_refuses_its_owners_group(shell: list[str]) -> None:
    script = subprocess.Popen(
        [*shell, str(SCRIPT), str(os.getpgrp()), "10"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert script.communicate(timeout=60)[1].startswith(b"the supervisor must not run in its owner's process group")
    assert script.returncode == 3


def test_it_sleeps_in_little_memory_while_the_owner_lives(shell: list[str], sleepers: Sleepers) -> None:
    script = Script(shell)
    process = psutil.Process(script.process.pid)
    assert script.process.stdin is not None
    script.process.stdin.write(f"register 4000000 {JOB}1\n".encode())
    script.process.stdin.flush()
    waits = ("pipe_read", "anon_pipe_read", "poll_schedule_timeout", "0")  # busybox asks by poll first
    wait_until(lambda: Path(f"/proc/{process.pid}/wchan").read_text().partition(".")[0] in waits)

    def sleeps() -> bool:
        before = process.num_ctx_switches().voluntary
        time.sleep(0.5)
        return bool(process.num_ctx_switches().voluntary == before)

    wait_until(sleeps, what="half a second in which nothing wakes it")
    if shell == ["dash"]:
        assert process.memory_full_info().uss < 1_000_000
    assert script.run("unregister 4000000") == 0
