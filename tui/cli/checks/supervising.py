"""Do jobs end here with their engine, whatever it dies of? Tried out on a process of our own."""

import asyncio
import subprocess
import time
from pathlib import Path

from engine.config import Settings
from engine.ownership.supervisor import SCRIPT, Supervisor
from engine.process.identity import identify
from tui.cli.checks.finding import Finding, bad

_SUBJECT = "Supervisor"
_TRIED = "proc_000000000000"
_PATIENCE_SECONDS = 20.0
"""For a supervisor that is at work, on a machine with little time for it."""
_MEND = "see that /bin/sh is a POSIX shell, that it may be run, and that processes may be signalled here"


def look(script: Path = SCRIPT) -> Finding:
    """Starts one, hands it a process, and lets go as a dying engine does; takes a moment."""
    began = time.monotonic()
    try:
        ended, troubles = asyncio.run(_try(script))
    except OSError as error:
        return bad(_SUBJECT, f"it can't be started ({error}): jobs may outlive a crash", _MEND)
    if not ended:
        why = f" ({'; '.join(troubles)})" if troubles else ""
        return bad(_SUBJECT, f"it didn't end what it was to end{why}: jobs may outlive a crash", _MEND)
    return Finding(_SUBJECT, f"ended what a dead engine would leave, in {time.monotonic() - began:.2f} s")


async def _try(script: Path) -> tuple[bool, list[str]]:
    troubles: list[str] = []
    settings = Settings(supervisor_kill_seconds=_PATIENCE_SECONDS)
    supervisor = Supervisor(asyncio.get_running_loop(), settings, troubles.append, script)
    child = subprocess.Popen(["sleep", "60"], process_group=0)  # detached-spawn: ok, it is ended below in any case
    try:
        known = identify(child.pid)
        supervisor.register(child.pid, _TRIED, known.start_time if known is not None else 0.0)
        supervisor.close(lambda: _reap(child))
        return child.poll() is not None, troubles
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()


def _reap(child: "subprocess.Popen[bytes]") -> None:
    child.poll()
