"""A home of its own for each test, in which no holder and no held job is left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from held import end_all_held


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where engines, here and in processes of their own, keep their state."""
    path = tmp_path / "home"
    monkeypatch.setenv("JOBDECK_HOME", str(path))
    yield path
    end_all_held()
