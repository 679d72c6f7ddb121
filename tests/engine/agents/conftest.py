"""A disk may be slow: batches and their transcripts wait for it as long as tests do."""

import pytest
from waiting import PATIENCE


@pytest.fixture(autouse=True)
def _slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.agents.transcripts._BEGIN_SECONDS", PATIENCE)
    monkeypatch.setattr("engine.agents.delivery._DURABLE_SECONDS", PATIENCE)
