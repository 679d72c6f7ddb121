"""The files of the configuration: what is right counts, what is wrong is told with its line and what would be right."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.config import Settings
from engine.config.loading import NoSuchFile, load, user_file
from engine.config.positions import key_lines


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))


def write(text: str, file: str = "jobdeck.toml") -> Path:
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def told(text: str) -> list[str]:
    file = write(text)
    return [str(problem).removeprefix(f"{file.absolute()}:") for problem in load().problems]


def test_without_files_all_is_as_specified() -> None:
    assert load().settings == Settings()
    assert load(base=Settings(persist=True)).settings.persist
    assert not load().problems


def test_the_folders_file_goes_before_the_users_which_goes_before_the_defaults() -> None:
    write("[settings]\nmax_processes = 5\npty_cols = 99\n[hosts.far]\nvia = ['ssh', 'far']\n", str(user_file()))
    write("[settings]\nmax_processes = 7\n[jobs.web]\ncommand = 'x'\nhost = 'far'\n")
    loaded = load(base=Settings(persist=True))
    assert (loaded.settings.max_processes, loaded.settings.pty_cols) == (7, 99)
    assert (loaded.settings.persist, loaded.settings.pty_rows) == (True, 30)
    assert (list(loaded.jobs), list(loaded.hosts)) == (["web"], ["far"])
    assert not loaded.problems
    origin = loaded.origin("settings", "pty_cols")
    assert origin is not None
    assert (origin.file, origin.line) == (str(user_file()), 3)
    assert loaded.origin("settings", "pty_rows") is None


def test_a_named_file_takes_the_place_of_the_folders() -> None:
    write("[settings]\nmax_processes = 7\n")
    other = write("[settings]\npty_cols = 7\n", "sub/other.toml")
    loaded = load(other)
    assert (loaded.settings.max_processes, loaded.settings.pty_cols) == (64, 7)
    assert loaded.files[-1] == other.absolute()
    with pytest.raises(NoSuchFile, match=r"nowhere\.toml"):
        load("nowhere.toml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[settings]\n\nscrolback_lines = 5",
         "3: [settings] has no key 'scrolback_lines'; did you mean 'scrollback_lines'?"),
        ("[settings]\nnotifications = 'concis'",
         "2: notifications = 'concis': it is one of 'concise', 'all', 'result', 'error', 'off'; "
         "did you mean 'concise'?"),
        ("[settings]\npersist = 'yes'", "2: persist = 'yes': true or false is expected, not a text"),
        ("[settings]\nmax_processes = -1", "2: max_processes = -1: it is 0 or more"),
        ("[setings]\n", "1: there is no table or key 'setings' here; did you mean 'settings'?"),
        ("x = [", "1: this is no TOML: Invalid value"),
        ("\n[jobs.a]\ncomand = 'x'\ncommand = 'x'", "3: [jobs.a] has no key 'comand'; did you mean 'command'?"),
        ("[jobs.a]\n\nready = { lien = 'x' }\ncommand = 'x'", "3: ready = {'lien': 'x'}: there is no 'lien' in it; "
         "did you mean 'line'?"),
        ("[jobs.a]\ncommand='x'\nrestart='on_failure'",
         "3: restart = 'on_failure': it is one of 'never', 'on-failure', 'always'; did you mean 'on-failure'?"),
        ("[agents.c]\ncommand = ['claude']", "1: [agents.c] is left out: command has no '{prompt}': one of its words "
         "must say where the task's text goes"),
        ("[hosts.h]\nkill = []", "1: [hosts.h] is left out: via is missing"),
        ("[jobs]\na = 'x'", "2: jobs.a is a table of its own: [jobs.a]"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line_and_what_would_be_right(text: str, problem: str) -> None:
    assert problem in told(text)


def test_the_rest_still_loads() -> None:
    write(
        "[settings]\nmax_procesess = 1\npty_cols = 'wide'\npty_rows = 7\n"
        "[jobs.good]\ncommand = 'x'\ntags = 3\n[jobs.bad]\nargv = 'x'\n[jobs.none]\n"
        "[agents.a]\ncommand = ['a', '{prompt}']\n"
    )
    loaded = load()
    assert loaded.settings == Settings(pty_rows=7)
    assert (list(loaded.jobs), list(loaded.agents)) == (["good"], ["a"])


def test_a_job_that_would_run_elsewhere_than_meant_is_left_out() -> None:
    assert told("[jobs.clean]\ncommand = 'rm -r build'\ncwd = 3") == [
        "3: cwd = 3: a text is expected, not a whole number",
        "1: [jobs.clean] is left out until that is mended",
    ]
    assert not load().jobs


def test_jobs_that_wait_for_nobody_or_for_themselves_are_left_out_and_told() -> None:
    lines = told(
        "[jobs.a]\ncommand='x'\nafter=['b']\n[jobs.b]\ncommand='x'\nafter=['c']\n[jobs.c]\ncommand='x'\nafter=['a']\n"
        "[jobs.d]\ncommand='x'\nafter=['good1']\n[jobs.good]\ncommand='x'\n"
    )
    assert list(load().jobs) == ["good"]
    assert "12: [jobs.d] is left out: it waits for 'good1', and there is no such job; did you mean 'good'?" in lines
    assert "3: [jobs.a] is left out: it would wait for itself: a → b → c → a" in lines
    assert len(lines) == 4


def test_a_file_that_cant_be_read_is_told_and_the_other_counts() -> None:
    write("[settings]\npty_cols = 7\n", str(user_file()))
    Path("jobdeck.toml").write_bytes(b"[settings]\n# \xff\n")
    loaded = load()
    assert [problem.text for problem in loaded.problems] == ["it isn't UTF-8 from byte 13 on"]
    assert loaded.broken == (Path("jobdeck.toml").absolute(),)
    assert loaded.settings.pty_cols == 7


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[settings]\nx = \0\n", "this is no TOML: Invalid value"),
        ("[jobs]\n".encode("utf-16"), "it isn't UTF-8 from byte 0 on"),
        (b"[settings]\nmax_processes = " + b"[" * 100_000, "this is no TOML: maximum recursion depth exceeded"),
        (b"[settings]\nmax_processes = " + b"9" * 5_000, "this is no TOML: Exceeds the limit"),
        (b"# much\n" * 1_000_000, "it can't be read: it has more than 4 MiB"),
        (None, "it can't be read: it is a folder"),
        ("pipe", "it can't be read: it is no file"),
        ("jobdeck.toml", "it can't be read: Too many levels of symbolic links"),
    ],
)
def test_what_no_file_of_ours_can_be_is_told_and_holds_up_nobody(content: bytes | str | None, why: str) -> None:
    file = Path("jobdeck.toml")
    if content is None:
        file.mkdir()
    elif content == "pipe":
        os.mkfifo(file)
    elif isinstance(content, str):
        file.symlink_to(content)
    else:
        file.write_bytes(content)
    loaded = load()
    assert why in loaded.problems[0].text
    assert loaded.broken == (file.absolute(),)


def test_files_as_other_systems_write_them() -> None:
    Path("jobdeck.toml").write_bytes(b"\xef\xbb\xbf[jobs.a]\r\ncommand = 'x'\r\ntag = 1\r\n")
    loaded = load()
    assert list(loaded.jobs) == ["a"]
    assert [problem.line for problem in loaded.problems] == [3]


@pytest.mark.parametrize("value", ["inf", "nan", "-inf"])
def test_no_figure_is_beyond_all_bounds(value: str) -> None:
    assert told(f"[settings]\nterm_grace_seconds = {value}\n[jobs.a]\ncommand = 'x'\nbackoff = {value}\n") == [
        f"2: term_grace_seconds = {value}: it is 0 or more",
        "3: [jobs.a] is left out: heartbeat_seconds, backoff and max_restarts are 0 or more",
    ]
    assert (
        "timeout is 0 or more seconds" in told(f"[jobs.a]\ncommand = 'x'\nready = {{ port = 1, timeout = {value} }}")[0]
    )


_KEY = st.sampled_from(["a", "b-1", '"q.\\"x"', "'l [x'", "c . d"])
_VALUE = st.sampled_from(
    [
        '"x # ["',
        "'{'",
        "[1,\n [2, # ]\n 3],\n]",
        '"""\n[t]\nx = 1 \\"""" ',
        "'''\n[u]\n'''",
        "{ a = [1], b = '}' }",
        "5 # x",
    ]
)


@given(st.lists(st.one_of(st.tuples(_KEY, _VALUE), st.just(("", "# [no]")), st.just(("", ""))), max_size=8))
def test_each_keys_line_is_the_one_it_stands_in(parts: list[tuple[str, str]]) -> None:
    text, expected, line = "", {}, 1
    for number, (key, value) in enumerate(parts):
        piece = f"[t{number}]\n{key} = {value}\n" if key else f"{value}\n"
        if key:
            expected[f"t{number}"] = (line, line + 1)
        text, line = text + piece, line + piece.count("\n")
    lines = key_lines(text)
    for table, (head, first) in expected.items():
        assert lines[(table,)] == head
        assert {at for path, at in lines.items() if path[0] == table and len(path) > 1} == {first}
    assert {path[0] for path in lines} == set(expected)
