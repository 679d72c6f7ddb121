"""A round trip over a Unix socket to a process that sends each line back: what any answer takes at least."""

import selectors
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import msgspec

_ECHO = """
import selectors, socket, sys
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen(1000)
ready = selectors.DefaultSelector()
ready.register(listening, selectors.EVENT_READ)
print("listening", flush=True)
while True:
    for key, _events in ready.select():
        if key.fileobj is listening:
            ready.register(listening.accept()[0], selectors.EVENT_READ)
            continue
        try:
            data = key.fileobj.recv(65536)
            key.fileobj.sendall(data)
        except ConnectionError:
            data = b""
        if not data:
            ready.unregister(key.fileobj)
            key.fileobj.close()
"""


def bare(folder: Path, clients: int, calls: int) -> list[float]:
    """Seconds of each round trip, with so many clients at once."""
    path = folder / f"bare-{clients}"
    words = [sys.executable, "-c", _ECHO, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as echo:
        try:
            assert echo.stdout is not None and echo.stdout.readline() == "listening\n"
            return _trips(path, clients, calls)
        finally:
            echo.kill()


def _trips(path: Path, clients: int, calls: int) -> list[float]:
    line = b'{"jsonrpc": "2.0", "id": "client0-1", "method": "poll", "params": {"session_id": "proc_0123456789ab"}}\n'
    ready = selectors.DefaultSelector()
    sent: dict[socket.socket, float] = {}
    took: list[float] = []
    with ExitStack() as stack:
        for _ in range(clients):
            connection = stack.enter_context(socket.socket(socket.AF_UNIX))
            connection.connect(str(path))
            ready.register(connection, selectors.EVENT_READ, connection)
            sent[connection] = time.perf_counter()
            connection.sendall(line)
        while len(took) < calls:
            for key, _events in ready.select():
                msgspec.json.decode(key.data.recv(65_536))
                now = time.perf_counter()
                took.append(now - sent[key.data])
                sent[key.data] = now
                key.data.sendall(line)
    return took
