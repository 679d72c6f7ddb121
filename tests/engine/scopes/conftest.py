"""Hosts with the machine's user manager, and with a stand-in for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from scoped import host_settings
from user_manager import StandIn, real_manager, stand_in

from engine import Engine


@pytest.fixture(scope="session")
def no_manager() -> str:
    return real_manager()


@pytest.fixture(params=["systemd", "stand-in"])
def manager(request: pytest.FixtureRequest, tmp_path: Path, no_manager: str) -> Iterator[StandIn | None]:
    """The machine's user manager (None), and a stand-in for it, each in its turn."""
    if request.param == "stand-in":
        with stand_in(tmp_path) as standing:
            yield standing
    elif no_manager:
        pytest.skip(f"no user manager here, only a stand-in: {no_manager}")
    else:
        yield None


@pytest.fixture
def standing(tmp_path: Path) -> Iterator[StandIn]:
    """A stand-in that can be told to fail."""
    with stand_in(tmp_path) as manager:
        yield manager


@pytest.fixture
def host(manager: StandIn | None) -> Iterator[Engine]:
    """An engine that is meant to be a host."""
    with Engine(host_settings()) as running:
        yield running
