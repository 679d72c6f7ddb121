"""The gate itself: a child that waits for a line before it becomes what it is to be (spec 1.2). Standard library only.

``/bin/sh`` waits in a new session for one line on descriptor 3; at end-of-file it exits and nothing has run. No Python
runs between fork and exec. Figures and the traps of other ways: ``posix_spawn`` 0.4 ms, ``pty.fork`` 13–21 ms,
unsafe beside threads and with SIGPIPE left ignored.
"""

import os
import signal
from collections.abc import Mapping, Sequence

from engine.process.descriptors import make_pipe

_LAUNCH = 'read -r _ <&3 || exit 126; exec 3<&-; cd -- "$1" || exit 126; shift; exec "$@"'
IN_SCOPE = "jobdeck: in its scope"
"""The line by which the launcher tells that it has been reached."""
_LAUNCH_IN_SCOPE = f'echo "{IN_SCOPE}" >&2; exec 2>&4 4>&-; {_LAUNCH}'
"""Standard error is the doorway up to here; what it is to be waits as descriptor 4."""
_SHELL = "/bin/sh"
DEFAULT_SIGNALS = sorted(set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP})
FileActions = list[tuple[int, ...] | tuple[int, int, str, int, int]]


def launch(
    words: Sequence[str | bytes],
    cwd: str | bytes,
    env: Mapping[str, str] | Mapping[bytes, bytes],
    *,
    terminal: str,
    stdio: Sequence[int | None],
    way_in: Sequence[str | bytes] = (),
    doorway: int | None = None,
) -> tuple[int, int]:
    """Start a child behind its gate, leader of a session and a group of its own: its pid, and the gate's write end.

    Its descriptors 0, 1 and 2 are ``terminal``, by name, or those of ``stdio`` (None: /dev/null). ``way_in``: words in
    front of the launcher, by which it gets into its scope; what is said on that way is written to ``doorway``.

    Raises:
        OSError: No process, descriptor or memory left (EAGAIN, EMFILE, ENOMEM), or arguments too long (E2BIG).
    """
    actions = _actions(terminal, stdio)
    first: list[str | bytes] = [_SHELL, "-c", _LAUNCH]
    if doorway is not None:
        first = [*way_in, _SHELL, "-c", _LAUNCH_IN_SCOPE]
        actions += [(os.POSIX_SPAWN_DUP2, 2, 4), (os.POSIX_SPAWN_DUP2, doorway, 2)]
    kept, gate = make_pipe()
    try:
        pid = os.posix_spawn(
            first[0],
            [*first, "jobdeck", cwd, *words],
            env,
            file_actions=[*actions, (os.POSIX_SPAWN_DUP2, kept, 3)],
            setsid=True,  # detached-spawn: ok, behind its gate until who started it has registered it
            setsigmask=[],
            setsigdef=DEFAULT_SIGNALS,
        )
    except BaseException:
        os.close(gate)
        raise
    finally:
        os.close(kept)
    return pid, gate


def _actions(terminal: str, stdio: Sequence[int | None]) -> FileActions:
    if terminal:
        # A session leader without a terminal that opens one gets it as its controlling terminal (Linux).
        return [
            (os.POSIX_SPAWN_OPEN, 0, terminal, os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ]
    actions: FileActions = []
    for target, source in enumerate(stdio):
        if source is None:
            flags = os.O_RDONLY if target == 0 else os.O_WRONLY
            actions.append((os.POSIX_SPAWN_OPEN, target, os.devnull, flags, 0))
        else:
            actions.append((os.POSIX_SPAWN_DUP2, source, target))
    return actions
