"""``jobdeck wait-for``: wait for something, here in the foreground, then run a command."""

from typing import Any

import click

from tui.cli.waiting_options import spec_of, waiting_options


@click.command("wait-for")
@waiting_options
@click.option("--then", metavar="CMD", help="A shell line to run here once it has happened.")
@click.option("--operator", is_flag=True, help="On any job, not only one's own.")
@click.option("--json", "as_json", is_flag=True, help="Print what was waited for and what came as one JSON object.")
@click.pass_context
def wait_for(ctx: click.Context, /, then: str | None, operator: bool, as_json: bool, **what: Any) -> None:
    """Wait for something, then exit with 0, or run a command.

    \b
    jobdeck wait-for --pid 4321 --then 'make deploy'
    jobdeck wait-for --for 10m --then 'notify-send tea'
    jobdeck wait-for --exit proc_4dae --then 'make deploy'
    jobdeck wait-for --match proc_4dae 'Application startup'

    CMD runs only if what was waited for has happened; it finds JOBDECK_WAIT_OUTCOME and JOBDECK_EXIT_CODE in its
    environment, and its exit code becomes this command's. Exit codes else: 0 it happened, 1 it didn't (given up),
    2 bad usage, 3 no such process, 4 no engine that has the job.
    """
    spec = spec_of(ctx, **what)
    if then is not None and not then.strip():
        ctx.fail("--then needs a shell line")
    from tui.cli.waiting import wait_here

    ctx.exit(wait_here(spec, then, operator=operator, as_json=as_json))
