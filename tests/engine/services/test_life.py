"""The jobs of a file over changes of that file, over engines, and beside another jobdeck."""

import shutil
from pathlib import Path

import pytest
from file_jobs import BASE, Jobs, Run, edit

from engine import Engine
from engine.config.loading import load
from engine.events import JobState
from engine.results import Started
from engine.services.globs import compile_glob, root_of

ONE = '[jobs.one]\ncommand = "exec sleep 7401"\nautostart = true\n'
TWO = '[jobs.two]\ncommand = "exec sleep 7402"\nautostart = true\n'


def test_a_changed_file_starts_what_is_new_lets_go_of_what_is_gone_and_tells_what_is_changed(
    run: Run, folder: Path
) -> None:
    jobs = run(ONE + TWO, follows=True)
    one, two = jobs.runs("one"), jobs.runs("two")
    new = ONE.replace("7401", "7403") + TWO.replace("two", "three").replace("7402", "7404")
    edit(folder, "[settings]\nmax_processes = 5\n" + new)
    told = jobs.told("jobdeck.toml was read again").text
    assert "max_processes = 5" in told
    assert "one is changed, which counts from its next start on" in told
    assert "two is gone, its job runs on" in told
    assert "three is new" in told
    jobs.runs("three")
    assert (jobs.row("one").session_id, jobs.row("two").session_id) == (one.session_id, two.session_id)
    jobs.engine.restart(one.session_id).result()
    assert jobs.runs("one").command == "exec sleep 7403"
    assert jobs.engine.call("settings", lambda: jobs.engine.registry.settings.max_processes).result() == 5


def test_the_first_jobs_of_a_file_that_comes_later_are_run(run: Run, folder: Path) -> None:
    jobs = run("", follows=True)
    (folder / "jobdeck.toml").unlink()
    (folder / "jobdeck.toml").write_text(ONE)
    jobs.runs("one")
    (folder / "jobdeck.toml").unlink()
    jobs.told("one is gone, its job runs on")


def test_a_broken_edit_keeps_what_held_and_says_so(run: Run, folder: Path) -> None:
    jobs = run("[settings]\nmax_processes = 7\n" + ONE, follows=True)
    one = jobs.runs("one")
    edit(folder, "[settings\nmax_processes = 5\n")
    jobs.told("jobdeck.toml:1: this is no TOML")
    edit(folder, "[settings]\nmax_processes = 'x'\npty_cols = 77\n[jobs.one]\ncommand = 3\n")
    jobs.told("jobdeck.toml was read again: pty_cols = 77")
    jobs.told("jobdeck.toml:5: command = 3: a text is expected, not a whole number; what held before holds")
    settings = jobs.engine.call("settings", lambda: jobs.engine.registry.settings).result()
    assert (settings.max_processes, settings.pty_cols) == (7, 77)
    assert jobs.row("one").session_id == one.session_id
    jobs.engine.restart(one.session_id).result()
    assert jobs.runs("one").command == "exec sleep 7401"


def test_a_second_jobdeck_of_the_folder_runs_none_of_them(run: Run) -> None:
    jobs = run(ONE)
    jobs.runs("one")
    with Engine(configuration=load(base=BASE), runs_jobs=True) as second:
        other = Jobs(second)
        other.told("are another jobdeck's already")
        assert not other.rows()


def test_a_job_that_outlived_its_engine_is_taken_over_and_not_doubled(run: Run) -> None:
    jobs = run(ONE + "persist = true\nrestart = 'always'\n")
    before = jobs.runs("one")
    jobs.engine.shutdown()
    with Engine(configuration=load(base=BASE), runs_jobs=True) as second:
        other = Jobs(second)
        row = other.until("one", lambda row: row.session_id == before.session_id and row.state is JobState.RUNNING)
        assert isinstance(second.restart(row.session_id).result(), Started)
        assert other.runs("one").session_id != before.session_id
        assert sum(row.state is not JobState.EXITED for row in other.every()) == 1
        second.kill(other.row("one").session_id).result()


def test_an_end_of_the_engine_is_no_end_that_is_to_be_mended(run: Run) -> None:
    jobs = run(ONE + "restart = 'always'\nbackoff = 0\n")
    jobs.runs("one")
    jobs.engine.shutdown()  # the fixtures prove that nothing is left


def test_no_pattern_watches_more_than_its_folder(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    assert root_of("src/**/*.py", tmp_path) == tmp_path / "src"
    assert root_of("none/**/*.py", tmp_path) == tmp_path
    assert root_of("**/*.py", tmp_path) == tmp_path
    assert root_of("/etc/*.conf", tmp_path) == Path("/etc")
    assert root_of("/no/such/folder/**", tmp_path) is None


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("src/**/*.py", ["/p/src/a.py", "/p/src/x/y/a.py"], ["/p/src/a.pyc", "/p/a.py", "/q/src/a.py"]),
        ("*.[ch]", ["/p/a.c", "/p/b.h"], ["/p/a.o", "/p/x/a.c"]),
        ("src", ["/p/src", "/p/src/any/thing"], ["/p/srcs"]),
        ("./a?.[!x]", ["/p/ab.y"], ["/p/ab.x", "/p/a/.y"]),
        ("/etc/**", ["/etc/a/b"], ["/p/etc/a"]),
    ],
)
def test_patterns_of_files(pattern: str, matching: list[str], other: list[str]) -> None:
    compiled = compile_glob(pattern, Path("/p"))
    assert all(compiled.match(path) for path in matching)
    assert not any(compiled.match(path) for path in other)


def test_the_users_folder_of_the_configuration_may_come_later_and_go_and_come_again(run: Run, tmp_path: Path) -> None:
    jobs = run(ONE, follows=True)
    jobs.runs("one")
    for columns in (77, 78):
        (tmp_path / "user" / "jobdeck").mkdir(parents=True)
        (tmp_path / "user" / "jobdeck" / "config.toml").write_text(f"[settings]\npty_cols = {columns}\n")
        jobs.told(f"pty_cols = {columns}")
        shutil.rmtree(tmp_path / "user")
        jobs.told("pty_cols = 120")
