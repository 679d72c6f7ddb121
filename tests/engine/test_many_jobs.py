"""Very many jobs, each over before anyone can look: every one is told once (spec 1.2, 2.2)."""

import os
from collections import Counter

import pytest
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, Settings
from engine.events import Completion, JobExited

MANY = int(os.environ.get("JOBDECK_TEST_JOBS", "200"))
"""1,000 of them take some ten seconds; a slow machine's CI starts fewer."""


@pytest.mark.parametrize("pty", [False, True])
def test_jobs_that_end_at_once_complete_once_each(pty: bool) -> None:
    with Engine(Settings(max_processes=2 * MANY)) as engine:
        feed = engine.events()
        spec = JobSpec(argv=("true",), pty=pty, notify_on_complete=True)
        calls = [engine.spawn(spec) for _ in range(MANY)]
        ids = [call.result().session_id for call in calls]
        exits: Counter[str] = Counter()
        told: Counter[str] = Counter()

        def all_told() -> bool:
            for event in feed.take():
                if isinstance(event, JobExited):
                    assert (event.job.exit_code, event.job.completion_reason) == (0, "exited")
                    exits[event.job.session_id] += 1
                elif isinstance(event, Completion):
                    told[event.session_id] += 1
            return len(told) >= MANY and len(exits) >= MANY

        wait_until(all_told, 3 * PATIENCE, what="the end of every job")
        # A second telling of one would have come by now: what is asked after the last end is answered after it.
        engine.list().result()
        all_told()
        assert exits == told == Counter(ids)
