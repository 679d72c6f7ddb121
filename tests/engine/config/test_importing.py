"""Five files of each foreign kind: what they come to, what of them is said to be left out, and that it is valid.

Written from the kinds' documented formats; what is expected is what their own programs would run.
"""

import json
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from engine.config.decoding import decode_layer
from engine.config.importing.files import as_toml, example, lose_their_shell, read_foreign
from engine.config.importing.imported import NotUnderstood
from engine.config.importing.names import found_in
from engine.config.loading import load

FOREIGN = Path(__file__).parents[2] / "fixtures" / "foreign"
"""A folder a case: the file, what is beside it, and ``expected.json`` with the jobs that are meant and how what is
said to be lost begins."""
CASES = sorted(folder.name for folder in FOREIGN.iterdir())


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", CASES)
def test_what_runs_is_the_same_and_what_isnt_is_listed(case: str) -> None:
    shutil.copytree(FOREIGN / case, ".", dirs_exist_ok=True)
    expected = json.loads(Path("expected.json").read_text())
    (file,) = found_in(Path())
    found = read_foreign(file)
    said = {name: {key: one for key, one in job.items() if one not in (False, [])} for name, job in found.jobs.items()}
    assert said == expected["jobs"]
    for part in expected["left"]:
        assert any(line.startswith(part) for line in found.left), (part, found.left)
    assert len(found.left) == len(expected["left"]), found.left
    text = as_toml([found])
    assert all(" ".join(line.split()) in text for line in found.left)
    Path("jobdeck.toml").write_text(text)
    loaded = load()
    assert not loaded.problems
    assert list(loaded.jobs) == list(expected["jobs"])
    for name, job in expected["jobs"].items():
        entry = json.loads(msgspec.json.encode(loaded.jobs[name]))
        for key, value in job.items():
            assert {one: entry[key][one] for one in value} == value if key == "ready" else entry[key] == value


def test_there_are_five_of_each_kind() -> None:
    assert Counter(case.rpartition("-")[0] for case in CASES) == {
        "procfile": 5,
        "package": 5,
        "mprocs": 5,
        "dekit": 5,
        "process-compose": 5,
    }


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("Procfile", "nothing here\n", "has no line"),
        ("package.json", "{", "is no JSON"),
        ("package.json", "{}", "has no scripts"),
        ("mprocs.yaml", "procs: {\n", "mprocs.yaml:2 is no YAML"),
        ("mprocs.yaml", "- a\n", "holds no table of jobs"),
        ("process-compose.yaml", "processes: {}\n", "has no processes"),
        ("other.yaml", "a: 1\n", "isn't a Procfile, package.json"),
        ("other.txt", "a: 1\n", "isn't a Procfile, package.json"),
    ],
)
def test_what_isnt_understood_is_said(name: str, text: str, why: str) -> None:
    Path(name).write_text(text)
    with pytest.raises(NotUnderstood, match=why):
        read_foreign(Path(name))


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("mprocs.yaml", 'procs: {a: {shell: x}, b: {cmd: "echo \'x"}}', "procs.b: its cmd can't be cut into words"),
        ("dekit.yaml", "tasks: {a: x}\ndefaults: [1]", ""),
        (
            "process-compose.yaml",
            "processes: {a: {command: x, availability: {restart: always, backoff_seconds: soon}}}",
            "processes.a.availability.backoff_seconds: 'soon' is no number; 1 is taken",
        ),
        (
            "process-compose.yaml",
            "processes: {a: {command: x, depends_on: {b: 1}}, b: {command: x}}",
            "",
        ),
        (
            "process-compose.yaml",
            "processes: {a: {command: x, depends_on: [b]}, b: {command: x}}",
            "processes.a.depends_on: it is no table",
        ),
        (
            "process-compose.yaml",
            "processes: {a: {command: x, depends_on: {b: {condition: process_healthy}}}, b: {command: x, "
            "readiness_probe: {exec: {command: y}, period_seconds: 5s}}}",
            "processes.b.readiness_probe.period_seconds: '5s' is no number; 10 is taken",
        ),
    ],
)
def test_one_odd_value_costs_no_other_job(name: str, text: str, where: str) -> None:
    Path(name).write_text(text)
    found = read_foreign(Path(name))
    assert "a" in found.jobs
    assert any(line.startswith(where) for line in found.left) or not where, found.left


def test_a_file_that_is_no_utf_8_is_said_to_be_none() -> None:
    for name in ("Procfile", "package.json", "mprocs.yaml"):
        Path(name).write_bytes(b"web: caf\xe9\n")
        with pytest.raises(NotUnderstood, match=f"{name} isn't UTF-8 from byte 8 on"):
            read_foreign(Path(name))


def test_several_files_become_one_and_no_name_is_lost() -> None:
    Path("Procfile").write_text("dev: one\n")
    Path("package.json").write_text(json.dumps({"scripts": {"dev": "two", "test": "three"}}))
    text = as_toml([read_foreign(file) for file in found_in(Path())])
    Path("jobdeck.toml").write_text(text)
    loaded = load()
    assert not loaded.problems
    assert {name: job.command for name, job in loaded.jobs.items()} == {
        "dev": "one",
        "dev (package.json)": "npm run dev",
        "test": "npm run test",
    }


def test_lines_for_sh_are_told_where_another_shell_would_run_them() -> None:
    Path("Procfile").write_text("web: a && b\n")
    for shell, told in (("/usr/bin/fish", True), ("/bin/zsh", False), ("", False)):
        found = read_foreign(Path("Procfile"))
        lose_their_shell(found, shell)
        assert ("all: lines are written for sh, and $SHELL, which runs them here, is fish" in found.left) == told


def test_fragments_that_are_gone_broken_or_load_each_other_cost_no_other_task() -> None:
    Path("dekit.yaml").write_text("load: [gone.yaml, bad.yaml, a.yaml]\ntasks: {own: {cmd: x}}\n")
    Path("bad.yaml").write_text("tasks: [")
    Path("a.yaml").write_text("load: [b.yaml]\ntasks: {a: {cmd: x}}\n")
    Path("b.yaml").write_text("load: [a.yaml]\ntasks: {b: {cmd: x}}\n")
    found = read_foreign(Path("dekit.yaml"))
    assert list(found.jobs) == ["own", "a", "b"]
    assert "load.gone.yaml: there is no such file" in found.left
    assert any(line.startswith("load.bad.yaml: bad.yaml") for line in found.left)


def test_the_example_is_valid() -> None:
    layer = decode_layer(example(), "jobdeck.toml")
    assert not layer.problems
    assert ("jobs", "hello", "command") in layer.values
