"""Edits of the file while its jobs run, wait, pause or rest."""

import os
from pathlib import Path

from file_jobs import Jobs, Run, edit
from manual_clock import ManualClock

from engine.events import JobState
from engine.results import Started

STAYS = "exec sleep 7441"


def job(name: str, *lines: str, command: str = STAYS) -> str:
    return "\n".join((f"[jobs.{name}]", f"command = '''{command}'''", *lines, ""))


def alone(jobs: Jobs, name: str) -> None:
    """One run of it was begun, and no more."""
    jobs.runs(name)
    assert jobs.count(name) == 1


def test_autostart_that_comes_later_starts_what_never_ran_and_not_what_was_stopped(run: Run, folder: Path) -> None:
    jobs = run(job("one") + job("two") + job("three", command="exit 0"), follows=True)
    jobs.until("two", lambda row: row.label == "not started")
    jobs.engine.restart(jobs.row("two").session_id).result()
    jobs.engine.kill(jobs.runs("two").session_id).result()
    jobs.engine.restart(jobs.row("three").session_id).result()
    jobs.until("three", lambda row: row.exit_code == 0)
    auto = "autostart = true"
    edit(folder, job("one", auto) + job("two", auto) + job("three", auto, command="exit 0"))
    jobs.told("one is changed; two is changed; three is changed")
    alone(jobs, "one")
    assert [(jobs.row(name).state, jobs.count(name)) for name in ("two", "three")] == [(JobState.EXITED, 1)] * 2


def test_what_starts_by_a_later_edit_brings_along_whom_it_waits_for(run: Run, folder: Path) -> None:
    jobs = run(job("db") + job("web", 'after = ["db"]'), follows=True)
    jobs.until("web", lambda row: row.label == "not started")
    edit(folder, job("db") + job("web", 'after = ["db"]', "autostart = true"))
    alone(jobs, "web")
    alone(jobs, "db")


def test_another_name_is_the_same_job_with_its_run_its_place_and_its_ways(run: Run, folder: Path) -> None:
    jobs = run(job("old", "autostart = true") + job("web", 'after = ["old"]', "autostart = true"), follows=True)
    before = jobs.runs("old")
    jobs.runs("web")
    edit(folder, job("new", "autostart = true") + job("web", 'after = ["new"]', "autostart = true"))
    jobs.told("old is called new")
    after = jobs.until("new", lambda row: row.session_id == before.session_id)
    assert (after.slot, after.state) == (before.slot, JobState.RUNNING)
    assert "old" not in jobs.rows()
    assert isinstance(jobs.engine.restart(after.session_id).result(), Started)
    jobs.until("new", lambda row: row.session_id != before.session_id and row.slot == before.slot)
    edit(folder, job("new") + job("old", command="exec sleep 7442"))
    jobs.told("old is new")
    assert jobs.until("old", lambda row: row.label == "not started").slot != before.slot


def test_a_renamed_job_that_outlives_its_jobdeck_is_known_by_the_next(run: Run, folder: Path) -> None:
    jobs = run(job("old", "autostart = true", "persist = true"), follows=True)
    before = jobs.runs("old")
    edit(folder, job("new", "autostart = true", "persist = true"))
    jobs.told("old is called new")
    jobs.engine.shutdown()
    again = run((folder / "jobdeck.toml").read_text())
    row = again.runs("new")
    assert (row.session_id, again.count("new")) == (before.session_id, 1)
    again.engine.kill(row.session_id).result()


def test_a_run_that_is_no_longer_what_the_file_says_shows_that_until_its_restart(run: Run, folder: Path) -> None:
    jobs = run(job("one", "autostart = true"), follows=True)
    first = jobs.runs("one")
    edit(folder, job("one", "autostart = true", command="exec sleep 7443"))
    jobs.told("one is changed, which counts from its next start on")
    jobs.waits("one", "changed in the file")
    edit(folder, job("one", "autostart = true", 'restart = "always"'))
    jobs.until("one", lambda row: not row.waits)
    edit(folder, job("one", "autostart = true", command="exec sleep 7443"))
    jobs.waits("one", "changed in the file")
    jobs.engine.restart(first.session_id).result()
    assert jobs.until("one", lambda row: row.command == "exec sleep 7443").waits == ""


def test_who_waits_takes_in_another_after_and_another_ready(run: Run, folder: Path) -> None:
    db = "echo half; echo whole; exec sleep 7444"
    web = job("web", 'after = ["db"]', "autostart = true")
    jobs = run(job("db", 'ready = { line = "never" }', command=db) + web, follows=True)
    jobs.waits("web", "waits for db: the line 'never'")
    edit(folder, job("db", 'ready = { line = "nor this" }', command=db) + web)
    jobs.waits("web", "waits for db: the line 'nor this'")
    edit(folder, job("db", 'ready = { line = "whole" }', command=db) + web)
    alone(jobs, "web")
    alone(jobs, "db")


def test_who_waits_for_one_more_starts_that_one(run: Run, folder: Path) -> None:
    db = job("db", 'ready = { line = "never" }')
    jobs = run(db + job("other") + job("web", 'after = ["db"]', "autostart = true"), follows=True)
    jobs.waits("web", "waits for db")
    edit(folder, db + job("other") + job("web", 'after = ["other"]', "autostart = true"))
    alone(jobs, "other")
    alone(jobs, "web")


def test_an_end_counts_as_the_file_says_now(run: Run, folder: Path) -> None:
    web = job("web", 'after = ["db"]', "autostart = true")
    jobs = run(job("db", 'ready = { line = "x" }', command="exit 0") + web, follows=True)
    jobs.waits("web", "waits for db, which ended before it was ready")
    edit(folder, job("db", "ready = { exit = 0 }", command="exit 0") + web)
    alone(jobs, "web")
    assert jobs.count("db") == 1


def test_a_pause_ends_when_the_file_says_that_it_is_not_to_be_started_again(run: Run, folder: Path) -> None:
    clock = ManualClock()
    auto = ("autostart = true", "backoff = 5")
    jobs = run(job("one", *auto, 'restart = "on-failure"', command="exit 1"), clock, follows=True)
    jobs.waits("one", "restart 1 in 5 s")
    edit(folder, job("one", *auto, command="exit 1"))
    jobs.until("one", lambda row: not row.waits)
    clock.advance(jobs.engine, 1_000)
    assert jobs.count("one") == 1


def test_who_waits_for_a_job_that_is_taken_out_goes_on_waiting_and_says_so(run: Run, folder: Path) -> None:
    db = job("db", 'ready = { line = "never" }')
    web = job("web", 'after = ["db"]', "autostart = true")
    jobs = run(db + web, follows=True)
    jobs.waits("web", "waits for db: the line")
    edit(folder, web)
    jobs.told("it waits for 'db', and there is no such job")
    jobs.told("db is gone, its job runs on")
    jobs.waits("web", "waits for db, which isn't in the file any more")
    edit(folder, job("web", "autostart = true"))
    alone(jobs, "web")


def test_jobs_stand_as_the_file_has_them_now(run: Run, folder: Path) -> None:
    jobs = run(job("one") + job("two"), follows=True)
    jobs.until("two", lambda row: row.place == 2)
    edit(folder, job("two") + job("one"))
    jobs.until("two", lambda row: row.place == 1)
    jobs.until("one", lambda row: row.place == 2)


def test_a_file_that_becomes_none_keeps_what_held_until_it_is_one_again(run: Run, folder: Path) -> None:
    text = job("one", "autostart = true")
    jobs = run(text, follows=True)
    first = jobs.runs("one")
    file = folder / "jobdeck.toml"
    for become, why in (
        (file.mkdir, "it is a folder; what held before holds"),
        (lambda: os.mkfifo(file), "it is no file; what held before holds"),
        (lambda: file.write_bytes(b"[jobs.one]\0"), "this is no TOML"),
        (lambda: file.write_bytes(b"\xff\xfe"), "it isn't UTF-8 from byte 0 on"),
        (lambda: file.write_text(job("one", 'after = ["two"]') + job("two", 'after = ["one"]')), "wait for itself"),
    ):
        if file.is_dir():
            file.rmdir()
        else:
            file.unlink()
        become()
        jobs.told(why)
    edit(folder, text + job("two", "autostart = true"))
    jobs.told("two is new")
    jobs.runs("two")
    assert (jobs.row("one").session_id, jobs.count("one")) == (first.session_id, 1)


def test_a_job_that_is_taken_out_and_comes_back_has_its_run_still(run: Run, folder: Path) -> None:
    text = job("one", "autostart = true")
    jobs = run(text + job("two"), follows=True)
    first = jobs.runs("one")
    edit(folder, job("two"))
    jobs.told("one is gone, its job runs on")
    edit(folder, job("one", "autostart = true", command="exec sleep 7445") + job("two"))
    jobs.told("one is new, and has a run that went on")
    assert jobs.waits("one", "changed in the file").session_id == first.session_id
    assert jobs.count("one") == 1
    jobs.engine.restart(first.session_id).result()
    jobs.until("one", lambda row: row.command == "exec sleep 7445" and not row.waits)
    assert sum(row.state is not JobState.EXITED for row in jobs.every()) == 1
