"""The files of the configuration, the later ones over the earlier: the user's, then the folder's or the one named."""

import os
import sys
from pathlib import Path

from engine.config.configuration import Configuration
from engine.config.settings import Settings

NAME = "jobdeck.toml"
"""The file of a folder."""


class NoSuchFile(OSError):
    """The file that was named isn't there; the text says so."""


def user_file() -> Path:
    """The user's file, there or not."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if sys.platform == "linux" and base.startswith("/"):
        return Path(base) / "jobdeck" / "config.toml"  # as platformdirs has it, which takes long to load
    home = os.environ.get("HOME", "")
    if sys.platform == "linux" and not base and home.startswith("/"):
        return Path(home) / ".config" / "jobdeck" / "config.toml"
    from platformdirs import user_config_path

    return user_config_path("jobdeck") / "config.toml"


def load(named: "str | Path | None" = None, *, base: Settings | None = None) -> Configuration:
    """Read all that there is. What is wrong in it is told in ``problems``; the rest counts.

    Args:
        named: The file to take in place of the working folder's.
        base: Defaults other than the specification's; the files go before them.

    Raises:
        NoSuchFile: ``named`` isn't there.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError:  # it was deleted
        here = Path("/")
    own = here / Path(named).expanduser() if named is not None else here / NAME
    if named is not None:
        own = own.parent.resolve() / own.name  # one folder has one name, by whatever way it was told
    if named is not None and not own.exists():
        raise NoSuchFile(f"there is no configuration file {own}")
    files = (user_file(), own)
    return read(files, base or Settings())


def read(files: tuple[Path, ...], base: Settings) -> Configuration:
    """Read these files, each over those before it, over ``base``; none of them need be there."""
    if not any(os.path.lexists(file) for file in files):
        return Configuration(settings=base, base=base, files=files)
    from engine.config.joining import join

    return join(files, base)
