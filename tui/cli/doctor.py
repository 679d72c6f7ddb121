"""``jobdeck doctor``: what dead engines left behind, the offer to end it, and what can't be done here for jobs and
goals."""

import sys

import click

from tui.cli.configured import configuration


@click.command()
@click.option("--end", is_flag=True, help="End what was left behind, without asking.")
@click.option("--kept", is_flag=True, help="Also what is meant to live on: tmux, ssh-agent and their like.")
@click.pass_context
def doctor(ctx: click.Context, end: bool, kept: bool) -> None:
    """Show what jobdecks that are gone left running, and offer to end it; whether jobs' memory can be bounded here, and
    who hosts which goal.

    Something is left only if a jobdeck and its supervisor died together. Exits with 1 while something is, and while no
    goal can run because state.db can't be used.
    """
    from tui.cli import leases, leftovers, memory_bounds

    settings = configuration(ctx).settings
    try:
        found = leftovers.look(settings)
    except OSError as error:
        ctx.fail(f"the ledger of started processes can't be read: {error}")
    click.echo(leftovers.describe(found))
    click.echo(memory_bounds.describe(settings))
    decided, works = leases.describe(settings)
    click.echo(decided)
    mortal = [one for one in found if kept or not one.kept]
    if not mortal:
        ctx.exit(0 if works else 1)
    many = f"these {len(mortal)}" if len(mortal) > 1 else "it"
    if not end and not (sys.stdin.isatty() and click.confirm(f"End {many}?")):
        ctx.exit(1)
    survivors = leftovers.end(mortal, settings)
    for one in survivors:
        click.echo(f"{one.pid} could not be ended: {one.why}", err=True)
    if not survivors:
        click.echo("Ended.")
    ctx.exit(1 if survivors or not works else 0)
