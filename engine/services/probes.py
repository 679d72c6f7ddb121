"""Looks at whether a job is ready from outside: its port, its address, a command of one's own. They block."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping

from engine.config.entries import Ready

_NETWORK_SECONDS = 2.0
_COMMAND_SECONDS = 10.0
"""What one look may take; then it counts as not ready."""
_LOOK_SECONDS = 0.02
"""How often it is looked whether a command has exited."""


def probe_of(ready: Ready, cwd: str, env: Mapping[str, str], over: threading.Event) -> Callable[[], bool] | None:
    """One look; None for what isn't looked for from outside (a line, the end). ``over``: nobody waits for it any more,
    so a command that looks is ended."""
    if ready.port:
        return lambda: _listens(ready.port)
    if ready.http:
        return lambda: _answers(ready.http)
    if ready.command:
        return lambda: _succeeds(ready.command, cwd, env, over)
    return None


def _listens(port: int) -> bool:
    for address in ("127.0.0.1", "::1"):
        with contextlib.suppress(OSError), socket.create_connection((address, port), _NETWORK_SECONDS):
            return True
    return False


def _answers(address: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address, timeout=_NETWORK_SECONDS) as answer:
            return int(answer.status) < 400
    except (OSError, ValueError, http.client.HTTPException):  # nobody is there, or who is there speaks otherwise
        return False


def _succeeds(command: str, cwd: str, env: Mapping[str, str], over: threading.Event) -> bool:
    try:
        child = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # detached-spawn: ok, it carries its job's id: the supervisor knows it by that
        )
    except OSError:
        return False
    ends = time.monotonic() + _COMMAND_SECONDS
    try:
        # Not reaped yet, so that its number can't be a stranger's when its session is ended.
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if over.wait(_LOOK_SECONDS) or time.monotonic() > ends:
                return False
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)  # what it started is in its session
        code = child.wait()
    return code == 0
