"""The profile's home: where state lives on disk (spec 3)."""

import os
import stat
import sys
from pathlib import Path


class HomeError(OSError):
    """The home can't be used; the text says what to do."""


def home_folder() -> Path:
    """``$JOBDECK_HOME``, else the platform's state folder for jobdeck. Nothing is made.

    Raises:
        HomeError: It names the folder of a user whom nobody knows.
    """
    given = os.environ.get("JOBDECK_HOME")
    if given:
        try:
            return Path(given).expanduser().absolute()
        except RuntimeError as error:
            raise HomeError(
                f"JOBDECK_HOME is {given}, and there is no such user; set it to a folder of yours"
            ) from error
    state = os.environ.get("XDG_STATE_HOME", "")
    if sys.platform == "linux" and state.startswith("/"):
        return Path(state) / "jobdeck"  # as platformdirs has it, which takes 5 ms to load: every short run would wait
    home = os.environ.get("HOME", "")
    if sys.platform == "linux" and not state and home.startswith("/"):
        return Path(home) / ".local" / "state" / "jobdeck"
    from platformdirs import user_state_path

    return user_state_path("jobdeck")


def private_folder(path: Path) -> Path:
    """Make a folder of ours with mode 0700, its parents too; the path.

    Raises:
        HomeError: It is a link or somebody else's, or can't be made.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = path.lstat()
    except OSError as error:
        raise HomeError(f"{path} can't be made: {error.strerror}; set JOBDECK_HOME to a folder of yours") from error
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
        raise HomeError(f"{path} is a link or not yours; set JOBDECK_HOME to a folder of yours")
    if stat.S_IMODE(about.st_mode) != 0o700:
        path.chmod(0o700)
    return path
