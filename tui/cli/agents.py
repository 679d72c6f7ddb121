"""``jobdeck background, delegate, agents, stop, send, cancel``: agents that do tasks, from the command line."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tui.cli import asking, completed
from tui.cli.asking import Plain
from tui.cli.exit_codes import GOOD, REFUSED

F = TypeVar("F", bound=Callable[..., Any])


def _common(verb: F) -> F:
    verb = click.option("--json", "as_json", is_flag=True, help="Print the result object as JSON.")(verb)
    return click.option("--operator", is_flag=True, help="As the operator: any agent, not only one's own.")(verb)


def _starting(verb: F) -> F:
    verb = click.option("--agent", default="", metavar="NAME", help="Which agent; may be left out if there is one.")(
        verb
    )
    verb = click.option("--name", default="", help="What it is called.")(verb)
    verb = click.option(
        "--cwd", metavar="FOLDER", shell_complete=completed.folders, help="In this folder; else in this one."
    )(verb)
    verb = click.option(
        "--engine",
        default="",
        metavar="ENGINE",
        shell_complete=completed.engines,
        help="On this engine: its kind (serve, console), pid or id.",
    )(verb)
    return _common(verb)


@click.command()
@_starting
@click.argument("prompt")
@click.pass_context
def background(ctx: click.Context, /, prompt: str, **how: Any) -> None:
    """Have an agent do a task in the background, and print its id.

    It is a job of its own, which the end of this command line's conversation doesn't end; its result comes up in the
    console, and 'jobdeck wait ID' waits for it. The agent is one of this folder's configuration, or of the engine's:

    \b
    [agents.claude]
    command = ["claude", "-p", "{prompt}"]

    Exit codes: 0 it runs, 1 it couldn't be started, 2 bad usage, 4 no engine.
    """
    from tui.cli.delegating import start_background

    ctx.exit(asking.guarded("background", lambda: start_background(prompt, how), as_json=how["as_json"]))


@click.command()
@_starting
@click.option("--max-children", type=click.IntRange(1), metavar="N", help="So many run side by side (3 if not said).")
@click.option("--wait", "waits", is_flag=True, help="Wait until all have ended, and print what came of them.")
@click.option(
    "--no-queue", is_flag=True, help="With all slots for batches taken, give up instead of waiting one's turn."
)
@click.argument("tasks", nargs=-1, required=True, metavar="TASK...")
@click.pass_context
def delegate(ctx: click.Context, /, tasks: tuple[str, ...], **how: Any) -> None:
    """Have agents do several tasks side by side, as one batch, and print its id.

    What they do can be followed while they do it: the dispatch says where. A batch takes one of three slots; when all
    are taken this waits its turn, and says so. One completion tells all results, in order.

    \b
    jobdeck delegate --wait 'review the parser' 'review the tests' 'update the README'

    Exit codes: 0 it runs, or ended with at least one task done; 1 refused, stopped, or all tasks failed; 2 bad usage,
    4 no engine.
    """
    from tui.cli.delegating import start_batch

    def run() -> int:
        return start_batch(tasks, how)

    ctx.exit(asking.guarded("delegate", run, as_json=how["as_json"]))


@click.command()
@_common
@click.option("--wait", "waits", is_flag=True, help="With a batch's ID: wait until it has ended.")
@click.argument("batch_id", metavar="[ID]", default="", shell_complete=completed.batches)
@click.pass_context
def agents(ctx: click.Context, batch_id: str, waits: bool, operator: bool, as_json: bool) -> None:
    """List the agents that you can have, and what you have them do; or show one batch with what came of its tasks.

    Exit codes: 0 good, 1 the batch that was waited for was stopped or failed, 3 no such batch, 4 no engine.
    """
    from tui.cli.delegating import list_agents, show_batch

    if waits and not batch_id:
        ctx.fail("--wait needs the ID of a batch")

    def run() -> int:
        if batch_id:
            return show_batch(batch_id, waits=waits, operator=operator, as_json=as_json)
        return list_agents(operator=operator, as_json=as_json)

    ctx.exit(asking.guarded("agents", run, as_json=as_json))


@click.command()
@_common
@click.argument("batch_id", metavar="ID", shell_complete=completed.batches)
@click.pass_context
def stop(ctx: click.Context, batch_id: str, operator: bool, as_json: bool) -> None:
    """End a whole batch (deleg_…), or a background agent (bg_…): every tree, and nothing more is started.

    Exit codes: 0 all are ended, 1 some could not be, 3 no such batch, 4 no engine.
    """
    _on_agent(ctx, "stop", {"batch_id": batch_id}, _ended, operator=operator, as_json=as_json)


@click.command()
@_common
@click.argument("subagent_id", metavar="ID", shell_complete=completed.subagents)
@click.argument("message", metavar="TEXT")
@click.pass_context
def send(ctx: click.Context, subagent_id: str, message: str, operator: bool, as_json: bool) -> None:
    """Put a message before a running child of a batch (sub_…): on its input, or in its inbox file.

    Exit codes: 0 it is on its way, 1 it doesn't run, 3 no such child, 4 no engine.
    """

    def sent(answer: Plain) -> int:
        click.echo(f"sent to {answer['subagent_id']} ({answer['via']})", err=True)
        return GOOD

    params = {"subagent_id": subagent_id, "data": message}
    _on_agent(ctx, "send", params, sent, operator=operator, as_json=as_json)


@click.command()
@_common
@click.argument("subagent_id", metavar="ID", shell_complete=completed.subagents)
@click.pass_context
def cancel(ctx: click.Context, subagent_id: str, operator: bool, as_json: bool) -> None:
    """End one child of a batch (sub_…) with its whole tree; the batch goes on.

    Exit codes: 0 it is ended, 1 it could not be, 3 no such child, 4 no engine.
    """
    _on_agent(ctx, "cancel", {"subagent_id": subagent_id}, _ended, operator=operator, as_json=as_json)


def _ended(answer: Plain) -> int:
    ended = answer["cancelled"]
    click.echo(f"ended {', '.join(ended)}" if ended else "it had ended before")
    if answer.get("error"):
        click.echo(answer["error"], err=True)
    return GOOD if answer["status"] == "ok" else REFUSED


def _on_agent(
    ctx: click.Context,
    verb: str,
    params: dict[str, Any],
    say: Callable[[Plain], int],
    *,
    operator: bool,
    as_json: bool,
) -> None:
    from tui.cli.delegating import on_agent

    def run() -> int:
        return on_agent(verb, params, say, operator=operator, as_json=as_json)

    ctx.exit(asking.guarded(verb, run, as_json=as_json))
