"""``jobdeck wait-for`` and ``jobdeck goal`` from a shell: words, exit codes, what survives (spec 2.7)."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner
from living import alive, tree_of
from waiting import PATIENCE, wait_until

from tui.cli.main import jobdeck as command_line

JOBDECK = [sys.executable, "-P", "-m", "tui.cli.main"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)


def jobdeck(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*JOBDECK, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)


def popen(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*JOBDECK, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def goals() -> list[dict[str, Any]]:
    done = jobdeck("goal", "status", "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["goals"]
    return found


def kept(home: Path) -> dict[str, Any]:
    """The one goal that is kept."""

    def read() -> dict[str, Any]:
        found = list((home / "goals").glob("goal_*.json"))
        return dict(json.loads(found[0].read_text())) if found else {}

    return wait_until(read, what="a goal to be kept")


def opened(pid: int) -> set[str]:
    """What a process has open."""
    found = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            found.add(str(entry.readlink()))
    return found


# -- wait-for ---------------------------------------------------------------------------------------------------------


def test_waiting_for_a_process_then_running_a_command_whose_code_passes_through() -> None:
    other = subprocess.Popen(["sleep", "600"])
    waiting = popen("wait-for", "--pid", str(other.pid), "--then", "echo $JOBDECK_WAIT_OUTCOME; exit 7")
    wait_until(lambda: "anon_inode:[pidfd]" in opened(waiting.pid), what="it to wait")
    assert waiting.poll() is None
    other.kill()
    other.wait()
    out, err = waiting.communicate(timeout=PATIENCE)
    assert (out, err, waiting.returncode) == ("gone\n", "", 7)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--for", "10ms"), 0, ""),
        (("--for", "0.01", "--then", "echo tea"), 0, ""),
        (("--pid", "4194303"), 3, "no process has the pid 4194303"),
        (("--pid", "1"), 3, "never waited for"),
        (("--exit", "proc_0123456789ab"), 4, "no jobdeck runs here"),
        (("--match", "proc_0123456789ab", "ready"), 4, "no jobdeck runs here"),
        ((), 2, "say one thing"),
        (("--pid", "5", "--for", "5m"), 2, "not --pid and --for together"),
        (("--for", "5 minutes"), 2, "no length of time"),
        (("--for", "0"), 2, "longer than nothing"),
        (("--for", "5m", "--timeout", "5m"), 2, "needs no --timeout"),
        (("--for", "5m", "--then", " "), 2, "needs a shell line"),
    ],
)
def test_exit_codes_that_scripts_can_use(words: tuple[str, ...], code: int, said: str) -> None:
    done = jobdeck("wait-for", *words)
    assert done.returncode == code and said in done.stderr
    assert ("tea" in done.stdout) == ("echo tea" in words)


def test_giving_up_is_one_and_runs_nothing(tmp_path: Path) -> None:
    done = jobdeck("wait-for", "--pid", str(os.getpid()), "--timeout", "200ms", "--then", f"touch {tmp_path / 'ran'}")
    assert (done.returncode, done.stderr, done.stdout) == (1, "gave up after 0.2 s\n", "")
    assert not (tmp_path / "ran").exists()


def test_json_is_one_object() -> None:
    done = jobdeck("wait-for", "--for", "10ms", "--json")
    found = json.loads(done.stdout)
    assert found["status"] == "released" and found["release"]["outcome"] == found["barrier"]["kind"] == "time"


def test_ctrl_c_ends_a_wait() -> None:
    waiting = popen("wait-for", "--for", "10m")
    wait_until(lambda: "anon_inode:[timerfd]" in opened(waiting.pid), what="it to wait")
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(PATIENCE) == 130
    assert waiting.communicate() == ("", "")


# -- goal -------------------------------------------------------------------------------------------------------------


def test_a_goal_runs_here_and_prints_its_turns() -> None:
    done = jobdeck("goal", "start", "green", "--step", "echo n >> t; echo 2 failed; test $(wc -l < t) -ge 3")
    lines = done.stdout.splitlines()
    goal_id = lines[0].split(":")[0]
    assert re.fullmatch(r"goal_[0-9a-f]{8}", goal_id) and done.returncode == 0 and done.stderr == ""
    assert [line.split(":")[0] for line in lines if line.startswith("turn")] == ["turn 1", "turn 2", "turn 3"]
    assert "  │ 2 failed" in lines and lines[-1] == f"{goal_id} is done: the step: exit 0 (3 of 20 turns)"
    assert "\x1b" not in done.stdout
    shown = jobdeck("goal", "status", goal_id[5:9]).stdout
    assert "turn 2: step exit 1" in shown and "green" in shown
    table = jobdeck("goal", "status").stdout.splitlines()
    assert table[0].split() == ["ID", "STATUS", "TURNS", "LAST", "NOW", "GOAL"] and goal_id in table[1]
    refused = jobdeck("goal", "pause", goal_id)
    assert refused.returncode == 1 and f"goal pause: {goal_id} is done" in refused.stderr
    assert jobdeck("goal", "clear", goal_id).returncode == 0 and goals() == []


def test_a_goal_that_pauses_is_one_and_resume_goes_on_here() -> None:
    done = jobdeck("goal", "start", "green", "--step", "test -e fixed", "--max-turns", "2", "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 1 and said["goal"]["status"] == "paused" and "budget" in said["goal"]["paused_reason"]
    Path("fixed").touch()
    done = jobdeck("goal", "resume", said["goal"]["goal_id"])
    assert done.returncode == 0 and "turn 3: step exit 0" in done.stdout and "turn 1" not in done.stdout


def test_verbs_of_a_shell_reach_the_process_that_runs_the_goal(home: Path) -> None:
    judge = """cat > /dev/null; echo '{"verdict": "wait", "wait_for_seconds": 900, "reason": "coffee"}'"""
    running = popen("goal", "start", "green", "--step", "true", "--judge", judge)
    wait_until(lambda: kept(home).get("waiting_until"), what="it to be parked")
    goal_id = kept(home)["goal_id"]
    (goal,) = goals()
    assert goal["host_pid"] == running.pid and goal["barrier"]["reason"] == "coffee"
    done = jobdeck("goal", "wait", goal_id, "--pid", str(os.getpid()), "--timeout", "1h", "--reason", "tea")
    assert done.returncode == 0 and f"waits for process {os.getpid()}" in done.stdout
    assert kept(home)["waiting_on_pid"] == os.getpid()
    assert jobdeck("goal", "unwait", goal_id).stdout == "it goes on\n"
    done = jobdeck("goal", "pause", goal_id, "--reason", "lunch")
    assert done.returncode == 0 and "paused: lunch" in done.stdout
    out, _err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1 and "paused: lunch" in out and "waits for process" in out
    assert jobdeck("goal", "wait", goal_id, "--for", "5m").returncode == 1
    assert jobdeck("goal", "clear", goal_id).returncode == 0
    for verb in ("pause", "resume", "unwait", "clear", "status"):
        assert jobdeck("goal", verb, goal_id).returncode == 3


def test_ctrl_c_pauses_a_goal_and_ends_its_step(home: Path) -> None:
    running = popen("goal", "start", "green", "--step", "sleep 600 & sleep 601; wait")
    wait_until(lambda: kept(home).get("step_pid"), what="its step to run")
    step = tree_of(kept(home)["step_pid"])
    running.send_signal(signal.SIGINT)
    assert running.wait(PATIENCE) == 130
    assert "goal resume" in running.communicate()[1]
    assert kept(home)["status"] == "paused" and "Ctrl-C" in kept(home)["paused_reason"]
    assert alive(step) == []


SUITE = """
import pathlib, sys, time
while not pathlib.Path("hosted").exists():
    time.sleep(0.01)
built = pathlib.Path("built").exists()
print("2 passed" if built else "1 passed, 1 failed: nothing is built")
sys.exit(0 if built else 1)
"""

JUDGE = """
import json, sys
asked = json.load(sys.stdin)
watcher = next((job for job in asked["background"] if job["patterns"]), None)
if asked["step"]["exit_code"] == 0:
    print(json.dumps({"verdict": "done", "reason": "all pass"}))
elif watcher is not None:
    print(json.dumps({"verdict": "wait", "wait_on_session": watcher["session_id"], "reason": "the build"}))
else:
    print(json.dumps({"verdict": "blocked", "reason": "nobody builds"}))
"""

HOST = """
import pathlib, sys
from engine import Engine, GoalSpec, JobSpec
with Engine(adopts_goals=True) as engine:
    builder = engine.spawn(JobSpec(command=sys.argv[1], name="builder", watch_patterns=("BUILD DONE",))).result(30)
    pathlib.Path("hosted").touch()
    if len(sys.argv) > 2:
        engine.goal_start(GoalSpec(goal="all tests pass", step=sys.argv[2], judge=sys.argv[3])).result(30)
    print("hosting", flush=True)
    sys.stdin.read()
"""


def test_a_goal_drives_a_failing_suite_until_a_builder_says_done_across_a_kill_in_the_middle(
    home: Path, tmp_path: Path
) -> None:
    for name, text in (("suite.py", SUITE), ("judge.py", JUDGE)):
        (tmp_path / name).write_text(text)
    python = shlex.quote(sys.executable)
    builder = "until test -e go; do sleep 0.05; done; touch built; echo BUILD DONE; sleep 600"

    def host(*words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOST, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None and process.stdout.readline() == "hosting\n"
        return process

    first = host("sleep 601", f"{python} suite.py", f"{python} judge.py")
    wait_until(lambda: kept(home).get("waiting_on_session"), what="it to be parked")
    jobs = psutil.Process(first.pid).children(recursive=True)
    assert kept(home)["turns_used"] == 1 and len(jobs) >= 2  # the supervisor, the builder
    first.send_signal(signal.SIGKILL)
    first.communicate()
    (tmp_path / "hosted").unlink()  # the next turn waits until there is a builder again
    second = host(builder)
    # The job it waited for went with its engine: it goes on, and finds the new builder.
    wait_until(lambda: kept(home)["turns_used"] == 2 and kept(home)["waiting_on_session"], what="it to be parked anew")
    table = jobdeck("goal", "status").stdout
    assert "a hit or the end of" in table and "2/20" in table
    (tmp_path / "go").touch()
    wait_until(lambda: kept(home)["status"] == "done", what="the goal to be reached")
    assert kept(home)["turns_used"] == 3 and kept(home)["last_reason"] == "all pass"
    assert [turn["verdict"] for turn in kept(home)["turns"]] == ["wait", "wait", "done"]
    second.communicate()
    assert second.returncode == 0
    wait_until(lambda: alive(jobs) == [], what="what the killed host had started to end")


# -- help -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("wait-for",), ("goal",), *(("goal", verb) for verb in ("start", "wait", "resume"))])
def test_each_verb_explains_itself(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(command_line, [*words, "--help"], prog_name="jobdeck")
    assert done.exit_code == 0 and "Usage: jobdeck" in done.output and len(done.output) > 200


def test_the_help_loads_neither_the_engine_nor_the_console() -> None:
    code = "import sys\ntry: from tui.cli.main import main; main(['goal', '--help'])\nfinally: "
    code += (
        "print([name for name in sys.modules if name.split('.')[0] in ('textual', 'rich', 'watchfiles', 'asyncio')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]"


def test_what_others_wrote_reaches_the_terminal_as_text_alone(tmp_path: Path) -> None:
    """A process's name, a goal, a judge's reason: no sequence in them does anything, and none breaks the table."""
    evil = "\x1b]0;title\x07\x1b[31mred\nnext"
    judge = f"cat {shlex.quote(str(tmp_path / 'answer'))}"
    (tmp_path / "answer").write_text(json.dumps({"verdict": "blocked", "reason": evil}))
    done = jobdeck("goal", "start", evil, "--step", "false", "--judge", judge)
    assert done.returncode == 1
    table = jobdeck("goal", "status").stdout
    shown = jobdeck("goal", "status", goals()[0]["goal_id"]).stdout
    for said in (done.stdout, table, shown):
        assert "title" in said and "\x1b" not in said and "\x07" not in said
    assert len(table.splitlines()) == 2


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("words", [("goal", "status"), ("wait-for", "--for", "0.01s")])
def test_nowhere_to_print_to_is_no_crash(
    words: tuple[str, ...], buffered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not buffered:
        monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    started = jobdeck("goal", "start", "g", "--step", "true")
    assert started.returncode == 0, started.stderr
    line = shlex.join([*JOBDECK, *words])
    closed = subprocess.run(["sh", "-c", f"exec {line} >&-"], stderr=subprocess.PIPE, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, "")
    full = subprocess.run(["sh", "-c", f"exec {line} >/dev/full"], stderr=subprocess.PIPE, text=True, check=False)
    assert full.returncode == 1 and "No space left" in full.stderr and "Traceback" not in full.stderr
    assert "Exception ignored" not in full.stderr


@pytest.mark.parametrize("words", [("goal", "status"), ("goal", "start", "g", "--step", "true")])
def test_a_home_of_nobody_is_said(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBDECK_HOME", "~no-such-user/jobdeck")
    done = jobdeck(*words)
    assert done.returncode == 1 and "no such user" in done.stderr and "Traceback" not in done.stderr
