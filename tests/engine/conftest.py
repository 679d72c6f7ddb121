"""One engine a test, ended with all its jobs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from patient import patient
from waiting import PATIENCE

from engine import Engine, Settings


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with its own `jobdeck.toml` if it gets one, and no user's configuration."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    return tmp_path / "project"


@pytest.fixture
def settings() -> Settings:
    """A short grace, so that no test waits long for a stubborn job; time enough for all that comes as a rule."""
    return patient(term_grace_seconds=0.4)


@pytest.fixture
def patient_engine() -> Iterator[Engine]:
    """An engine that gives every job the time to end by itself, however slow the machine."""
    with Engine(patient(term_grace_seconds=PATIENCE)) as running:
        yield running


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    """A real engine."""
    with Engine(settings) as running:
        yield running
