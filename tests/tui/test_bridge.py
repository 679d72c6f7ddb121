"""The bridge's parts keep their word about threads."""

import asyncio
import threading
import time
from concurrent.futures import Future
from itertools import pairwise
from typing import Any

from waiting import PATIENCE

from engine import Call
from tui.bridge.mailbox import WAKE_INTERVAL, Mailbox
from tui.bridge.watchdog import Watchdog


async def test_letters_from_many_threads_arrive_once_and_in_each_threads_order() -> None:
    loop = asyncio.get_running_loop()
    mailbox = Mailbox(loop)
    got: list[tuple[int, int]] = []

    def send(sender: int) -> None:
        for number in range(500):
            mailbox.put(got.append, (sender, number))

    threads = [threading.Thread(target=send, args=(sender,)) for sender in range(4)]
    for thread in threads:
        thread.start()
    while len(got) < 2000:
        await asyncio.sleep(0)
    for thread in threads:
        thread.join()
    for sender in range(4):
        assert [number for who, number in got if who == sender] == list(range(500))


async def test_a_steady_stream_wakes_the_loop_at_most_sixty_times_a_second() -> None:
    loop = asyncio.get_running_loop()
    mailbox = Mailbox(loop)
    drains: set[float] = set()
    done = threading.Event()

    def send() -> None:
        while not done.is_set():
            mailbox.put(lambda _: drains.add(mailbox.last_drain), None)
            time.sleep(0.0005)

    thread = threading.Thread(target=send)
    thread.start()
    while len(drains) < 20:
        await asyncio.sleep(0.001)
    done.set()
    thread.join()
    times = sorted(drains)
    assert all(later - earlier >= WAKE_INTERVAL * 0.99 for earlier, later in pairwise(times))


async def test_a_letter_that_fails_doesnt_keep_the_others() -> None:
    loop = asyncio.get_running_loop()
    mailbox = Mailbox(loop)
    failures: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _loop, context: failures.append(context))
    got: list[str] = []
    mailbox.put(int, "no number")
    mailbox.put(got.append, "good")
    while not got:
        await asyncio.sleep(0)
    assert len(failures) == 1


def test_an_unanswered_call_is_noticed_once_and_an_answered_one_never() -> None:
    overdue: list[str] = []
    noticed = threading.Event()

    def notice(call: Call[Any]) -> None:
        overdue.append(call.what)
        noticed.set()

    watchdog = Watchdog(notice)
    quick: Call[None] = Call(Future(), "quick", patience=-5)
    watchdog.watch(quick)
    watchdog.answered(quick)
    watchdog.start()  # only now: the quick one would be told of at once
    watchdog.watch(Call(Future(), "slow", patience=-1.8))
    assert noticed.wait(PATIENCE)
    watchdog.stop()
    assert overdue == ["slow"]
