"""Hosts to run jobs on: a real ssh server, and stand-ins for what can't run here."""

from collections.abc import Iterator

import pytest
from ssh_server import WHY_NOT, SshServer, ssh_server
from waiting import PATIENCE

from engine import Engine
from engine.config import Configuration, Settings
from engine.config.entries import HostEntry

FAR = "far"
"""The ssh server's name among the hosts."""
DOWN = "down"
"""A host on which nobody listens."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """An ssh server for all of these tests."""
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    with ssh_server(tmp_path_factory.mktemp("sshd")) as running:
        yield running


@pytest.fixture
def ssh_engine(server: SshServer) -> Iterator[Engine]:
    """An engine that knows the ssh server."""
    ssh, option, config, name, end = server.via
    hosts = {
        FAR: HostEntry(via=server.via),
        DOWN: HostEntry(via=(ssh, option, config, "-p", "1", name, end)),
    }
    with Engine(
        Settings(term_grace_seconds=0.5, kill_proof_seconds=PATIENCE), configuration=Configuration(hosts=hosts)
    ) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the developer's own gets in."""
    for name in ("SSH_AUTH_SOCK", "SLURM_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
