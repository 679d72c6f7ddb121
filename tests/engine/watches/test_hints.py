"""Advice for whoever starts something in the background (spec 2.6)."""

import pytest
from waiting import PATIENCE

from engine import Engine, JobSpec
from engine.watches.hints import hides_ci_failure, hint_for, is_endless


@pytest.mark.parametrize("line", ["npm test", "make -j8", "pytest -x", "cargo build", "sleep 3", "npm run build"])
def test_what_ends_and_tells_nobody_gets_a_hint(line: str) -> None:
    assert "notify_on_complete" in (hint_for(line, told=False, can_be_told=True) or "")
    assert hint_for(line, told=True, can_be_told=True) is None
    assert "wait" in (hint_for(line, told=False, can_be_told=False) or "")


@pytest.mark.parametrize("line", ["npm run dev", "python -m http.server", "tail -f x.log", "while true; do date; done"])
def test_what_runs_until_it_is_ended_gets_none(line: str) -> None:
    assert is_endless(line)
    assert hint_for(line, told=False, can_be_told=True) is None


@pytest.mark.parametrize(
    "line",
    [
        "gh pr checks 12 --json state | jq -r .[].state",
        "while sleep 30; do gh pr checks 7 | grep -v pass || break; done",
        "gh run watch 5 2>&1 | tail -20",
        "glab ci status | cat",
    ],
)
def test_a_check_of_ci_that_hides_its_failure_is_said_so_even_where_the_end_is_told(line: str) -> None:
    assert hides_ci_failure(line)
    assert "pipefail" in (hint_for(line, told=True, can_be_told=True) or "")


@pytest.mark.parametrize(
    "line",
    ["gh pr checks 12 --watch", "set -o pipefail; gh pr checks 12 | jq .", "gh pr checks || echo bad", "ls | jq ."],
)
def test_one_that_hides_nothing_is_not(line: str) -> None:
    assert not hides_ci_failure(line)


def test_a_start_carries_its_hint(engine: Engine) -> None:
    assert engine.spawn(JobSpec(command="sleep 0")).result(PATIENCE).hint
    assert engine.spawn(JobSpec(command="sleep 0", notify_on_complete=True)).result(PATIENCE).hint is None
    assert engine.spawn(JobSpec(command="sleep 0", watch_patterns=("x",))).result(PATIENCE).hint is None
