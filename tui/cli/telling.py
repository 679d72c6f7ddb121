"""What verbs on one job say to people, and those that take their time."""

import sys
import time

import click

from engine.results import end_text, exit_label
from tui.cli.asking import Plain, failed
from tui.cli.exit_codes import GOOD, REFUSED
from tui.cli.reaching import Answering

_MOST_WAIT = 180.0
"""Seconds that an engine waits in one call."""


def tell_poll(answer: Plain) -> int:
    """How it stands, then its last output."""
    new = answer.get("new_output")
    click.echo(_head(answer), err=True)
    _echo(new if new is not None else answer["output_preview"])
    if new is not None:
        click.echo(f"position {answer['position']}", err=True)
    return failed(answer)


def tell_wait(answer: Plain) -> int:
    """The end of its output, and how it ended."""
    _echo(answer["output"])
    click.echo(_head(answer), err=True)
    return ended_well(answer)


def ended_well(answer: Plain) -> int:
    """0 if the job that was waited for ended with 0."""
    return failed(answer) if answer["status"] == "exited" else REFUSED


def wait_on(engine: Answering, session_id: str, timeout: float | None) -> Plain:
    """Wait, call after call: an engine answers after three minutes at most."""
    ends = None if timeout is None else time.monotonic() + timeout
    while True:
        left = _MOST_WAIT if ends is None else min(_MOST_WAIT, ends - time.monotonic())
        answer: Plain = engine.ask("wait", {"session_id": session_id, "timeout": max(round(left, 2), 0.01)})
        if answer.get("status") != "timeout" or (ends is not None and time.monotonic() >= ends):
            return answer


def tell_log(answer: Plain) -> int:
    """The lines; what stands where, if a person looks."""
    _echo(answer.get("output", ""))
    if (sys.stdout.isatty() or not _has_run(answer)) and answer.get("showing"):
        click.echo(f"[{answer['showing']}]", err=True)
    return GOOD


def tell_kill(answer: Plain) -> int:
    """That it is dead, or who isn't."""
    if answer["status"] == "killed":
        said = "ended" if _has_run(answer) else "called off" if answer.get("called_off") else "was not to be started:"
        click.echo(f"{said} {answer['session_id']}")
        for one in answer.get("escaped", ()):
            click.echo(f"got away: {one['pid']}  {one['command']}; --escaped ends it", err=True)
        return GOOD
    if answer.get("called_off"):
        click.echo(f"called off {answer['session_id']}")
        return GOOD
    if answer["status"] == "already_exited":
        label = exit_label(answer.get("exit_code"), answer.get("completion_reason"), through_shell=True)
        click.echo(f"{answer['session_id']} has already ended ({label})", err=True)
        return REFUSED
    click.echo(f"{answer.get('error', answer['status'])}", err=True)
    for one in answer.get("survivors", ()):
        click.echo(f"lives on: {one['pid']}  {one['command']}: {one['why']}", err=True)
    return REFUSED


def tell_started(answer: Plain) -> int:
    """The new job's id, for scripts to take."""
    click.echo(answer["session_id"])
    for key in ("notify_unsupported", "watch_patterns_ignored", "heartbeat_ignored"):
        if answer.get(key):
            click.echo(answer[key], err=True)
    return GOOD


def _head(answer: Plain) -> str:
    if answer["status"] != "exited" or not _has_run(answer):
        return _without_an_end(answer)
    source = answer.get("termination_source") or ""
    return f"{answer['session_id']} {end_text(answer.get('exit_code'), answer.get('completion_reason') or '', source)}"


def _has_run(answer: Plain) -> bool:
    """A job of the file that has no run is known by its place."""
    return not str(answer.get("session_id", "")).startswith("job_")


def _without_an_end(answer: Plain) -> str:
    status, session_id = answer["status"], answer["session_id"]
    reason = f": {answer['reason']}" if answer.get("reason") else ""
    if status == "timeout" and not answer["process_running"]:
        return str(answer["timeout_note"]).partition(";")[0]
    if status == "exited":
        return f"{session_id} could not be started{reason}"
    return f"{session_id} {status.replace('timeout', 'still running').replace('not_started', 'not started')}{reason}"


def _echo(text: str) -> None:
    click.echo(text, nl=bool(text) and not text.endswith("\n"))
