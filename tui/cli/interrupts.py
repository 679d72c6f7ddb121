"""Ctrl-C at a verb: one that has begun nothing which must be ended in order is over at once, and says nothing.

Python's own way is an exception wherever the main thread is: in an import it is a traceback, in a constructor it leaves
half of an engine behind. What this module loads comes before all else, and so it is little.
"""

import os
import signal

from tui.cli.exit_codes import INTERRUPTED


def end_at_once() -> None:
    """From now on Ctrl-C ends this process, unless it was started so that it doesn't (a shell's ``jobdeck … &``)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


class Heard:
    """Within the block Ctrl-C is a `KeyboardInterrupt` again, for who has something to end in order."""

    def __enter__(self) -> None:
        self._ours = signal.getsignal(signal.SIGINT) is _end
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *_exc: object) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, _end)


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)
