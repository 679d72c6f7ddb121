"""Tells when a process that isn't our child has ended: by its pidfd on Linux, else by looking (spec 1.8, 2.7)."""

import os
from collections.abc import Callable
from pathlib import Path

from engine.process.identity import LINUX, Identity, identify, is_alive
from engine.registry.registry import Registry

_LOOK_SECONDS = 1.0


class NoSuchProcess(Exception):
    """There is nothing to wait for under that number; the text says why."""


def living_process(pid: int) -> Identity:
    """The process that has this number now.

    Raises:
        NoSuchProcess: None has, it is dead already, or it is one whose end nobody of us can see.
    """
    if pid <= 1 or pid == os.getpid():
        raise NoSuchProcess(f"pid {pid} is never waited for: it doesn't end before jobdeck does")
    identity = identify(pid)
    if identity is None:
        raise NoSuchProcess(f"no process has the pid {pid}")
    if not is_alive(identity):
        raise NoSuchProcess(f"pid {pid} is dead already: nobody has taken its exit status yet")
    if LINUX and (leader := _leader_of(pid)) != pid:
        raise NoSuchProcess(f"{pid} is a thread of the process {leader}; wait for that")
    return identity


def _leader_of(pid: int) -> int:
    """The process that a thread belongs to; a process's own number."""
    for line in Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines():
        if line.startswith("Tgid:"):
            return int(line.split()[1])
    return pid


class ProcessEnd:
    """Watches one process by its identity; ``on_end`` is called once, on the loop, also when it has ended before."""

    def __init__(self, registry: Registry, identity: Identity, on_end: Callable[[], object]) -> None:
        self._registry = registry
        self._identity = identity
        self._on_end = on_end
        self._descriptor = -1
        self._timer = registry.loop.call_soon(self._begin)

    def close(self) -> None:
        """Watch no longer. Safe to call twice."""
        self._timer.cancel()
        if self._descriptor >= 0:
            self._registry.loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    def _begin(self) -> None:
        if LINUX:
            try:
                self._descriptor = os.pidfd_open(self._identity.pid)
            except ProcessLookupError:
                self._told()
                return
            except OSError:  # no descriptor is left: look instead
                self._look()
                return
            self._registry.loop.add_reader(self._descriptor, self._told)
        # Only now: the number may have gone to somebody else before the descriptor was opened.
        self._look()

    def _look(self) -> None:
        if not is_alive(self._identity):
            self._told()
        elif self._descriptor < 0:
            self._timer = self._registry.loop.call_later(_LOOK_SECONDS, self._look)

    def _told(self) -> None:
        self.close()
        self._on_end()
