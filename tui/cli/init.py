"""``jobdeck init``: a jobdeck.toml from what is there."""

import os
from pathlib import Path

import click

from tui.cli.exit_codes import GOOD, REFUSED


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--print", "to_stdout", is_flag=True, help="Print it and write nothing.")
@click.option("--force", is_flag=True, help="Replace the jobdeck.toml that is there.")
@click.pass_context
def init(ctx: click.Context, files: tuple[Path, ...], to_stdout: bool, force: bool) -> None:
    """Write a jobdeck.toml from what is in this folder.

    From a Procfile, package.json, mprocs.yaml, dekit.yaml or process-compose.yaml, or from the FILEs that are named.
    What can't be carried over is listed, here and in the file.
    """
    from engine.config.decoding import decode_layer
    from engine.config.importing.files import as_toml, example, lose_their_shell, read_foreign
    from engine.config.importing.imported import Imported, NotUnderstood
    from engine.config.importing.names import found_in
    from engine.config.loading import NAME

    target = Path(NAME)
    if not (to_stdout or force) and target.exists():
        click.echo(f"jobdeck init: there is a {NAME} already; --print shows what would be written, --force replaces it",
                   err=True)  # fmt: skip
        ctx.exit(REFUSED)
    imports: list[Imported] = []
    wrong = False
    for file in files or found_in(Path()):
        try:
            imports.append(read_foreign(file))
            lose_their_shell(imports[-1], os.environ.get("SHELL", ""))
        except (NotUnderstood, OSError) as error:
            wrong = wrong or bool(files)
            why = f"{file} can't be read: {error.strerror or error}" if isinstance(error, OSError) else str(error)
            click.echo(f"jobdeck init: {why}", err=True)
    if wrong:
        ctx.exit(REFUSED)
    text = as_toml(imports) if imports else example()
    for one in imports:
        jobs = f"{len(one.jobs)} job{'s' * (len(one.jobs) != 1)}"
        click.echo(f"{one.source}: {jobs}" + ("; not carried over:" if one.left else ""), err=True)
        for line in one.left:
            click.echo(f"  {line}", err=True)
    if to_stdout:
        click.echo(text, nl=False)
        ctx.exit(GOOD)
    target.write_text(text, "utf-8")
    for problem in decode_layer(text, NAME).problems:
        click.echo(f"jobdeck init: {problem}", err=True)
    click.echo(f"{NAME} is written" + ("" if imports else ": an example, as there was nothing to read"), err=True)
    click.echo("'jobdeck' opens the console with these jobs; those with autostart = true start with it, r starts any",
               err=True)  # fmt: skip
    ctx.exit(GOOD)
