"""A job's bytes, however they come: all of them, in order, no turn longer than it may be."""

import asyncio
import errno
import os
import pty
import sys
import termios
from pathlib import Path

import pytest

from engine.process.draught import Draught
from engine.process.reader import OutputReader

AT_ONCE = 4096


def pipe() -> tuple[int, int]:
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    return read_end, write_end


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def read_all(descriptor: int, writer: asyncio.Task[None]) -> list[bytes]:
    taken: list[bytes] = []
    reader = OutputReader(asyncio.get_running_loop(), descriptor, AT_ONCE, taken.append)
    reader.start()
    await writer
    async with asyncio.timeout(20):
        while not reader.ended:
            await asyncio.sleep(0.01)
    reader.close()
    return taken


@pytest.mark.parametrize("terminal", [False, True])
def test_a_flood_arrives_whole_in_pieces_of_what_is_read_at_once(terminal: bool) -> None:
    data = b"".join(b"%07d\n" % number for number in range(100_000))

    async def flood() -> list[bytes]:
        if terminal:
            read_end, write_end = pty.openpty()
            attributes = termios.tcgetattr(write_end)
            attributes[1] &= ~termios.OPOST
            termios.tcsetattr(write_end, termios.TCSANOW, attributes)
        else:
            read_end, write_end = os.pipe()

        def write() -> None:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(write_end, rest) :]
            os.close(write_end)

        try:
            return await read_all(read_end, asyncio.create_task(asyncio.to_thread(write)))
        finally:
            os.close(read_end)

    before = open_descriptors()
    taken = asyncio.run(flood())
    assert b"".join(taken) == data
    assert max(map(len, taken)) <= AT_ONCE
    assert open_descriptors() <= before  # a garbage collection may close others' meanwhile


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere it is read piece by piece")
def test_what_was_read_before_an_end_or_an_error_comes_first() -> None:
    read_end, write_end = pipe()
    draught = Draught(read_end, AT_ONCE)
    try:
        with pytest.raises(BlockingIOError):
            draught.read(AT_ONCE)
        os.write(write_end, b"x" * 5000)
        assert draught.read(AT_ONCE) == b"x" * AT_ONCE
        assert draught.read(AT_ONCE) == b"x" * (5000 - AT_ONCE)
        with pytest.raises(BlockingIOError):
            draught.read(AT_ONCE)
        os.write(write_end, b"the last")
        os.close(write_end)
        assert draught.read(3) == b"the"
        assert draught.read(AT_ONCE) == b" last"
        assert draught.read(AT_ONCE) == b""
        assert draught.read(AT_ONCE) == b""
    finally:
        draught.close()
        os.close(read_end)
    with pytest.raises(OSError) as closed:
        draught.read(AT_ONCE)
    assert closed.value.errno == errno.EBADF


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere it is read piece by piece")
def test_a_terminal_that_nobody_has_open_is_an_error_that_can_pass() -> None:
    main, side = pty.openpty()
    name = os.ttyname(side)
    os.set_blocking(main, False)
    draught = Draught(main, AT_ONCE)
    try:
        os.close(side)
        with pytest.raises(OSError) as gone:
            draught.read(AT_ONCE)
        assert gone.value.errno == errno.EIO
        side = os.open(name, os.O_RDWR | os.O_NOCTTY)
        os.write(side, b"here again\n")
        assert draught.read(AT_ONCE).startswith(b"here again")
        os.close(side)
    finally:
        draught.close()
        os.close(main)
