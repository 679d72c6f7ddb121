"""What can be waited for, as options that ``wait-for`` and ``goal wait`` share."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tui.cli import completed
from tui.cli.durations import duration

if TYPE_CHECKING:
    from engine.spec import WaitSpec

_OPTIONS = (
    click.option(
        "--exit", "exit_of", metavar="ID", shell_complete=completed.jobs, help="The end of a job, however it ends."
    ),
    click.option(
        "--match", nargs=2, metavar="ID PATTERN", help="A line of a job's output: a text, or /an expression/."
    ),
    click.option("--pid", type=click.IntRange(1), metavar="N", help="The end of a process, be it whose it may."),
    click.option("--for", "seconds", type=duration, metavar="TIME", help="A time: 45s, 10m, 1h30m."),
    click.option(
        "--timeout",
        type=duration,
        metavar="TIME",
        help="Give up on a job or a process after so long (30m if not said).",
    ),
)


def waiting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add them to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def spec_of(
    ctx: click.Context,
    *,
    exit_of: str | None,
    match: tuple[str, str] | None,
    pid: int | None,
    seconds: float | None,
    timeout: float | None,
    reason: str = "",
) -> "WaitSpec":
    """What these options ask for; a usage error unless it is exactly one thing."""
    given = [
        name
        for name, value in (("--exit", exit_of), ("--match", match), ("--pid", pid), ("--for", seconds))
        if value is not None
    ]
    if len(given) != 1:
        what = f"not {' and '.join(given)} together" if given else "such as --pid 1234 or --for 10m"
        ctx.fail(f"say one thing to wait for, {what}")
    if seconds is not None and timeout is not None:
        ctx.fail("--for is a time itself: it needs no --timeout")
    from engine.spec import WaitSpec  # the command line's names and help need none of it

    session_id, pattern = match if match is not None else (exit_of or "", "")
    return WaitSpec(
        session_id=session_id,
        on="match" if match is not None else "exit",
        pattern=pattern,
        pid=pid or 0,
        seconds=seconds or 0.0,
        timeout=timeout or 0.0,
        reason=reason,
    )
