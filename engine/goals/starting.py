"""A new goal: what is asked for, checked in words, and its first state."""

import os
from pathlib import Path

from engine.config import Settings
from engine.goals.judge import EXIT_CODE
from engine.goals.state import GoalState
from engine.registry.job import own_folder
from engine.spec import Caller, GoalSpec, JobSpec, SpecError

_MOST_TURNS = 10_000
_GOAL_CHARS = 10_000


def check_goal(spec: GoalSpec) -> None:
    """Raise `SpecError` if this can't be a goal; the text says what to change."""
    if not spec.goal.strip():
        raise SpecError("a goal is said in words: what is to be reached?")
    if len(spec.goal) > _GOAL_CHARS:
        raise SpecError(f"a goal of {len(spec.goal):,} characters: {_GOAL_CHARS:,} is the most")
    if not spec.step.strip():
        raise SpecError("a goal needs a step: the shell line that each turn runs")
    if not spec.judge.strip():
        raise SpecError(f"a judge is {EXIT_CODE!r} or a shell line")
    if not 0 <= spec.max_turns <= _MOST_TURNS:
        raise SpecError(f"a goal has 1 to {_MOST_TURNS:,} turns, not {spec.max_turns:,}")
    for line in (spec.step, spec.judge):
        JobSpec(command=line, cwd=spec.cwd, env=spec.env, name=spec.goal).check()


def new_state(spec: GoalSpec, caller: Caller, settings: Settings, now: float) -> GoalState:
    """Its state before the first turn. The folder is written down whole: another host may be elsewhere."""
    return GoalState(
        goal_id=f"goal_{os.urandom(4).hex()}",
        goal=spec.goal.strip(),
        step=spec.step,
        judge=spec.judge.strip(),
        max_turns=spec.max_turns or settings.goal_max_turns,
        created_at=now,
        cwd=spec.cwd if spec.cwd and spec.cwd.startswith("~") else str(Path(own_folder(), spec.cwd or "")),
        env=dict(spec.env),
        owner=caller.owner,
    )
