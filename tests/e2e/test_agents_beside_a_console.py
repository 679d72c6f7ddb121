"""Agents through their tool servers beside a console on a terminal: the operator sees live what they do, and none of
them reaches another's (spec 4.1, 4.3, 4.5)."""

import asyncio
import os
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from host import Host, pane_rows
from living import alive
from waiting import PATIENCE, wait_until, wait_until_async

pytest.importorskip("mcp")

from tool_agents import Agent, agent, run

from engine.ownership.conversations import open_conversations
from engine.wire.address import pid_of, sockets
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello

ECHOES = "echo begun; while read x; do echo got $x; done"


async def shows(host: Host, text: str) -> None:
    await asyncio.to_thread(host.shows, text)


async def until(predicate: Callable[[], object], what: str) -> None:
    await wait_until_async(lambda: bool(predicate()), what=what)


async def started(it: Agent, name: str, **more: Any) -> str:
    """The id of a job that says what it is given."""
    answer = await it.call("terminal", command=ECHOES, stdin=True, background=True, name=name, **more)
    assert answer["status"] == "running", answer
    return str(answer["session_id"])


async def takes_notices(it: Agent) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer clients listen instead
        await it.client.set_logging_level("info")


def stack(host: Host) -> str:
    """The stack's part of the screen."""
    return "\n".join(row.partition("▕")[0] for row in host.screen())


def tab_bar(host: Host) -> str:
    return host.screen()[1].partition("▕")[2]


def hits(host: Host) -> str:
    """What the panel of hits shows."""
    rows = host.screen()
    first = next((number for number, row in enumerate(rows) if " HITS" in row), len(rows))
    return "\n".join(row.rpartition("▕")[2] for row in rows[first:])


def test_the_operator_sees_live_what_an_agent_does_and_its_jobs_die_with_it(tmp_path: Path) -> None:
    async def test(host: Host) -> None:
        async with agent() as it:
            job = await started(it, "first-steps", watch_patterns=["READY"])
            await until(lambda: "first-steps" in stack(host), "it in the stack")
            await until(lambda: f"agent · {it.pid}" in stack(host), "whose they are")
            host.keys("\r")
            await until(lambda: "first-steps" in tab_bar(host), "its tab")
            await until(lambda: "begun" in pane_rows(host.screen()), "what it wrote before")
            assert (await it.call("process_manage", action="submit", session_id=job, data="one"))["status"] == "ok"
            await until(lambda: "got one" in pane_rows(host.screen()), "its next line in the open pane")
            await it.call("process_manage", action="submit", session_id=job, data="READY")
            await until(lambda: "⚑" in hits(host) and "got READY" in hits(host), "the hit")

            assert (await it.call("close_terminal", session_id=job))["status"] == "ok"
            await until(lambda: "first-steps" not in tab_bar(host), "the tab to go")
            polled = await it.call("process_manage", action="poll", session_id=job)
            assert polled["status"] == "running"
            await it.call("process_manage", action="submit", session_id=job, data="unseen")
            host.keys("\r")
            await until(lambda: "got unseen" in pane_rows(host.screen()), "the reopened pane, with what came meanwhile")

            await started(it, "second-one")
            replied = time.perf_counter()
            await until(lambda: "second-one" in stack(host), "it in the stack")
            print(f"\nfrom the reply to the console's stack: {1e3 * (time.perf_counter() - replied):.0f} ms")
            await until(lambda: "2 running" in host.screen()[0], "both in the header")
            rows = (await it.call("process_manage", action="list"))["processes"]
            assert len(rows) == 2
            leaders = [psutil.Process(row["pid"]) for row in rows]
            family = [*leaders, *(child for leader in leaders for child in leader.children(recursive=True))]
            os.kill(it.pid, signal.SIGKILL)
            await until(lambda: not alive(family), "its jobs to be gone")
            await until(lambda: f"agent · {it.pid} has gone" in hits(host), "the console's word of it")
            await until(lambda: "first-steps" not in stack(host), "them to leave the stack")
            host.keys("?")
            await shows(host, "Keys")  # the console itself goes on

    with Host([], tmp_path) as host:
        host.shows("No jobs yet")
        run(test(host))


def test_a_job_that_is_handed_off_is_the_parents_and_the_console_goes_on_showing_it(tmp_path: Path) -> None:
    parent = open_conversations().begin()

    async def test(host: Host) -> None:
        async with agent("legacy", JOBDECK_PARENT=parent.token) as child:
            await takes_notices(child)
            job = await started(child, "handed-on", notify_on_complete=True)
            await shows(host, "handed-on")
            nothing = await child.call("process_manage", action="handoff", session_id=job, data=" ")
            assert "say what for" in nothing["error"]
            handed = await child.call("process_manage", action="handoff", session_id=job, data="watch it")
            assert (handed["status"], handed["owner"]) == ("ok", parent.id)
            assert (await child.call("process_manage", action="list"))["processes"] == []
            for action in ("poll", "kill", "handoff"):
                refused = await child.call("process_manage", action=action, session_id=job, data="again")
                assert refused["status"] == "not_found", action
            (path,) = [path for path in sockets() if pid_of(path) == child.pid]
            with RemoteEngine(path, Hello(version=1, token=parent.token), timeout=PATIENCE) as heir:
                told = heir.notices()
                (row,) = heir.list().result(PATIENCE).processes
                assert (row.session_id, row.owner_task_id) == (job, parent.id)
                await until(lambda: parent.id[5:9] in stack(host), "the parent's name in the stack")
                heir.close(job).result(PATIENCE)
                assert (await asyncio.to_thread(told.next, PATIENCE)).session_id == job
            assert child.told == []

    with Host([], tmp_path) as host:
        host.shows("No jobs yet")
        run(test(host))


ACTIONS = ("poll", "wait", "log", "screen", "write", "submit", "close", "kill", "signal", "handoff", "restart")


def test_agents_reach_nothing_of_each_other_even_with_exact_ids_on_the_right_engine() -> None:
    async def test() -> None:
        async with agent("legacy") as first, agent("legacy") as second:
            for it in (first, second):
                await takes_notices(it)
            running = await started(first, "mine", watch_patterns=["secret"])
            ended = (await first.call("terminal", command="echo secret; exit 3"))["session_id"]
            for job in (running, ended):
                for action in ACTIONS:
                    answer = await second.call("process_manage", action=action, session_id=job, data="TERM")
                    assert answer["status"] == "not_found" and "secret" not in str(answer), (action, answer)
                assert (await second.call("close_terminal", session_id=job))["status"] == "not_found"
                with pytest.raises(Exception, match="no job"):
                    await second.client.read_resource(f"job://{job}/output")
            assert (await second.call("process_manage", action="list"))["processes"] == []
            _on_its_engine(first, second, [running, ended])

            own = (await second.call("terminal", command="exit 4", background=True, notify_on_complete=True))[
                "session_id"
            ]
            await first.call("process_manage", action="submit", session_id=running, data="secret")
            await until(lambda: first.told, "the first's own hit")
            await until(lambda: second.told, "the second's own end")
            assert [(one["type"], one["session_id"]) for one in first.told] == [("WatchHit", running)]
            assert [(one["type"], one["session_id"]) for one in second.told] == [("Completion", own)]
            assert (await first.call("process_manage", action="poll", session_id=running))["status"] == "running"
            goal = await second.call("goal_manage", action="start", goal="x", step="sleep 7954", max_turns=1)
            goal_id = goal["goal"]["goal_id"]
            waits = await second.call("goal_manage", action="wait", goal_id=goal_id, wait_on_session=running)
            assert waits["status"] == "not_found", waits

    run(test())


def _on_its_engine(first: Agent, second: Agent, jobs: list[str]) -> None:
    """Whoever connects to the very engine that has them, as another conversation, doesn't reach them either."""
    wait_until(lambda: {pid_of(path) for path in sockets()} == {first.pid, second.pid}, what="both engines' sockets")
    (path,) = [path for path in sockets() if pid_of(path) == first.pid]
    with RemoteEngine(path, Hello(version=1), timeout=PATIENCE) as stranger:
        feed = stranger.events()
        for job in jobs:
            for call in (
                stranger.poll(job),
                stranger.log(job),
                stranger.wait(job, 5.0),
                stranger.submit(job, "secret"),
                stranger.kill(job),
                stranger.signal(job, "TERM"),
                stranger.inspect(job),
                stranger.recall(job),
                stranger.set_watches(job, ["secret"]),
                stranger.set_notify(job, True),
                stranger.close_terminal(job),
            ):
                answer = call.result(PATIENCE).to_dict()
                assert answer["status"] in ("not_found", "error") and "secret" not in str(answer), (call.what, answer)
            assert hasattr(stranger.attach(job, 0, lambda _item: None).result(PATIENCE), "error")
        assert stranger.list().result(PATIENCE).processes == () and stranger.results().result(PATIENCE).results == ()
        assert feed.next(PATIENCE).jobs == ()
