"""The log file for what went wrong inside jobdeck itself; made when there is something to say."""

import os
import threading
import time
import traceback

from engine.store.home import home_folder, private_folder

_MOST_BYTES = 1_000_000
_lock = threading.Lock()


def record_trouble(what: str, error: BaseException | None = None) -> str:
    """Append to ``logs/jobdeck.log`` in the home (0600, anew above 1 MB); its path, empty if it can't be written.

    Never raises. It touches the disk, so it is for what should not happen, not for the hot path.
    """
    lines = [f"{time.strftime('%Y-%m-%d %H:%M:%S')} pid {os.getpid()} {what}\n"]
    if error is not None:
        lines += traceback.format_exception(error)
    try:
        path = private_folder(private_folder(home_folder()) / "logs") / "jobdeck.log"
        with _lock:
            if path.exists() and path.stat().st_size > _MOST_BYTES:
                path.replace(path.with_suffix(".log.1"))
            with open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600), "a") as file:
                file.writelines(lines)
    except OSError:  # also a home that names an unknown user
        return ""
    return str(path)
