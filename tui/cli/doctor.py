"""``jobdeck doctor``: whether all that jobdeck needs is there and works, what dead engines left behind, and the offer
to end it."""

import sys
from typing import TYPE_CHECKING

import click

from tui.cli.configured import configuration
from tui.cli.exit_codes import GOOD, REFUSED

if TYPE_CHECKING:
    from engine.config import Configuration, Settings
    from engine.ownership.leftovers import Leftover
    from tui.cli.checks.finding import Finding

_SIGNS = {"good": ("✓", "ok  ", "green"), "note": ("!", "note", "yellow"), "bad": ("✗", "BAD ", "red")}


@click.command()
@click.option("--end", is_flag=True, help="End what was left behind, without asking.")
@click.option("--kept", is_flag=True, help="Also what is meant to live on: tmux, ssh-agent and their like.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON; nothing is asked.")
@click.pass_context
def doctor(ctx: click.Context, end: bool, kept: bool, as_json: bool) -> None:
    """Check what jobdeck needs, and say how to mend what is wrong; show what jobdecks that are gone left running, and
    offer to end it.

    Looked at: this terminal, the home ($JOBDECK_HOME), pidfds, terminals for jobs, the shell, descriptors, the
    supervisor (tried out), the ways to tell you outside (the terminal, tmux, notify-send, hooks), whether jobs' memory
    can be bounded, and who hosts which goal. Something is left running only if a jobdeck and its supervisor died
    together.

    Exits with 1 while something is bad, something is left, or no goal can run because state.db can't be used.
    """
    from tui.cli import leases, leftovers, memory_bounds
    from tui.cli.checks.finding import bad

    held = configuration(ctx)
    settings = held.settings
    findings = [*_look(held), *_themes(held)]
    try:
        found = leftovers.look(settings)
    except OSError as error:
        found = []
        mend = "mend the home, then ask again who is left"
        findings.append(bad("Ledger", f"what was started here can't be told: {error.strerror or error}", mend))
    decided, works = leases.describe(settings)
    well = works and not any(one.bad for one in findings)
    mortal = [one for one in found if kept or not one.kept]
    said = [leftovers.describe(found), memory_bounds.describe(settings), decided]
    if as_json:
        from tui.cli.asking import print_json

        checks = [{**one._asdict(), "status": one.status} for one in findings]
        left = [{"pid": one.identity.pid, "session_id": one.session_id, "command": one.command} for one in found]
        print_json({"checks": checks, "left": left, "notes": said[1:]})
    else:
        _tell(findings)
        click.echo("\n".join(said))
    if mortal and (end or (not as_json and _asked(len(mortal)))):
        mortal = _end(mortal, settings)
    ctx.exit(GOOD if well and not mortal else REFUSED)


def _look(held: "Configuration") -> "list[Finding]":
    from tui.cli.checks import home, machine, outside, supervising, terminal

    return [*terminal.here(), *home.look(), *machine.look(), supervising.look(), *outside.look(held)]


def _themes(held: "Configuration") -> "list[Finding]":
    """Themes of the configuration in which text is hard to read."""
    if not held.themes:
        return []
    from tui.cli.checks.finding import Finding
    from tui.outfit import hard_to_read

    return [Finding("Theme", said, "other colours, or another theme") for said in hard_to_read(held)]


def _tell(findings: "list[Finding]") -> None:
    """A line each."""
    from tui.cli.saying import say
    from tui.show.cleaning import clean_line

    unicode = "utf" in (sys.stdout.encoding or "").lower()
    wide = max(len(one.subject) for one in findings)
    for one in findings:
        sign, word, colour = _SIGNS[one.status]
        mend = f" {'→' if unicode else '->'} {one.mend}" if one.mend else ""
        shown = click.style(sign if unicode else word, fg=colour)
        say(f"{shown} {one.subject:<{wide}}  {clean_line(one.said, 300)}{mend}")


def _asked(count: int) -> bool:
    many = f"these {count}" if count > 1 else "it"
    return sys.stdin.isatty() and click.confirm(f"End {many}?")


def _end(mortal: "list[Leftover]", settings: "Settings") -> "list[Leftover]":
    """Who of them could not be ended."""
    from tui.cli import leftovers

    survivors = {one.pid: one for one in leftovers.end(mortal, settings)}
    for one in survivors.values():
        click.echo(f"{one.pid} could not be ended: {one.why}", err=True)
    if not survivors:
        click.echo("Ended.")
    return [one for one in mortal if one.identity.pid in survivors]
