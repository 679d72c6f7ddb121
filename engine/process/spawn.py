"""The gated start of a child of ours: it waits until everybody who must know of it knows (spec 1.2)."""

import os
from collections.abc import Sequence

import msgspec

from engine.process.environment import lost_in_shell
from engine.process.identity import Identity, identify
from engine.process.launch import launch


class Stdio(msgspec.Struct, frozen=True):
    """Where a child's descriptors 0, 1 and 2 come from: a terminal's name, or a descriptor each (None: /dev/null)."""

    terminal: str = ""
    stdin: int | None = None
    stdout: int | None = None
    stderr: int | None = None


class GatedChild:
    """A child behind its gate: leader of a session and a group of its own."""

    def __init__(self, identity: Identity, gate: int) -> None:
        self.identity = identity
        self._gate = gate

    def open_gate(self) -> None:
        """Let it run.

        Raises:
            OSError: It is dead already.
        """
        try:
            os.write(self._gate, b"go\n")
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let it exit without having run anything, unless the gate was opened. The caller still has to reap it."""
        if self._gate >= 0:
            gate, self._gate = self._gate, -1  # its number may be another thread's descriptor as soon as it is closed
            os.close(gate)


def through_env(argv: Sequence[str], env: dict[str, str]) -> list[str]:
    """The arguments, behind ``env`` where the environment holds names that the launching shell would lose."""
    odd = lost_in_shell(env)
    return ["env", *odd, *argv] if odd else list(argv)


def spawn_gated(
    argv: Sequence[str],
    cwd: str,
    env: dict[str, str],
    stdio: Stdio,
    way_in: Sequence[str] = (),
    doorway: int | None = None,
) -> GatedChild:
    """Start ``argv`` behind a gate; in front of that it goes its ``way_in`` to a scope, if it has a ``doorway``.

    Raises:
        OSError: No process, descriptor or memory left (EAGAIN, EMFILE, ENOMEM), or arguments too long (E2BIG).
    """
    descriptors = (stdio.stdin, stdio.stdout, stdio.stderr)
    words = through_env(argv, env)
    pid, gate = launch(words, cwd, env, terminal=stdio.terminal, stdio=descriptors, way_in=way_in, doorway=doorway)
    identity = identify(pid)
    if identity is None:
        os.close(gate)
        raise ChildProcessError(f"somebody else reaped our child {pid}; is SIGCHLD set to be ignored?")
    return GatedChild(identity, gate)
