"""How a job has ended, in words."""

import signal


def signal_name(number: int) -> str:
    """``SIGTERM`` for 15; ``signal 77`` for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


NOT_STARTED = "not_started"
"""The ``completion_reason`` that a job of the configuration file is shown with which never ran."""


def exit_label(exit_code: int | None, completion_reason: str | None, *, through_shell: bool = False) -> str:
    """How an end is told to people: ``exit 0``, ``exit 255``, ``SIGSEGV``, ``failed to start``, ``lost``.

    ``through_shell``: the job ran under a shell, which reports a child's death by signal N as 128+N.
    """
    if completion_reason == "failed_start":
        return "failed to start"
    if completion_reason == NOT_STARTED:
        return "not started"
    if completion_reason == "lost" or exit_code is None:
        return "lost"
    if exit_code < 0:
        return signal_name(-exit_code)
    if through_shell and exit_code > 128:
        try:
            return signal.Signals(exit_code - 128).name
        except ValueError:
            pass
    return f"exit {exit_code}"


_ENDED_BY = {
    "operator": "killed by the operator",
    "kill_all": "killed with all others by the operator",
    "process.kill": "killed by its owner",
    "owner_exit": "killed because its owner ended",
    "turn_abandoned": "killed because its turn was abandoned",
    "quit": "killed when jobdeck was quit",
}


def end_text(
    exit_code: int | None, completion_reason: str | None, termination_source: str = "", *, through_shell: bool = False
) -> str:
    """An end as notices tell it: ``✓ finished``, ``✗ failed (exit 2)``, ``terminated (SIGTERM)``, ``lost`` …

    A kill also says whose it was: ``terminated (SIGTERM), killed by the operator``.
    """
    if completion_reason in ("failed_start", "lost") or exit_code is None:
        return exit_label(exit_code, completion_reason)
    if completion_reason == "killed" or exit_code in (-signal.SIGTERM, 128 + signal.SIGTERM):
        by = _ENDED_BY.get(termination_source, "") if completion_reason == "killed" else ""
        return "terminated (SIGTERM)" + (f", {by}" if by else "")
    if exit_code == 0:
        return "✓ finished"
    return f"✗ failed ({exit_label(exit_code, completion_reason, through_shell=through_shell)})"
