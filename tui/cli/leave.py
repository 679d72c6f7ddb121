"""The end of a short run: out at once."""

import os
import sys
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End this process with ``code``, once what was said is out.

    Python would first take apart every module that was loaded, which takes longer than the engine's whole part of a
    short job. Nothing is left to it: the engine has shut down, the terminal is as it was.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        sys.exit(code)  # closed or full: told the usual way
    os._exit(code)
