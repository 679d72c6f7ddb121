"""Settings: the figures of the specification by their names."""

from engine.config.settings import Settings as Settings

__all__ = ["Settings"]
