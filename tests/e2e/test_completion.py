"""Real shells are asked what they complete (spec 4.4)."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from command_line import jobdeck, serve, started
from terminals import Terminal
from waiting import PATIENCE, wait_until

from tui.cli.verbs import VERBS


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a ``jobdeck`` in it: shells call it by its name."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "jobdeck"
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -m tui.cli.entry \"$@\"\n")
    program.chmod(0o755)
    return folder


@pytest.fixture
def path(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found."""
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


@pytest.fixture
def jobs() -> Iterator[list[str]]:
    """One that runs and has a name, and one that has ended."""
    with serve():
        runs = started("--name", "web-server", "--", "sleep", "7931")
        over = started("--name", "built", "--", "true")
        assert jobdeck("wait", over).returncode == 0
        yield [runs, over]


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} isn't installed here")
    return found


def asked(command: list[str]) -> list[list[str]]:
    """What a shell printed, in parts."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * 2, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [[line for line in part.split("\n") if line] for part in done.stdout.split("@@\n")[1:]]


def by_bash(lines: Sequence[str]) -> list[list[str]]:
    """What bash offers for the last word of each line: the script that a person's bash loads, in a bash of its own."""
    script = [
        'eval "$(jobdeck completion bash)"',
        "complete -p jobdeck | grep -q -- '-F _jobdeck_completion jobdeck' || exit 9",
    ]
    for line in lines:
        words = line.split(" ")
        script += [
            "echo @@; COMPREPLY=()",
            f"COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}",
            "_jobdeck_completion jobdeck; printf '%s\\n' \"${COMPREPLY[@]}\"",
        ]
    return asked([needs("bash"), "--norc", "-c", "\n".join(script)])


def by_fish(lines: Sequence[str]) -> list[list[str]]:
    """What fish offers, which can be asked."""
    script = ["jobdeck completion fish | source", *(f"echo @@; complete -C {line!r}" for line in lines)]
    found = asked([needs("fish"), "--no-config", "-c", "\n".join(script)])
    return [[one.split("\t")[0] for one in offered] for offered in found]


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("ask", [by_bash, by_fish])
def test_verbs_options_jobs_and_names(ask: Callable[[Sequence[str]], list[list[str]]], jobs: list[str]) -> None:
    runs, over = jobs
    verbs, after_help, options, by_id, any_job, running, nothing = ask(
        [
            "jobdeck ",
            "jobdeck help ki",
            "jobdeck log --o",
            f"jobdeck log {runs[:8]}",
            "jobdeck wait-for --exit ",
            "jobdeck kill ",
            "jobdeck nosuchverb x",
        ]
    )
    assert set(verbs) == set(VERBS)
    assert set(after_help) == {"kill", "kill-all"}
    assert set(options) == {"--operator", "--offset"}
    assert by_id == [runs]
    assert set(any_job) == {runs, over, "web-server", "built"}
    assert set(running) == {runs, "web-server"}
    assert nothing == []


@pytest.mark.usefixtures("path", "jobs")
@pytest.mark.parametrize(("shell", "options"), [("zsh", ("-f", "-i")), ("bash", ("--norc", "-i"))])
def test_a_person_presses_tab(shell: str, options: tuple[str, ...], tmp_path: Path) -> None:
    with Terminal([needs(shell), *options], tmp_path) as terminal:
        wait_until(lambda: terminal.screen().strip(), what="a prompt")
        first = "autoload -Uz compinit; compinit -u -D; " if shell == "zsh" else ""
        terminal.type(f"{first}eval \"$(jobdeck completion {shell})\"; echo load''ed")
        terminal.keys("Enter")
        terminal.shows("loaded")
        terminal.type("jobdeck rece")
        terminal.keys("Tab")
        terminal.shows("jobdeck receipts")
        terminal.keys("C-u")
        terminal.type("jobdeck poll web-s")
        terminal.keys("Tab")
        terminal.shows("jobdeck poll web-server")
        terminal.keys("C-u")
        terminal.type("exit")
        terminal.keys("Enter")
        terminal.shows("[ended")


def test_a_job_is_meant_by_its_name_if_one_alone_has_it(jobs: list[str]) -> None:
    runs, over = jobs
    assert json.loads(jobdeck("poll", "--json", "web-server").stdout)["session_id"] == runs
    assert json.loads(jobdeck("poll", "--json", "built").stdout)["session_id"] == over
    again = started("--name", "built", "--", "sleep", "7932")
    assert json.loads(jobdeck("poll", "--json", "built").stdout)["session_id"] == again, "the one that runs"
    third = started("--name", "built", "--", "sleep", "7932")
    many = jobdeck("kill", "built")
    assert many.returncode == 3 and "2 jobs are named" in many.stderr
    spared = jobdeck("kill-all", "--except", "nobody")
    assert spared.returncode == 3 and jobdeck("poll", third).returncode == 0
