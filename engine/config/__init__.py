"""Settings: the figures of the specification by their names; and the files that change them and say what to run."""

from engine.config.configuration import Configuration as Configuration
from engine.config.settings import Settings as Settings

__all__ = ["Configuration", "Settings"]
