"""``jobdeck config``: what holds, and where it came from."""

from pathlib import Path

import click

from tui.cli import asking
from tui.cli.configured import configuration


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--schema", "as_schema", is_flag=True, help="Print the JSON schema of jobdeck.toml, for editors.")
@click.pass_context
def config(ctx: click.Context, as_json: bool, as_schema: bool) -> None:
    """Show the configuration that holds here, and where each value came from.

    The folder's jobdeck.toml (or the file that 'jobdeck --config FILE' names) goes over your own config.toml, which
    goes over the defaults. Exits with 1 when something in them is wrong: that is told with file and line.
    """
    if as_schema:
        from engine.config.schema import schema_text

        click.echo(schema_text(), nl=False)
        ctx.exit(asking.GOOD)
    from engine.config.effective import as_data, as_toml

    held = configuration(ctx, aloud=not as_json)
    if as_json:
        asking.print_json(as_data(held))
    else:
        click.echo(as_toml(held, home=str(Path.home())), nl=False)
    ctx.exit(asking.REFUSED if held.problems else asking.GOOD)
