"""``jobdeck config``: what holds, and where it came from."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.cli import asking
from tui.cli.configured import configuration
from tui.cli.exit_codes import GOOD, REFUSED

if TYPE_CHECKING:
    from engine.config import Configuration


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--schema", "as_schema", is_flag=True, help="Print the JSON schema of jobdeck.toml, for editors.")
@click.pass_context
def config(ctx: click.Context, as_json: bool, as_schema: bool) -> None:
    """Show the configuration that holds here, and where each value came from.

    The folder's jobdeck.toml (or the file that 'jobdeck --config FILE' names) goes over your own config.toml, which
    goes over the defaults. Exits with 1 when something in them is wrong: that is told with file and line. A theme in
    which text is hard to read is told too, and no error.
    """
    if as_schema:
        from engine.config.schema import schema_text

        click.echo(schema_text(), nl=False)
        ctx.exit(GOOD)
    from engine.config.effective import as_data, as_toml

    held = _with_the_consoles_part(configuration(ctx, aloud=False))
    for problem in () if as_json else (*held.problems, *_warnings(held)):
        click.echo(f"jobdeck: {problem}", err=True)
    if as_json:
        asking.print_json(as_data(held))
    else:
        click.echo(as_toml(held, home=str(Path.home())), nl=False)
    ctx.exit(REFUSED if held.problems else GOOD)


def _with_the_consoles_part(held: "Configuration") -> "Configuration":
    """With what is wrong of keys and themes, which only the console knows."""
    if not held.keys and not held.themes:
        return held
    import msgspec

    from tui.outfit import wrong_colours
    from tui.remapping import remapped

    problems = (*held.problems, *remapped(held).problems, *wrong_colours(held))
    return msgspec.structs.replace(held, problems=problems)


def _warnings(held: "Configuration") -> list[str]:
    """What may be so, and hardly was meant."""
    if not held.themes:
        return []
    from tui.outfit import hard_to_read

    return hard_to_read(held)
