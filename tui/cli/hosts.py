"""``jobdeck engines`` and ``jobdeck serve``: who hosts jobs here, and a host without a screen."""

import time

import click

from engine.wire.short import Short
from tui.cli import asking, reaching
from tui.cli.configured import configuration
from tui.cli.ending import Ending
from tui.cli.exit_codes import GOOD, REFUSED


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.pass_context
def engines(ctx: click.Context, as_json: bool) -> None:
    """List the engines of this home: consoles, hosts without a screen, agents' tool servers."""

    def run() -> int:
        with reaching.engines(reaching.whom(operator=True)) as found:
            rows = [{**one.welcome["engine"], "socket": one.path, "running": _running(one)} for one in found]
        if as_json:
            asking.print_json({"engines": rows})
            return GOOD
        from tui.cli.saying import say_table
        from tui.show.ages import clock

        table = [
            (
                row["kind"],
                str(row["pid"]),
                clock(time.time() - row["started_at"]),
                str(row["running"]),
                row["label"] or row["socket"],
            )
            for row in rows
        ]
        say_table(table, ("KIND", "PID", "FOR", "JOBS", "WHERE"))
        return GOOD

    ctx.exit(asking.guarded("engines", run, as_json=as_json))


def _running(one: Short) -> int:
    return sum(row["status"] == "running" for row in one.ask("list", {})["processes"])


@click.command()
@click.pass_context
def serve(ctx: click.Context) -> None:
    """Host jobs without a screen, until it is told to end (SIGTERM, Ctrl-C).

    Jobs started here live on when it ends, and the next one takes them over: it is the place for what must not die
    because a screen was closed.
    """
    from engine import Engine, Settings
    from engine.wire.server import Server
    from tui.collecting import settle

    ending = Ending()
    try:
        held = configuration(ctx, Settings(memory_scopes=True, persist=True))
        with (
            Engine(configuration=held, adopts_goals=True, follows=True, runs_jobs=True) as engine,
            Server(engine, "serve") as server,
        ):
            settle()
            click.echo(f"jobdeck serves at {server.path}; 'jobdeck start -- COMMAND' starts a job here", err=True)
            ending.wait()
    except OSError as error:
        click.echo(f"jobdeck serve: {error}", err=True)
        ctx.exit(REFUSED)
    ctx.exit(GOOD)
