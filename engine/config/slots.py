"""Where a job of a configuration file stands in lists."""

import hashlib
from pathlib import Path

_OF_A_FILE = "job_"


def is_slot(place: str) -> bool:
    """Is that the place of a job of a file? Else it is that of a job which was started by itself."""
    return place.startswith(_OF_A_FILE)


def slot_of(file: Path, name: str) -> str:
    """Its place: the same in each jobdeck that reads that file."""
    return _OF_A_FILE + hashlib.sha256(f"{file}\0{name}".encode()).hexdigest()[:12]
