"""Where a job of a configuration file stands in lists."""

import hashlib
from pathlib import Path


def slot_of(file: Path, name: str) -> str:
    """Its place: the same in each jobdeck that reads that file."""
    return "job_" + hashlib.sha256(f"{file}\0{name}".encode()).hexdigest()[:12]
