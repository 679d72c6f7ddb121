"""Each of these tests has a home of its own: what one console leaves, the next one of that home would come back to."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the consoles that this test starts."""
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
