"""A crowd of clients on one thread, each of which knows what it may hear."""

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

Answer = dict[str, Any]


class Wrong(AssertionError):
    """An answer is lost, or isn't what this client may get."""


class Client:
    """One connection; knows what it may hear."""

    def __init__(self, path: str, name: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.name = name
        self.jobs: dict[str, str] = {}
        """Its own, and the word that each of them says."""
        self.submitted: dict[str, list[str]] = {}
        self.told: Counter[str] = Counter()
        """Ends that it was told of, by job."""
        self.waiting: dict[str, tuple[str, float, Callable[[Answer], None]]] = {}
        self._number = 0
        self._received = bytearray()

    def ask(self, method: str, params: Answer, then: Callable[[Answer], None]) -> None:
        """One call; ``then`` looks at its result."""
        self._number += 1
        id = f"{self.name}-{self._number}"
        self.waiting[id] = (method, time.perf_counter(), then)
        self._send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    def _send(self, message: Answer) -> None:
        self.socket.sendall(msgspec.json.encode(message) + b"\n")

    def heard(self, answered: Callable[[str, float], None]) -> None:
        """Take what came; ``answered`` is told the verb and seconds of each answer."""
        data = self.socket.recv(262_144)
        if not data:
            raise Wrong(f"{self.name} was hung up on")
        self._received += data
        *lines, rest = self._received.split(b"\n")
        self._received = bytearray(rest)
        for line in lines:
            self._take(msgspec.json.decode(line), answered)

    def _take(self, message: Answer, answered: Callable[[str, float], None]) -> None:
        if message.get("method") == "notices":
            for notice in message["params"]["notices"]:
                if notice["session_id"] not in self.jobs:
                    raise Wrong(f"{self.name} was told of another's job: {notice}")
                self.told[notice["session_id"]] += notice["type"] == "Completion"
            sequence = message["params"]["notices"][-1]["sequence"]
            self._send({"jsonrpc": "2.0", "method": "notices_taken", "params": {"sequence": sequence}})
            return
        if message.get("id") not in self.waiting:
            raise Wrong(f"{self.name} didn't ask for this: {message}")
        method, asked_at, then = self.waiting.pop(message["id"])
        if "result" not in message:
            raise Wrong(f"{self.name}: {method} failed: {message}")
        answered(method, time.perf_counter() - asked_at)
        then(message["result"].get("value", message["result"]))


class Driver:
    """All clients on one thread: each has what it asks next once it has been answered."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self.calls: Counter[str] = Counter()
        """Answered, by verb."""
        self.latencies: dict[str, list[float]] = {}
        """Seconds that a `poll` took, by what was measured."""
        self._clients = clients
        self._ready = selectors.DefaultSelector()
        for client in clients:
            self._ready.register(client.socket, selectors.EVENT_READ, client)

    def until(self, done: Callable[[], bool], measured: str = "", seconds: float = 120.0) -> None:
        """Answer what comes until it is done. `Wrong` when it isn't in so many seconds."""
        ends = time.monotonic() + seconds
        latencies = self.latencies.setdefault(measured, [])

        def answered(method: str, took: float) -> None:
            self.calls[method] += 1
            if method == "poll":
                latencies.append(took)

        while not done():
            for key, _events in self._ready.select(0.1):
                key.data.heard(answered)
            if time.monotonic() > ends:
                lost = {client.name: list(client.waiting) for client in self._clients if client.waiting}
                raise Wrong(f"not done in {seconds:g} s ({measured or 'setting up'}); unanswered: {lost}")

    def answered(self) -> bool:
        """Does nobody wait for anything?"""
        return not any(client.waiting for client in self._clients)
