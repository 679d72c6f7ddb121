"""The tests of the verbs once more, each over a socket: a front end can't tell which engine it has (spec 4.1)."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from engine import Caller, Engine, Settings
from engine.ownership.conversations import open_conversations
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello
from engine.wire.server import Server

SUITES = ("test_verbs", "test_output", "test_bulk_and_turns", "test_searching", "test_screening", "test_inspecting")
"""Modules of tests/engine whose tests ask nothing of an engine but its interface."""
INSIDE = {
    "test_looks_asked_for_at_once_are_one",
    "test_restart_keeps_the_slot_and_takes_a_new_id",
    "test_too_long_arguments_are_a_failed_start",
    "test_a_viewer_that_raises_costs_nobody_anything",
    "test_all_of_an_owner_end_and_others_stay",
    "test_an_abandoned_turn_takes_what_it_started",
    "test_a_turn_of_whose_owner_nothing_is_heard_is_abandoned",
}
"""Those of them that do, or that count on an event being there as soon as its answer, or send more than a message."""


class Remotely(RemoteEngine):
    """Binds callers as an engine in this process does: each has a connection of its own."""

    def __init__(self, path: Path, hello: Hello) -> None:
        super().__init__(path, hello)
        self._bound: dict[str, RemoteEngine] = {}

    def api(self, caller: Caller) -> RemoteEngine:
        """The interface bound to one caller."""
        if caller.is_operator:
            return self
        if caller.owner not in self._bound:
            token = open_conversations()._with_token(caller.owner).token
            hello = Hello(version=1, token=token, async_delivery=caller.async_delivery)
            self._bound[caller.owner] = RemoteEngine(self.path, hello)
        return self._bound[caller.owner]

    def close_connection(self) -> None:
        """All of them."""
        for bound in self._bound.values():
            bound.close_connection()
        super().close_connection()


def _served(hosting: Engine) -> Iterator[Remotely]:
    with hosting, Server(hosting, "test") as server, Remotely(server.path, Hello(version=1, operator=True)) as remote:
        yield remote


@pytest.fixture
def engine(settings: Settings) -> Iterator[Remotely]:
    """In place of the one in this process: the same behind its socket."""
    yield from _served(Engine(settings))


def _load(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"remotely_{name}", path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


for _suite in SUITES:
    for _name, _test in vars(_load(_suite)).items():
        if _name.startswith("test_") and _name not in INSIDE:
            globals()[f"test_{_suite[5:]}_{_name[5:]}"] = _test
