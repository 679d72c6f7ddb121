"""The jobs as the console knows them: what news change."""

import time

import msgspec
from job_views import ended, running

from engine.events import Event, JobChanged, JobDismissed, JobView, Snapshot
from tui.store import JobStore, Told


def changed(job: JobView, **fields: object) -> list[Event]:
    return [JobChanged(1, time.time(), msgspec.structs.replace(job, **fields))]


def test_a_job_that_only_writes_leaves_all_else_as_it_is() -> None:
    one, other = running("one"), ended("other", 1)
    store = JobStore()
    assert store.apply([Snapshot(0, time.time(), (one, other))]) == Told(rows=True, standing=True)
    wrote = changed(one, last_line="a line", total_output_chars=one.total_output_chars + 7)
    assert store.apply(wrote) == Told(rows=False, standing=False)
    assert store.apply([*wrote, *changed(one, hits=1)]) == Told(rows=False, standing=True)
    assert store.apply(changed(other, receipt_pending=True)) == Told(rows=False, standing=True)
    assert store.apply(changed(running("new"), last_line="x")) == Told(rows=True, standing=True)
    assert store.apply(changed(other, place=1)).rows
    assert store.apply([JobDismissed(2, time.time(), one.session_id)]) == Told(rows=True, standing=True)
