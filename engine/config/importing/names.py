"""What foreign files are usually called; without their readers, which take long to load."""

from pathlib import Path

KINDS: tuple[tuple[str, ...], ...] = (
    ("process-compose.yaml", "process-compose.yml"),
    ("dekit.yaml",),
    ("mprocs.yaml", "mprocs.json"),
    ("Procfile", "Procfile.dev"),
    ("package.json",),
)
"""By kind; of two of a kind the first is read."""


def found_in(folder: Path) -> list[Path]:
    """The foreign files of a folder, one of a kind."""
    there = ([folder / name for name in names if (folder / name).is_file()] for names in KINDS)
    return [files[0] for files in there if files]
