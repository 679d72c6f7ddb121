"""``jobdeck list, poll, wait, log, screen, write, submit, close, kill, signal …``: verbs on jobs of any engine."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from tui.cli import asking, completed, reaching
from tui.cli.asking import Plain
from tui.cli.durations import duration
from tui.cli.exit_codes import GOOD, NO_SUCH, REFUSED
from tui.cli.reaching import Answering

F = TypeVar("F", bound=Callable[..., Any])

NOTE_ON_IDS = (
    "ID is a job's id, a unique beginning of it of at least 4 characters, or a unique name. "
    "Exit codes: 0 good, 1 refused or the job failed, 2 bad usage, 3 no such job, 4 no engine."
)
"""Below the help of each verb on a job."""
_verb = partial(click.command, epilog=NOTE_ON_IDS)


def _common(verb: F) -> F:
    verb = click.option("--json", "as_json", is_flag=True, help="Print the result object as JSON.")(verb)
    return click.option("--operator", is_flag=True, help="As the operator: every job, not only one's own.")(verb)


def _on_job(verb: F) -> F:
    return _common(click.argument("session_id", metavar="ID", shell_complete=completed.jobs)(verb))


def _on_running(verb: F) -> F:
    return _common(click.argument("session_id", metavar="ID", shell_complete=completed.running_jobs)(verb))


@click.command("list")
@_common
@click.pass_context
def list_jobs(ctx: click.Context, operator: bool, as_json: bool) -> None:
    """List your jobs on all engines, running and finished.

    Yours are those of this command line's conversation (the token in $JOBDECK_CONVERSATION or $JOBDECK_TOKEN, else the
    home's own); --operator shows all. Without an engine it tells what is on the disk.
    """
    from tui.cli.listing import list_all, list_as_json, say_jobs

    if as_json:
        ctx.exit(list_as_json(operator=operator))

    def run() -> int:
        say_jobs(list_all(operator=operator))
        return GOOD

    ctx.exit(asking.guarded("list", run, as_json=False))


@_verb()
@_on_job
@click.option("--since", type=click.IntRange(0), metavar="POSITION", help="Also what it wrote after this position.")
@click.pass_context
def poll(ctx: click.Context, session_id: str, since: int | None, operator: bool, as_json: bool) -> None:
    """Say how a job stands, with the end of its output. Never waits.

    With --since only what it wrote after a position, and the position after that for the next time.
    """
    from tui.cli.telling import tell_poll

    def ask(engine: Answering, whole: str) -> Plain:
        return dict(engine.ask("poll", {"session_id": whole, "since": since}))

    ctx.exit(asking.about_job("poll", session_id, ask, tell_poll, operator=operator, as_json=as_json, reads=True))


@_verb()
@_on_job
@click.option("--timeout", type=duration, metavar="TIME", help="Wait no longer than this: 90, 45s, 10m, 1h30m.")
@click.pass_context
def wait(ctx: click.Context, session_id: str, timeout: float | None, operator: bool, as_json: bool) -> None:
    """Wait for a job's end, as long as it takes.

    Prints the end of its output, and on stderr how it ended. 0 if it ended well, 1 if not, or not in time: then it runs
    on, and you can wait again.
    """
    from tui.cli.telling import ended_well, tell_wait, wait_on

    def ask(engine: Answering, whole: str) -> Plain:
        return wait_on(engine, whole, timeout)

    how: dict[str, Any] = {"operator": operator, "as_json": as_json, "reads": True, "code": ended_well}
    ctx.exit(asking.about_job("wait", session_id, ask, tell_wait, **how))


@_verb()
@_on_job
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes, until the job ends.")
@click.option("--offset", type=click.IntRange(0), metavar="LINE", help="From this line on, counted from 0.")
@click.option("-n", "--limit", type=click.IntRange(1), metavar="LINES", help="So many lines (default 200).")
@click.option("--raw", is_flag=True, help="With escape sequences and overwritten text.")
@click.pass_context
def log(
    ctx: click.Context,
    session_id: str,
    follow: bool,
    offset: int | None,
    limit: int | None,
    raw: bool,
    operator: bool,
    as_json: bool,
) -> None:
    """Print lines of a job's output; the last 200 if nothing else is said.

    \b
    jobdeck log -f api            follow it until it ends
    jobdeck log --offset 0 api    from its first line on

    Escape sequences and what a carriage return overwrote are left out, secrets are masked. --offset 0 is the head.
    """
    from tui.cli.following import follow_log
    from tui.cli.telling import tell_log

    if follow and (as_json or offset is not None):
        ctx.fail("-f goes on from the end: it takes neither --json nor --offset")

    def ask(engine: Answering, whole: str) -> Plain:
        if follow:
            return follow_log(engine, whole, limit, raw=raw)
        return dict(engine.ask("log", {"session_id": whole, "offset": offset, "limit": limit, "raw": raw}))

    ctx.exit(asking.about_job("log", session_id, ask, tell_log, operator=operator, as_json=as_json, reads=True))


@_verb()
@_on_job
@click.pass_context
def screen(ctx: click.Context, session_id: str, operator: bool, as_json: bool) -> None:
    """Print a job's terminal as a person would see it now.

    It is for full-screen programs, started with --pty; 'log' tells what others printed.
    """

    def say(answer: Plain) -> int:
        click.echo("\n".join(answer["lines"]).rstrip("\n"))
        return GOOD

    ask = _plain("screen")
    ctx.exit(asking.about_job("screen", session_id, ask, say, operator=operator, as_json=as_json, reads=True))


@_verb()
@_on_running
@click.argument("data", metavar="TEXT|-")
@click.pass_context
def write(ctx: click.Context, session_id: str, data: str, operator: bool, as_json: bool) -> None:
    """Send TEXT to a job's input as it is, without Enter; - sends this command's own input.

    \b
    jobdeck write repl $'\\x03'     what Ctrl-C sends to a job with a terminal
    jobdeck write load - <big.sql

    The job needs an input: started with --stdin or --pty.
    """
    import base64

    raw = sys.stdin.buffer.read() if data == "-" else data.encode("utf-8", "surrogateescape")
    ask = _plain("write", base64=base64.b64encode(raw).decode())
    ctx.exit(asking.about_job("write", session_id, ask, _done, operator=operator, as_json=as_json))


@_verb()
@_on_running
@click.argument("data", metavar="LINE")
@click.pass_context
def submit(ctx: click.Context, session_id: str, data: str, operator: bool, as_json: bool) -> None:
    """Send LINE and Enter to a job's input, as a person types it.

    \b
    jobdeck submit migrate y      answer its question

    The job needs an input: started with --stdin or --pty.
    """
    ask = _plain("submit", data=data)
    ctx.exit(asking.about_job("submit", session_id, ask, _done, operator=operator, as_json=as_json))


@_verb()
@_on_running
@click.pass_context
def close(ctx: click.Context, session_id: str, operator: bool, as_json: bool) -> None:
    """Tell a job that no more input comes (EOF), as Ctrl+D does."""
    ctx.exit(asking.about_job("close", session_id, _plain("close"), _done, operator=operator, as_json=as_json))


@_verb()
@_on_running
@click.option("--now", is_flag=True, help="KILL at once, without TERM and grace.")
@click.option("--escaped", is_flag=True, help="Also those that got away from it.")
@click.pass_context
def kill(ctx: click.Context, session_id: str, now: bool, escaped: bool, operator: bool, as_json: bool) -> None:
    """End a job's whole tree: TERM, a grace, KILL, and proof that nobody is left.

    Those that can't be ended are told with why (exit code 1): the job still counts as running then. What got away from
    the job (a daemon in a session of its own) is named, and ended only with --escaped.
    """
    from tui.cli.telling import tell_kill

    ask = _plain("kill", now=now, escaped=escaped)
    ctx.exit(asking.about_job("kill", session_id, ask, tell_kill, operator=operator, as_json=as_json))


@click.command("kill-all")
@_common
@click.option(
    "--except",
    "spared",
    multiple=True,
    metavar="ID",
    shell_complete=completed.running_jobs,
    help="But not this one; may be given again.",
)
@click.pass_context
def kill_all(ctx: click.Context, spared: tuple[str, ...], operator: bool, as_json: bool) -> None:
    """End all your running jobs on all engines.

    Those that outlive their owner (--keep) are passed by; 'kill' ends these.
    """

    def run() -> int:
        with reaching.engines(reaching.whom(operator=operator)) as found:
            there = [reaching.having(found, wanted) for wanted in spared]
            if missing := next((one for one in there if isinstance(one, dict)), None):
                return asking.no("kill-all", missing["error"], NO_SUCH, as_json=as_json)
            excluded = [one[1] for one in there if not isinstance(one, dict)]
            answers = [one.ask("kill_all", {"exclude_ids": excluded}) for one in found]
            left = {
                row["session_id"]
                for one in found
                for row in one.ask("list", {})["processes"]
                if row["status"] == "running" and row["persist_on_release"] and row["session_id"] not in excluded
            }
        killed = [session_id for answer in answers for session_id in answer["killed"]]
        failed = [one for answer in answers for one in answer.get("failed", ())]
        if as_json:
            asking.print_json({"status": "error" if failed else "ok", "killed": killed, "failed": failed})
        else:
            click.echo(f"ended {len(killed)} job{'s' * (len(killed) != 1)}")
            if left:
                many = f"{len(left)} jobs are" if len(left) > 1 else "1 job is"
                click.echo(f"{many} meant to outlive all (--keep), and left alone: 'jobdeck kill ID'", err=True)
            for one in failed:
                click.echo(f"{one['session_id']} could not be ended: {one.get('error', '')}", err=True)
        return REFUSED if failed else GOOD

    ctx.exit(asking.guarded("kill-all", run, as_json=as_json))


@_verb()
@_on_running
@click.argument("name", metavar="NAME", shell_complete=completed.signals)
@click.pass_context
def signal(ctx: click.Context, session_id: str, name: str, operator: bool, as_json: bool) -> None:
    """Send one signal (INT, HUP, USR1 …) to a job's process group.

    'kill' ends the whole tree, and proves it.

    \b
    jobdeck signal api HUP
    """
    ask = _plain("signal", name=name)
    ctx.exit(asking.about_job("signal", session_id, ask, _done, operator=operator, as_json=as_json))


@_verb()
@_on_job
@click.pass_context
def restart(ctx: click.Context, session_id: str, operator: bool, as_json: bool) -> None:
    """End a job if it runs, and start it again under a new id."""
    from tui.cli.telling import tell_started

    ctx.exit(
        asking.about_job("restart", session_id, _plain("restart"), tell_started, operator=operator, as_json=as_json)
    )


@_verb()
@_on_running
@click.argument("purpose", metavar="PURPOSE")
@click.pass_context
def handoff(ctx: click.Context, session_id: str, purpose: str, operator: bool, as_json: bool) -> None:
    """Give a running job to the conversation that this one works for; PURPOSE tells it what for.

    For a conversation that was begun with a parent ($JOBDECK_TOKEN is such a one's).
    """
    ask = _plain("handoff", data=purpose)
    ctx.exit(asking.about_job("handoff", session_id, ask, _done, operator=operator, as_json=as_json))


@_verb("close-terminal")
@_on_job
@click.pass_context
def close_terminal(ctx: click.Context, session_id: str, operator: bool, as_json: bool) -> None:
    """Close a job's tab in every console.

    The job goes on, and can be opened there again.
    """
    ask = _plain("close_terminal")
    ctx.exit(asking.about_job("close-terminal", session_id, ask, _done, operator=operator, as_json=as_json))


def _plain(verb: str, **more: Any) -> Callable[[Answering, str], Plain]:
    return lambda engine, whole: dict(engine.ask(verb, {"session_id": whole, **more}))


def _done(answer: Plain) -> int:
    return GOOD if answer["status"] == "ok" else REFUSED
