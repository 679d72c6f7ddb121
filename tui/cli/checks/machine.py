"""Does this machine have what jobs need: pidfds, terminals, a shell, descriptors?"""

import os
import resource
import shutil
import signal
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from engine.process.identity import LINUX, identify
from tui.cli.checks.finding import Finding, bad
from tui.cli.mcp_package import how_to_get

_LEAST_DESCRIPTORS = 1_024


def look() -> list[Finding]:
    """All of it; takes milliseconds."""
    return [_python(), _pidfd(), _identity(), _terminals(), _shell(), _descriptors(), _agents()]


def _python() -> Finding:
    import engine

    room = Path(engine.__file__ or "").parent
    if not (room / "ownership" / "supervisor.sh").exists():
        mend = "install jobdeck by 'uv tool install' or 'pipx', which keep it apart"
        return bad("Python", f"another package named 'engine' lies over jobdeck's, at {room}", mend)
    return Finding("Python", f"{'.'.join(map(str, sys.version_info[:3]))}, jobdeck in {room.parent}")


def _pidfd() -> Finding:
    if not LINUX:
        return Finding("Exits", "told by a waiting thread a job; pidfds are Linux's")
    try:
        descriptor = os.pidfd_open(os.getpid())
        try:
            signal.pidfd_send_signal(descriptor, 0)
        finally:
            os.close(descriptor)
    except (OSError, AttributeError) as error:
        mend = "a kernel from 5.3 on; in a container allow pidfd_open and pidfd_send_signal in its seccomp profile"
        return bad("Exits", f"pidfds can't be used ({error}): no job can be started", mend)
    return Finding("Exits", "pidfds work: ends are told at once, and no recycled pid is signalled")


def _identity() -> Finding:
    ours = identify(os.getpid())
    if ours is None or not ours.start_time:
        mend = "mount /proc so that your own processes can be seen in it"
        return bad("Processes", "when a process began can't be told, so none could safely be ended", mend)
    return Finding("Processes", "told apart by pid and start time")


def _terminals() -> Finding:
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError as error:
        mend = "mount devpts at /dev/pts, or raise /proc/sys/kernel/pty/max; jobs on pipes run"
        return bad("PTYs", f"no terminal can be made for a job: {error.strerror}", mend)
    return Finding("PTYs", "can be made")


def _shell() -> Finding:
    shell = os.environ.get("SHELL") or "/bin/sh"
    if shutil.which(shell) is None:
        return bad(
            "Shell", f"SHELL is {shell}, which can't be run: no shell line can", "set SHELL to yours, or /bin/sh"
        )
    if not os.access("/bin/sh", os.X_OK):
        return bad("Shell", "/bin/sh can't be run, through which every job is started", "install one")
    return Finding("Shell", f"{shell} runs shell lines")


def _descriptors() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < _LEAST_DESCRIPTORS:
        most = _LEAST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, 4 * _LEAST_DESCRIPTORS)
        said = f"only {soft} at a time: a job takes about five"
        return Finding("Descriptors", said, f"'ulimit -n {most}' before jobdeck is started")
    return Finding("Descriptors", f"{'no limit' if soft == resource.RLIM_INFINITY else soft} at a time")


def _agents() -> Finding:
    with suppress(ImportError, ValueError):
        if find_spec("mcp") is not None:
            return Finding("Agents", "'jobdeck mcp' can serve them")
    return Finding("Agents", "'jobdeck mcp' can't run here", f"{how_to_get()}, if agents are to use it")
