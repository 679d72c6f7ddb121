"""The gated start: a child that waits until everybody who must know of it knows (spec 1.2).

``/bin/sh`` waits in a new session for one line on descriptor 3; at end-of-file it exits and nothing has run. No Python
runs between fork and exec. Figures and the traps of other ways: ``posix_spawn`` 0.4 ms, ``pty.fork`` 13–21 ms,
unsafe beside threads and with SIGPIPE left ignored.
"""

import os
import signal
from collections.abc import Sequence

import msgspec

from engine.process.descriptors import make_pipe
from engine.process.environment import lost_in_shell
from engine.process.identity import Identity, identify

_LAUNCH = 'read -r _ <&3 || exit 126; exec 3<&-; cd -- "$1" || exit 126; shift; exec "$@"'
_SHELL = "/bin/sh"
_DEFAULT_SIGNALS = sorted(set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP})


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


def spawn_gated(argv: Sequence[str], cwd: str, env: dict[str, str], stdio: Stdio) -> GatedChild:
    """Start ``argv`` behind a gate.

    Raises:
        OSError: No process, descriptor or memory left (EAGAIN, EMFILE, ENOMEM), or arguments too long (E2BIG).
    """
    kept, gate = make_pipe()
    odd = lost_in_shell(env)
    words = ["env", *odd, *argv] if odd else list(argv)
    try:
        pid = os.posix_spawn(
            _SHELL,
            ["sh", "-c", _LAUNCH, "jobdeck", cwd, *words],
            env,
            file_actions=[*_stdio_actions(stdio), (os.POSIX_SPAWN_DUP2, kept, 3)],
            setsid=True,  # detached-spawn: ok, behind its gate until spawn_owned has registered it
            setsigmask=[],
            setsigdef=_DEFAULT_SIGNALS,
        )
    except BaseException:
        os.close(gate)
        raise
    finally:
        os.close(kept)
    identity = identify(pid)
    if identity is None:
        os.close(gate)
        raise ChildProcessError(f"somebody else reaped our child {pid}; is SIGCHLD set to be ignored?")
    return GatedChild(identity, gate)


def _stdio_actions(stdio: Stdio) -> list[tuple[int, ...] | tuple[int, int, str, int, int]]:
    if stdio.terminal:
        # A session leader without a terminal that opens one gets it as its controlling terminal (Linux).
        return [
            (os.POSIX_SPAWN_OPEN, 0, stdio.terminal, os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ]
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = []
    for target, source in enumerate((stdio.stdin, stdio.stdout, stdio.stderr)):
        if source is None:
            flags = os.O_RDONLY if target == 0 else os.O_WRONLY
            actions.append((os.POSIX_SPAWN_OPEN, target, os.devnull, flags, 0))
        else:
            actions.append((os.POSIX_SPAWN_DUP2, source, target))
    return actions
