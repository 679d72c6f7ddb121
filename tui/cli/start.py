"""``jobdeck start``: a job in the background, on an engine that runs."""

import re
from pathlib import Path
from typing import Any

import click

from tui.cli import asking, completed, reaching
from tui.cli.exit_codes import GOOD


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("-c", "--command", "line", metavar="LINE", help="A shell line, run under $SHELL (or /bin/sh).")
@click.option("--name", default="", help="What it is called.")
@click.option("--pty", is_flag=True, help="Give it a terminal.")
@click.option("--size", default="", metavar="COLSxROWS", help="Of that terminal; 120x30 if not said.")
@click.option("--stdin", "piped", is_flag=True, help="Let it read what write and submit send.")
@click.option(
    "--cwd", metavar="FOLDER", shell_complete=completed.folders, help="Run it in this folder; else in this one."
)
@click.option(
    "--host", default="", metavar="HOST", help="On this host of the configuration; folder and environment too."
)
@click.option("--env", "pairs", multiple=True, metavar="NAME=VALUE", help="Set for it; NAME alone takes it away.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given again.")
@click.option(
    "--watch", "patterns", multiple=True, metavar="PATTERN", help="Look for this: a text, /regex/ or /regex/i."
)
@click.option("--group", default="", help="The batch it belongs to.")
@click.option(
    "--kill-order",
    default="children-first",
    type=click.Choice(["children-first", "parent-first"]),
    help="Whom a kill ends first; parent-first for supervisors that reap their own children.",
)
@click.option("--keep/--no-keep", default=None, help="Does it live on when its engine ends? On serve it does.")
@click.option(
    "--engine",
    default="",
    metavar="ENGINE",
    shell_complete=completed.engines,
    help="On this engine: its kind (serve, console), pid or id.",
)
@click.option("--operator", is_flag=True, help="As the operator's job.")
@click.option("--json", "as_json", is_flag=True, help="Print the result object as JSON.")
@click.argument("argv", nargs=-1, shell_complete=completed.files, metavar="[--] [PROG [ARG]...]")
@click.pass_context
def start(ctx: click.Context, /, line: str | None, argv: tuple[str, ...], **how: Any) -> None:
    """Start a job in the background and print its id.

    It runs on the engine of 'jobdeck serve' if there is one, else on the console's, and is told apart from agents' jobs
    by this command line's conversation ($JOBDECK_TOKEN, else the home's own).

    \b
    id=$(jobdeck start --name api -- uvicorn app:api)
    jobdeck wait "$id"; jobdeck log -f "$id"

    Exit codes: 0 it runs, 1 it couldn't be started, 2 bad usage, 4 no engine.
    """
    if bool(argv) == (line is not None):
        ctx.fail("give a program with its arguments ('jobdeck start -- make test'), or one shell line with -c")
    env: dict[str, str | None] = {}
    for pair in how["pairs"]:
        name, equals, value = pair.partition("=")
        env[name] = value if equals else None
    spec = {
        **({"command": line} if line is not None else {"argv": list(argv)}),
        "name": how["name"],
        "pty": how["pty"],
        **_size(ctx, how["size"]),
        "stdin": "pipe" if how["piped"] and not how["pty"] else "null",
        "cwd": how["cwd"] if how["host"] else str(Path(how["cwd"] or ".").absolute()),
        "host": how["host"],
        "env": env,
        "tags": list(how["tags"]),
        "watch_patterns": list(how["patterns"]),
        "group": how["group"],
        "kill_order": how["kill_order"],
        "persist_on_release": how["keep"],
    }

    def run() -> int:
        from tui.cli.telling import tell_started

        with reaching.engines(reaching.whom(operator=how["operator"]), how["engine"]) as found:
            there = found[0] if how["engine"] else reaching.starter(found)
            answer = there.ask("spawn", {"spec": spec})
        if how["as_json"]:
            asking.print_json(answer)
            return GOOD
        return tell_started(answer)

    ctx.exit(asking.guarded("start", run, as_json=how["as_json"]))


def _size(ctx: click.Context, text: str) -> dict[str, int]:
    """``120x30`` as the specification of a job has it."""
    if not text:
        return {}
    if (found := re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.lower())) is None:
        ctx.fail(f"{text!r} is no size; write columns and rows, such as 120x30")
    return {"cols": int(found[1]), "rows": int(found[2])}
