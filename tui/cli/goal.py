"""``jobdeck goal``: objectives with a loop, from the command line."""

from typing import Any

import click

from tui.cli import completed
from tui.cli.waiting_options import spec_of, waiting_options

_json = click.option("--json", "as_json", is_flag=True, help="Print the result object as JSON.")
_id = click.argument("goal_id", metavar="ID", shell_complete=completed.goals)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def goal() -> None:
    """Objectives with a loop: run a step, ask a judge, wait, again.

    \b
    jobdeck goal start 'all tests pass' --step 'make test'
    jobdeck goal start 'deployed' --step ./deploy --judge ./judge.py
    jobdeck goal wait goal_1a2b --pid 4321

    A goal is kept in the home ($JOBDECK_HOME): it goes on in a console when the process that ran it is gone, and these
    verbs reach it wherever it runs. ID is a goal's id or a unique beginning of at least 4 characters.
    Exit codes: 0 good, 1 refused or the goal paused, 2 bad usage, 3 no such goal.
    """


@goal.command()
@click.argument("objective", metavar="GOAL")
@click.option("--step", required=True, metavar="LINE", help="The shell line that each turn runs.")
@click.option(
    "--judge",
    default="exit-code",
    show_default=True,
    metavar="LINE",
    help="Who decides after each step: 'exit-code' (0 is done), or a shell line.",
)
@click.option("--max-turns", type=click.IntRange(1), metavar="N", help="Pause after so many turns (20 if not said).")
@click.option("--cwd", metavar="FOLDER", help="Run step and judge in this folder.")
@_json
@click.pass_context
def start(
    ctx: click.Context, objective: str, step: str, judge: str, max_turns: int | None, cwd: str | None, as_json: bool
) -> None:
    """Begin a goal and run its loop here.

    It ends when the goal is done (exit code 0) or paused (1).

    A judge gets JSON on stdin (goal, the step's exit code and output, the background jobs) and answers within 30 s with
    JSON on stdout: {"verdict": "done" | "blocked" | "continue" | "wait", "reason": "…"}; a wait names
    "wait_on_session", "wait_on_pid" or "wait_for_seconds". Ctrl-C pauses the goal.
    """
    from engine.spec import GoalSpec
    from tui.cli.goals import start_here

    spec = GoalSpec(goal=objective, step=step, judge=judge, max_turns=max_turns or 0, cwd=cwd)
    ctx.exit(start_here(spec, as_json=as_json))


@goal.command()
@click.argument("goal_id", metavar="[ID]", default="", shell_complete=completed.goals)
@_json
@click.pass_context
def status(ctx: click.Context, goal_id: str, as_json: bool) -> None:
    """List the goals of this home, or show one with its turns."""
    from tui.cli.goals import show_status

    ctx.exit(show_status(goal_id, as_json=as_json))


@goal.command()
@_id
@waiting_options
@click.option("--reason", default="", metavar="TEXT", help="Why it waits, for whoever looks.")
@_json
@click.pass_context
def wait(ctx: click.Context, /, goal_id: str, reason: str, as_json: bool, **what: Any) -> None:
    """Park a goal until something has happened.

    It replaces what the goal waits for now, and returns at once.
    """
    spec = spec_of(ctx, reason=reason, **what)
    from tui.cli.goals import do

    ctx.exit(do(lambda engine: engine.goal_wait(goal_id, spec), as_json=as_json))


@goal.command()
@_id
@_json
@click.pass_context
def unwait(ctx: click.Context, goal_id: str, as_json: bool) -> None:
    """Let a parked goal go on."""
    from tui.cli.goals import do

    ctx.exit(do(lambda engine: engine.goal_unwait(goal_id), as_json=as_json))


@goal.command()
@_id
@click.option("--reason", default="", metavar="TEXT", help="Why, for whoever looks.")
@_json
@click.pass_context
def pause(ctx: click.Context, goal_id: str, reason: str, as_json: bool) -> None:
    """Let a goal rest: no further step, no judge. A step that runs is left to its end."""
    from tui.cli.goals import do

    ctx.exit(do(lambda engine: engine.goal_pause(goal_id, reason), as_json=as_json))


@goal.command()
@_id
@_json
@click.pass_context
def resume(ctx: click.Context, goal_id: str, as_json: bool) -> None:
    """Go on with a goal.

    Where it is hosted, else here, as 'start' does. A used-up budget begins anew.
    """
    from tui.cli.goals import resume_here

    ctx.exit(resume_here(goal_id, as_json=as_json))


@goal.command()
@_id
@_json
@click.pass_context
def clear(ctx: click.Context, goal_id: str, as_json: bool) -> None:
    """Give a goal up and forget it. A step that runs is ended."""
    from tui.cli.goals import do

    ctx.exit(do(lambda engine: engine.goal_clear(goal_id), as_json=as_json))
