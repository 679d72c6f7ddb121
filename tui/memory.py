"""What the console remembers from one run to the next: theme, layout, open tabs; a small file in the home."""

from pathlib import Path

import msgspec

from engine.store.files import read_or_set_aside
from engine.store.writer import Writer

_FILE = "console.json"
_CLOSE_SECONDS = 1.0
"""What leaving waits for a disk."""


class Remembered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the console stood."""

    theme: str = ""
    folded: bool = False
    """Were waits and hits folded?"""
    tabs: tuple[str, ...] = ()
    """The session ids of the open tabs, from the left."""
    places: dict[str, str] = {}
    """In which rows those stood that are jobs of a configuration file: there may be a newer run of them."""
    active: str = ""
    """The one that was seen."""
    beside: tuple[str, ...] = ()
    """Those that were seen side by side, the active one among them; from the left."""
    in_pane: bool = False
    """Was the focus in its pane?"""
    filter: str = ""
    """What the stack's jobs were to contain."""
    sort: str = ""
    """What they were sorted by; empty or unknown: by their start."""
    group: str = ""
    """What they were grouped by; empty or unknown: by owner."""


class Memory:
    """Read once, before there is a screen; written by a thread of its own. What can't be saved stops nothing."""

    def __init__(self, home: Path) -> None:
        self._path = home / _FILE
        self._writer = Writer(lambda _what, _error: None)  # the engine writes to the same disk, and tells
        self.troubles: list[str] = []
        """What was wrong with the file, for people."""
        self.last = self._read()
        """How the console stood, as it was read or saved last."""

    def save(self, now: Remembered) -> None:
        """Remember this, if it is something new."""
        if now != self.last:
            self.last = now
            self._writer.save(self._path, msgspec.json.encode(now))

    def close(self) -> None:
        """Write what is left, in a moment or not at all."""
        self._writer.close(_CLOSE_SECONDS)

    def _read(self) -> Remembered:
        try:
            return read_or_set_aside(self._path, _parse, self.troubles.append) or Remembered()
        except OSError as error:
            self.troubles.append(f"{self._path} can't be read ({error.strerror or error})")
            return Remembered()


def _parse(data: bytes) -> Remembered:
    try:
        return msgspec.json.decode(data, type=Remembered)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error
