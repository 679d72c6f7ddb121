"""Ctrl+Z as in any terminal program: the shell takes the terminal back until ``fg``."""

import os
import signal

import psutil


def shell_waits() -> bool:
    """Is there a shell with job control above us? Without one nobody would ever wake us again."""
    group, session = os.getpgrp(), os.getsid(0)
    parent = psutil.Process().parent()
    while parent is not None and parent.pid:
        try:
            if os.getsid(parent.pid) != session:
                return False
            if os.getpgid(parent.pid) != group:
                return True
            parent = parent.parent()
        except (OSError, psutil.Error):
            return False
    return False


def stop_group() -> None:
    """Stop this process and those the shell started together with it (``make run``), as the key itself would."""
    os.killpg(0, signal.SIGTSTP)
