"""Where engines listen: a private run folder, one socket an engine (spec 4.1, 4.2)."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.store.home import HomeError, home_folder, private_folder

_LONGEST_PATH = 100
"""Bytes of a socket's path: the kernel takes 107 (macOS 103)."""
_NAME_BYTES = 32
SUFFIX = ".sock"


def run_folder() -> Path:
    """The folder in which this home's engines have their sockets. Nothing is made.

    It is ``run`` in the home, or where that is too long for a socket's address a short one, told by the home's name,
    under the runtime directory.

    Raises:
        HomeError: The home names an unknown user.
    """
    home = home_folder()
    folder = home / "run"
    if len(os.fsencode(folder)) + _NAME_BYTES < _LONGEST_PATH:
        return folder
    import hashlib  # not for the many homes that are short
    import tempfile

    short = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and len(os.fsencode(runtime)) + _NAME_BYTES + 30 < _LONGEST_PATH:
        return Path(runtime) / f"jobdeck-{short}"
    return (
        Path(tempfile.gettempdir() if len(tempfile.gettempdir()) < 40 else "/tmp") / f"jobdeck-{os.geteuid()}-{short}"
    )


def new_socket_path(kind: str) -> Path:
    """A path for this process's engine, whose folder is made: ``console-4711-9f2c.sock``.

    Raises:
        HomeError: The folder is a link or somebody else's, or can't be made.
    """
    folder = private_folder(run_folder())
    return folder / f"{kind}-{os.getpid()}-{os.urandom(2).hex()}{SUFFIX}"


def sockets() -> list[Path]:
    """The sockets of this home's engines, of dead ones too, the oldest first. None where the folder isn't ours.

    Raises:
        HomeError: The home names an unknown user.
    """
    return [path for _made, path in sorted(_found(run_folder()))]


def _found(folder: Path) -> Iterator[tuple[float, Path]]:
    try:
        about = folder.lstat()
        if folder.is_symlink() or about.st_uid != os.geteuid():
            raise HomeError(f"{folder} is a link or not yours: nothing in it is trusted; remove it")
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.name.endswith(SUFFIX) and not entry.name.startswith("."):  # then nobody listens there yet
            with suppress(FileNotFoundError):  # an engine that ended meanwhile
                yield entry.stat(follow_symlinks=False).st_mtime, Path(entry.path)


def pid_of(path: Path) -> int:
    """The process whose socket this is, by its name; 0 for a name that isn't ours."""
    parts = path.name.removesuffix(SUFFIX).split("-")
    return int(parts[1]) if len(parts) == 3 and parts[1].isascii() and parts[1].isdigit() and len(parts[1]) < 10 else 0
