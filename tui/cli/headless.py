"""A console that has lost its terminal: its jobs go on under an engine without a screen (spec 4.8)."""

import os
import signal
import sys
from typing import TYPE_CHECKING

from engine.events import JobView, Resync, Snapshot
from tui.cli.ending import Ending

if TYPE_CHECKING:
    from engine import Engine
    from engine.wire.server import Server

LABEL = "without a terminal"
"""What other consoles call it."""
_VARIABLE = "JOBDECK_ON_HANGUP"


def keeps_on(engine: "Engine") -> bool:
    """Are jobs to go on when the terminal is lost? By ``JOBDECK_ON_HANGUP``, else the setting ``on_hangup``."""
    return (os.environ.get(_VARIABLE) or engine.settings.on_hangup) == "keep"


def stay(engine: "Engine", server: "Server") -> None:
    """Until the last job has ended, or somebody says so (SIGTERM). Other consoles find its jobs by its socket."""
    server.relabel(LABEL)
    _let_go_of_terminal()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ending = Ending((signal.SIGTERM, signal.SIGINT))
    feed = engine.events(on_ready=ending.wake)
    running: set[str] = set()
    begun = False
    while not ending.told:
        for event in feed.take():
            if isinstance(event, Snapshot | Resync):
                running, begun = {job.session_id for job in event.jobs if job.exited_at is None}, True
            elif isinstance(job := getattr(event, "job", None), JobView):
                (running.discard if job.exited_at is not None else running.add)(job.session_id)
        if begun and not running:
            break
        ending.wait()
    feed.close()


def _let_go_of_terminal() -> None:
    """Nothing is read from it or written to it any more."""
    nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
