"""Where engines listen is told by the run folder, whoever comes and goes there meanwhile."""

import threading
from pathlib import Path

from engine.wire.address import new_socket_path, sockets


def test_an_engine_that_goes_while_one_looks_hides_no_other() -> None:
    stay = [new_socket_path("serve") for _ in range(20)]
    for path in stay:
        path.touch()
    over = threading.Event()

    def come_and_go(number: int) -> None:
        while not over.is_set():
            for other in range(20):
                path = Path(f"{stay[0].parent}/mcp-{number}-{other:04}.sock")
                path.touch()
                path.unlink()

    others = [threading.Thread(target=come_and_go, args=(number,)) for number in range(2)]
    for thread in others:
        thread.start()
    try:
        missed = sum(not set(stay) <= set(sockets()) for _ in range(1_000))
    finally:
        over.set()
        for thread in others:
            thread.join()
    assert missed == 0
