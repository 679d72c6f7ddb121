"""``jobdeck config`` and ``jobdeck init``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.config.loading import load
from engine.config.schema import SHIPPED, schema, schema_text
from tui.cli.main import jobdeck


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(jobdeck, words)
    return result.exit_code, result.stdout, result.stderr


def test_config_prints_what_holds_and_where_it_came_from_as_a_file_that_says_the_same() -> None:
    Path("jobdeck.toml").write_text(
        "[settings]\nmax_processes = 7\nescape_keep = ['a\"b']\n[jobs.'a b']\ncommand = 'x\ty'\nready = { port = 5 }\n"
        "env = { A = 1, B = false }\n[keys]\n'job.kill' = ['ctrl+k', 'x']\n[hosts.h]\nvia = ['ssh', 'h']\n"
    )
    code, said, _ = run("config")
    assert code == 0
    assert "max_processes = 7                            # jobdeck.toml:2" in said
    assert "pty_cols = 120                               # default" in said
    assert '[jobs."a b"]' in said
    before = load()
    Path("jobdeck.toml").write_text(said)
    after = load()
    assert not after.problems
    for table in ("settings", "jobs", "agents", "hosts", "themes", "keys"):
        assert getattr(after, table) == getattr(before, table)


def test_config_as_json_tells_file_and_line_of_each_value_and_every_problem() -> None:
    Path("jobdeck.toml").write_text("[settings]\nmax_processes = 7\npty_cosl = 5\n[jobs.a]\ncommand = 'x'\n")
    code, said, _ = run("config", "--json")
    told = json.loads(said)
    file = str(Path("jobdeck.toml").absolute())
    assert code == 1
    assert told["settings"]["max_processes"] == {"value": 7, "from": {"file": file, "line": 2}}
    assert told["settings"]["pty_cols"] == {"value": 120, "from": "default"}
    assert told["jobs"]["a"]["command"] == {"value": "x", "from": {"file": file, "line": 5}}
    assert [(one["line"], one["text"]) for one in told["problems"]] == [
        (3, "[settings] has no key 'pty_cosl'; did you mean 'pty_cols'?")
    ]


def test_a_file_that_is_named_counts_and_one_that_isnt_there_is_refused() -> None:
    Path("other.toml").write_text("[settings]\nmax_processes = 9\n")
    assert "max_processes = 9 " in run("--config", "other.toml", "config")[1]
    code, _, error = run("--config", "none.toml", "config")
    assert code == 2
    assert "there is no configuration file" in error


def test_the_schema_that_ships_is_the_one_that_is_printed_and_knows_every_key() -> None:
    assert run("config", "--schema")[1] == schema_text() == SHIPPED.read_text("utf-8"), (
        "make it anew: jobdeck config --schema > engine/config/jobdeck.schema.json"
    )
    parts = schema()["$defs"]
    assert parts["JobEntry"]["properties"]["restart"]["enum"] == ["always", "never", "on-failure"]
    assert parts["JobEntry"]["additionalProperties"] is False
    assert "listens on this TCP port" in parts["Ready"]["properties"]["port"]["description"]


def test_init_writes_a_file_from_what_is_there_and_lists_what_it_cant_carry_over() -> None:
    Path("Procfile").write_text("web: serve\n")
    Path("mprocs.yaml").write_text("procs: {one: {shell: x, stop: SIGINT}}\n")
    code, _, said = run("init")
    assert code == 0
    assert "Procfile: 1 job; not carried over:" in said
    assert "  procs.one.stop: jobdeck ends a job by TERM, then KILL: not by SIGINT" in said
    assert "'jobdeck' opens the console with these jobs" in said
    assert list(load().jobs) == ["one", "web"]
    assert not load().problems


def test_init_replaces_nothing_unless_it_is_told_to() -> None:
    Path("jobdeck.toml").write_text("# mine\n")
    code, _, said = run("init")
    assert code == 1
    assert "there is a jobdeck.toml already" in said
    assert Path("jobdeck.toml").read_text() == "# mine\n"
    code, shown, _ = run("init", "--print")
    assert code == 0
    assert "[jobs.hello]" in shown
    assert Path("jobdeck.toml").read_text() == "# mine\n"
    assert run("init", "--force")[0] == 0
    assert list(load().jobs) == ["hello"]


def test_init_from_a_file_that_is_none_writes_nothing() -> None:
    Path("mprocs.yaml").write_text("nothing: here\n")
    code, _, said = run("init", "mprocs.yaml")
    assert (code, Path("jobdeck.toml").exists()) == (1, False)
    assert "mprocs.yaml has no procs" in said
