"""No client can hurt an engine: it lives on, its memory is bounded, and others are served meanwhile (spec 4.2).

The engine is a process of its own. Bounds of memory are of what it adds at its peak; what has no bound adds ten times
as much.
"""

import random
import resource
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Self

import pytest
from hosting import Hosting, Raw
from waiting import PATIENCE, wait_until

from engine import JobSpec
from engine.results import Listed, Polled
from engine.wire.asked import READS
from engine.wire.client import RemoteEngine
from engine.wire.failures import Refusal
from engine.wire.messages import LONGEST_LINE, Hello
from engine.wire.server import MOST_CLIENTS
from engine.wire.streams import MOST_ATTACHMENTS
from engine.wire.verbs import verbs

MB = 1_000_000


class Served:
    """A good client that asks again and again while the block lasts, and is answered each time."""

    def __init__(self, hosting: Hosting) -> None:
        self._client = hosting.operator()
        self.job = self._client.spawn(JobSpec(command="echo here; read x", stdin="pipe")).result().session_id
        self.answers = 0
        self._failed: BaseException | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> Self:
        self._thread.start()
        self.answers_more()
        return self

    def __exit__(self, *_exc: object) -> None:
        try:
            if self._failed is None:
                self.answers_more()
        finally:
            self._over.set()
            self._thread.join()
            self._client.close_connection()
        assert self._failed is None, repr(self._failed)

    def answers_more(self) -> None:
        """It is answered from now on too."""
        before = self.answers
        wait_until(lambda: self.answers > before + 1 or self._failed is not None, what="the good client's answers")

    def _ask(self) -> None:
        try:
            while not self._over.wait(0.005):
                polled = self._client.poll(self.job).result(PATIENCE)
                assert isinstance(polled, Polled) and polled.session_id == self.job
                self.answers += 1
        except BaseException as error:  # noqa: BLE001  it is told by the test's own thread
            self._failed = error


@pytest.fixture
def hosting() -> Iterator[Hosting]:
    with Hosting() as engine:
        yield engine


def garbage() -> dict[str, bytes]:
    chance = random.Random(4)
    return {
        "noise": bytes(chance.choices([byte for byte in range(256) if byte != 10], k=60_000)) + b"\n",
        "no UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}\n',
        "half a message": b'{"jsonrpc": "2.0", "id"\n',
        "zeros": b"\0" * 5_000 + b"\n",
        "deep": b'{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": ' + b"[" * 60_000 + b"\n",
        "another protocol": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    }


def test_garbage_closes_that_connection_alone(hosting: Hosting) -> None:
    with Served(hosting):
        for what, data in garbage().items():
            for known in (False, True):
                with hosting.raw() as bad:
                    if known:
                        bad.hello()
                    bad.send_all(data)
                    assert "closed" in bad.last_words(), what


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', "$.method"),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "list"}', "$.id"),
        (b'{"jsonrpc": "2.0", "id": "' + b"x" * 1_000 + b'", "method": "list"}', "$.id"),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "list"}]', "array"),
        (b'{"id": 1, "method": "list"}', "jsonrpc"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "no_such"}', "no_such"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "poll", "params": {"session_id": 3}}', "$.session_id"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "poll", "params": {"colour": "red"}}', "colour"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "attach", "params": {}}', "session_id"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "write", "params": {"session_id": "x", "base64": "!"}}', "$.base64"),
    ],
)
def test_a_bad_message_is_told_what_is_wrong_and_the_connection_lives_on(line: bytes, names: str, hosts: Raw) -> None:
    hosts.socket.sendall(line + b"\n")
    assert names in hosts.hear()["error"]["message"]
    hosts.say("list", id=2)
    assert hosts.hear()["result"]["type"] == "Listed"


@pytest.fixture(scope="module")
def hosts() -> Iterator[Raw]:
    """A client of one engine, which starts no job."""
    with Hosting() as engine, engine.raw() as client:
        yield client.hello()


@pytest.mark.parametrize("known", [False, True])
def test_an_endless_line_closes_that_connection_alone(hosting: Hosting, known: bool) -> None:
    with Served(hosting) as served, hosting.raw() as bad:
        if known:
            bad.hello()
        hosting.forget_peak()
        before = hosting.peak_mb()
        sent = 0
        while sent < 100 * MB and bad.send_all(b"x" * MB):
            sent += MB
        served.answers_more()
        assert "a line of more than" in bad.last_words()
        assert sent < 10 * MB
        assert hosting.peak_mb() - before < 20


def test_unfinished_lines_of_many_clients_are_bounded_together(hosting: Hosting) -> None:
    part = b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * (LONGEST_LINE - 100_000)
    with Served(hosting) as served, ExitStack() as stack:
        many = [stack.enter_context(hosting.raw()).hello() for _ in range(200)]
        hosting.forget_peak()
        before = hosting.peak_mb()
        held = sum(bad.send_all(part) for bad in many)
        served.answers_more()
        assert held < 40 and hosting.peak_mb() - before < 110


def test_who_does_not_say_hello_is_hung_up_on() -> None:
    with Hosting(hello_seconds=4) as hosting, Served(hosting), ExitStack() as stack:
        silent = [stack.enter_context(hosting.raw()) for _ in range(3)]
        silent[1].send_all(b'{"jsonrpc": ')
        known = stack.enter_context(hosting.raw()).hello()
        for one in silent:
            assert "no hello came" in one.last_words()
        known.say("list", id=1)
        assert "result" in known.hear()


def test_a_connection_that_one_side_has_shut_is_closed(hosting: Hosting) -> None:
    with Served(hosting), ExitStack() as stack:
        before = hosting.connections()
        for how in (socket.SHUT_WR, socket.SHUT_RD, socket.SHUT_RDWR):
            for known in (False, True):
                half = stack.enter_context(hosting.raw())
                if known:
                    half.hello()
                half.socket.shutdown(how)
                if how == socket.SHUT_RD:
                    half.send_all(b'{"jsonrpc": "2.0", "id": 1, "method": "list"}\n')
        wait_until(lambda: hosting.connections() == before, what="the engine's ends to be closed")


def test_who_asks_and_does_not_read_costs_a_bounded_amount(hosting: Hosting) -> None:
    with hosting.operator() as good, Served(hosting) as served:
        job = good.spawn(JobSpec(command="yes 'all work and no play' | head -c 3000000")).result().session_id
        good.wait(job).result()
        good.log(job, limit=100_000).result()

        for method, more in (("attach", {}), ("log", {"limit": 100_000}), ("poll", {"since": 0})):
            with hosting.raw() as slow:
                slow.hello()
                hosting.forget_peak()
                before = hosting.peak_mb()
                slow.ask_without_end(method, {"session_id": job, **more})
                served.answers_more()
                added = hosting.peak_mb() - before
                assert added < 20, f"{method} added {added:.0f} MB"
                slow.socket.settimeout(PATIENCE)
                assert slow.hear(), "once it reads, it is answered"


def test_a_viewer_that_does_not_read_costs_a_bounded_amount(hosting: Hosting) -> None:
    with hosting.operator() as good, Served(hosting) as served, hosting.raw() as slow:
        slow.hello()
        slow.say("events", id=1)
        flood = good.spawn(JobSpec(command="yes 'all work and no play'")).result().session_id
        view = good.events()
        wait_until(lambda: good.poll(flood).result().to_dict()["output_preview"], what="output")
        slow.say("attach", {"session_id": flood}, 2)
        seen: list[dict[str, Any]] = []
        while "Attached" not in str((message := slow.hear()).get("result", "")):
            assert message
            seen.append(message)
        number = message["result"]["value"]["attachment"]
        hosting.forget_peak()
        before = hosting.peak_mb()
        slow.fill(b'{"jsonrpc": "2.0", "method": "grant", "params": {"attachment": %d}}' % number, 50_000)
        ended = []
        for _ in range(30):
            job = good.spawn(JobSpec(command="true")).result().session_id
            good.wait(job).result()
            ended.append(job)
        served.answers_more()
        assert hosting.peak_mb() - before < 30
        view.close()
        good.kill(flood).result()
        slow.finish()
        told: set[str] = set()
        while not told >= {*ended, flood}:  # ends are never lost, however late they are read
            message = seen.pop(0) if seen else slow.hear()
            assert message, "it was hung up on"
            if message.get("method") == "events":
                told |= {one["job"]["session_id"] for one in message["params"]["events"] if _is_end(one)}
                slow.say("events_taken")


def _is_end(event: dict[str, Any]) -> bool:
    return bool(event["type"] == "JobExited")


def test_a_client_has_so_many_attachments(hosting: Hosting) -> None:
    with hosting.operator() as good, hosting.raw() as greedy:
        job = good.spawn(JobSpec(command="read x", stdin="pipe")).result().session_id
        greedy.hello()
        answers = []
        for number in range(1, MOST_ATTACHMENTS + 2):
            greedy.say("attach", {"session_id": job}, number)
            while "id" not in (message := greedy.hear()):
                pass
            answers.append("result" in message)
        assert answers == [True] * MOST_ATTACHMENTS + [False]


@pytest.fixture
def room_for_files() -> Iterator[int]:
    """So many this process may have open, beside what it has anyway; the engine's own bound is the usual one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 4_096 if hard == resource.RLIM_INFINITY else min(hard, 4_096)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    yield most - 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_thousand_silent_connections_keep_nobody_out(hosting: Hosting, room_for_files: int) -> None:
    with Served(hosting) as served, ExitStack() as stack:
        hosting.forget_peak()
        before = hosting.peak_mb()
        for _ in range(min(1_000, room_for_files)):
            stack.enter_context(hosting.raw())
        served.answers_more()
        wait_until(lambda: hosting.connections() <= MOST_CLIENTS, what="those above the most to be hung up on")
        with hosting.operator() as newcomer:
            listed = newcomer.list().result()
            assert isinstance(listed, Listed) and [row.session_id for row in listed.processes] == [served.job]
        assert hosting.peak_mb() - before < 20


def test_who_comes_when_all_places_are_taken_is_told_so(hosting: Hosting) -> None:
    with Served(hosting) as served, ExitStack() as stack:
        for _ in range(MOST_CLIENTS - 1):
            stack.enter_context(hosting.raw()).hello()
        with hosting.raw() as late:
            assert "as many clients as this engine takes" in late.last_words()
        with pytest.raises(Refusal, match=r"as many clients|has gone"):
            RemoteEngine(hosting.path, Hello(version=1), timeout=PATIENCE)
        served.answers_more()
        stack.close()
        wait_until(lambda: hosting.connections() == 1)
        with hosting.operator() as now:
            assert isinstance(now.list().result(), Listed)


def test_what_counts_as_a_read_is_a_verb() -> None:
    assert verbs().keys() >= READS
