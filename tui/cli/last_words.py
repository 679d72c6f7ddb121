"""What was printed is out before the process ends, or it is said why not."""

import os
import sys
from typing import TextIO

from tui.cli.exit_codes import REFUSED


def printed(code: int) -> int:
    """Write out what stdout holds back; ``code``, or another if that can't be: the disk is full, the reader gone.

    Python would find out only after the last of our code, and end with 120 and a traceback.
    """
    stream: TextIO | None = sys.stdout  # None where it was closed before we began
    if stream is None:
        return code
    try:
        stream.flush()
    except OSError as error:
        return unprinted(error)
    return code


def unprinted(error: OSError) -> int:
    """Say that something can't be printed, and print no more; the exit code."""
    if not isinstance(error, BrokenPipeError):  # then whoever read has read enough
        print(f"jobdeck: {error}", file=sys.stderr)  # noqa: T201  click isn't loaded for every verb
    stream: TextIO | None = sys.stdout
    if stream is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # what it still holds is lost; Python would try again
        os.close(nowhere)
    return REFUSED
