"""A job's bytes, however they come: all of them, in order, no turn longer than it may be."""

import asyncio
import errno
import os
import pty
import random
import sys
import termios
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from engine.process.draught import Draught
from engine.process.reader import OutputReader

AT_ONCE = 4096


def pipe() -> tuple[int, int]:
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    return read_end, write_end


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def raw_terminal() -> tuple[int, int]:
    main, side = pty.openpty()
    attributes = termios.tcgetattr(side)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(side, termios.TCSANOW, attributes)
    return main, side


def reads_ahead() -> bool:
    return any(thread.name == "jobdeck-read-ahead" for thread in threading.enumerate())


async def read_all(descriptor: int, writer: asyncio.Task[None]) -> list[bytes]:
    taken: list[bytes] = []
    reader = OutputReader(asyncio.get_running_loop(), descriptor, AT_ONCE, taken.append)
    reader.start()
    await writer
    async with asyncio.timeout(2 * PATIENCE):
        while not reader.ended:
            await asyncio.sleep(0.01)
    reader.close()
    return taken


@pytest.mark.parametrize("terminal", [False, True])
def test_a_flood_arrives_whole_in_pieces_of_what_is_read_at_once(terminal: bool) -> None:
    data = b"".join(b"%07d\n" % number for number in range(100_000))

    async def flood() -> list[bytes]:
        if terminal:
            read_end, write_end = raw_terminal()
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
    # A garbage collection may close others' meanwhile, and another thread may just be reading a file.
    wait_until(lambda: open_descriptors() <= before, what="as many descriptors as before")


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


LINES = b"".join(b"%07d\n" % number for number in range(100_000))


async def flooded(deeds: Callable[[OutputReader, list[bytes]], Awaitable[None]]) -> list[bytes]:
    """What is handed on of a terminal's flood while ``deeds`` are done to its reader."""
    main, side = raw_terminal()
    taken: list[bytes] = []
    reader = OutputReader(asyncio.get_running_loop(), main, AT_ONCE, taken.append, reopens=True)
    reader.start()

    def write() -> None:
        rest = memoryview(LINES)
        try:
            while rest:
                rest = rest[os.write(side, rest[:1000]) :]
        except OSError:
            pass  # the reader was closed
        finally:
            os.close(side)

    writer = asyncio.create_task(asyncio.to_thread(write))
    try:
        await deeds(reader, taken)
    finally:
        reader.close()
        os.close(main)
        await writer
    return taken


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere it is read by turns alone")
def test_a_terminals_flood_is_read_ahead_whole_and_in_order_whatever_is_done_meanwhile() -> None:
    chance = random.Random(7)
    ahead = False

    async def deeds(reader: OutputReader, taken: list[bytes]) -> None:
        nonlocal ahead
        async with asyncio.timeout(60):
            while sum(map(len, taken)) < len(LINES):
                ahead = ahead or reads_ahead()
                match chance.randrange(4):
                    case 0:
                        reader.pause()
                        size = len(taken)
                        await asyncio.sleep(0.002)
                        assert len(taken) == size, "nothing is handed on meanwhile"
                        reader.start()
                    case 1:
                        reader.drain(chance.choice((1, AT_ONCE, 3 * AT_ONCE)))
                    case 2:
                        reader.pause()
                        reader.drain(AT_ONCE)
                        reader.start()
                await asyncio.sleep(chance.choice((0, 0.001)))

    before = open_descriptors()
    taken = asyncio.run(flooded(deeds))
    assert b"".join(taken) == LINES
    assert ahead and max(map(len, taken)) <= AT_ONCE
    wait_until(lambda: not reads_ahead(), what="the thread to end")
    wait_until(lambda: open_descriptors() <= before, what="as many descriptors as before")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere it is read by turns alone")
def test_what_is_closed_amid_a_flood_hands_nothing_on_and_leaves_no_thread() -> None:
    async def deeds(reader: OutputReader, taken: list[bytes]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not reads_ahead():
                await asyncio.sleep(0)
        reader.close()
        size = len(taken)
        await asyncio.sleep(0.1)
        assert len(taken) == size

    taken = b"".join(asyncio.run(flooded(deeds)))
    assert LINES.startswith(taken) and len(taken) < len(LINES)
    wait_until(lambda: not reads_ahead(), what="the thread to end")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere it is read by turns alone")
def test_a_reader_may_be_paused_and_closed_by_who_is_handed_a_piece() -> None:
    async def flood(closes: bool) -> tuple[list[bytes], int]:
        main, side = raw_terminal()
        taken: list[bytes] = []
        most = 0

        def hand_on(data: bytes) -> None:
            taken.append(data)
            if closes and len(taken) == 20:
                reader.close()
                return
            reader.pause()
            asyncio.get_running_loop().call_later(0.001, reader.start)

        reader = OutputReader(asyncio.get_running_loop(), main, AT_ONCE, hand_on, reopens=True)
        reader.start()
        os.set_blocking(side, False)
        rest = LINES[:160_000]
        async with asyncio.timeout(60):
            while (not closes and sum(map(len, taken)) < 160_000) or (closes and not reader.ended):
                try:
                    rest = rest[os.write(side, rest) :] if rest else rest
                except BlockingIOError:
                    most += 1
                await asyncio.sleep(0)
        reader.close()
        os.close(side)
        os.close(main)
        return taken, most

    taken, blocked = asyncio.run(flood(closes=False))
    assert b"".join(taken) == LINES[:160_000] and blocked
    taken, _ = asyncio.run(flood(closes=True))
    assert len(taken) == 20 and LINES.startswith(b"".join(taken))
    wait_until(lambda: not reads_ahead(), what="the thread to end")
