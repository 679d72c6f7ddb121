"""``jobdeck receipts``: how earlier jobs ended, from the disk, with and without an engine."""

import sys
import time
from typing import Any

import click

from tui.cli import asking, completed, reaching
from tui.cli.asking import Plain
from tui.cli.exit_codes import GOOD, NO_SUCH


@click.command()
@click.argument("session_id", metavar="[ID]", default="", shell_complete=completed.jobs)
@click.option("--raw", is_flag=True, help="The output with escape sequences and overwritten text.")
@click.option("--operator", is_flag=True, help="As the operator: every job's, not only one's own.")
@click.option("--json", "as_json", is_flag=True, help="Print the results, or the receipt, as JSON.")
@click.pass_context
def receipts(ctx: click.Context, session_id: str, raw: bool, operator: bool, as_json: bool) -> None:
    """List the results of jobs that have ended, newest first, or show one with its output.

    They are kept on the disk for a week, the newest 64, with secrets masked; no engine need run. ID is a job's id, a
    unique beginning of at least 4 characters, or a name that one result alone has.
    """

    def run() -> int:
        with reaching.engines_or_disk(reaching.whom(operator=operator)) as found:
            rows: list[Plain] = found[0].ask("results", {})["results"]
        if session_id:
            return _show(session_id, rows, raw=raw, as_json=as_json)
        if as_json:
            asking.print_json({"results": rows})
        else:
            _list(rows)
        return GOOD

    ctx.exit(asking.guarded("receipts", run, as_json=as_json))


def _list(rows: list[Plain]) -> None:
    from tui.cli.listing import tint
    from tui.cli.saying import say, say_table
    from tui.show.ages import ago, span

    if not rows:
        say("no results of yours are kept here")
        return
    table = [
        (
            row["session_id"],
            row["name"],
            _end(row),
            ago(time.time() - row["exited_at"]),
            span(row["exited_at"] - row["started_at"]),
            row["command"],
        )
        for row in rows
    ]
    say_table(table, ("ID", "NAME", "END", "WHEN", "RAN", "COMMAND"), tinted=2, tint=tint)


def _end(row: Plain) -> str:
    from engine.results import exit_label

    if row["completion_reason"] == "killed":
        return "killed"
    return exit_label(row["exit_code"], row["completion_reason"], through_shell=row["through_shell"])


def _show(wanted: str, rows: list[Plain], *, raw: bool, as_json: bool) -> int:
    from engine.registry.ids import find_id

    known = {row["session_id"]: row for row in rows}
    named = [row["session_id"] for row in rows if row["name"] == wanted]
    found = find_id(wanted, tuple(known)) or (named[0] if len(named) == 1 else None)
    receipt = _read(found) if found is not None else None
    if found is None or receipt is None:
        why = (
            f"there is no result of {wanted!r} on the disk" if found is None else f"the result of {found} is not on it"
        )
        return asking.no("receipts", f"{why}; 'jobdeck receipts' lists them", NO_SUCH, as_json=as_json)
    if as_json:
        asking.print_json(receipt)
    else:
        _tell(receipt, known[found], raw=raw)
    return GOOD


def _read(session_id: str) -> Plain | None:
    import msgspec

    from engine.config import Settings
    from engine.store.home import home_folder
    from engine.store.receipts import Receipts

    settings = Settings()
    kept = Receipts(home_folder(), settings.receipts_kept, settings.receipts_kept_days)
    receipt = kept.read(session_id, lambda text: click.echo(text, err=True))
    return None if receipt is None else dict(msgspec.to_builtins(receipt))


def _tell(receipt: Plain, row: Plain, *, raw: bool) -> None:
    """Who and how on stderr, so that stdout is the output alone."""
    from engine.output.cleaning import clean
    from engine.redact import redact
    from tui.cli.saying import foreign, say
    from tui.show.ages import ago, span

    ran = span(receipt["exited_at"] - receipt["started_at"])
    head: dict[str, Any] = {
        "": f"{receipt['id']}  {_end(row)} {ago(time.time() - receipt['exited_at'])}, after {ran}",
        "command": receipt["command"],
        "name": receipt["name"] if receipt["name"] != receipt["command"] else "",
        "folder": receipt["cwd"],
        "ended by": receipt["termination_source"],
    }
    for name, value in head.items():
        if value:
            say(f"{name:<9}{foreign(value)}" if name else foreign(value), to_stderr=True)
    if gone := receipt.get("output_from"):
        say(f"the first {gone:,} of {receipt['total_output_chars']:,} characters aren't kept", to_stderr=True)
    # Once more when it is cleaned: a carriage return may have brought together what stood apart.
    text = receipt["output"] if raw else redact(clean(receipt["output"]))
    sys.stdout.write(text)
    if text and not text.endswith("\n") and sys.stdout.isatty():
        sys.stdout.write("\n")
