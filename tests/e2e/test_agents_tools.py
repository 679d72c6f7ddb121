"""A coding agent's tool server, driven by the protocol's own client, each in a process of its own (spec 4.5)."""

import json
import os
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
import pytest
from agent_programs import config_file
from living import alive
from waiting import wait_until

pytest.importorskip("mcp")

from tool_agents import Agent, agent, run

from engine.wire.address import pid_of, sockets


def test_a_command_in_the_foreground_gives_output_and_exit_code() -> None:
    async def test() -> None:
        async with agent() as it:
            answer = await it.call("terminal", command="echo hi; exit 3")
            assert (answer["status"], answer["output"], answer["exit_code"]) == ("exited", "hi\n", 3)
            assert it.client.server_info.version == version("jobdeck")
            wrong = await it.call("terminal", command="true", colour="red")
            assert wrong["status"] == "error" and "colour" in wrong["error"]
            unknown = await it.call("process_manage", action="dance")
            assert "poll" in unknown["error"]

    run(test())


def test_what_takes_too_long_goes_on_in_the_background_and_nothing_is_lost() -> None:
    async def test() -> None:
        async with agent() as it:
            line = "echo first; read x; echo got $x; exit 4"
            for seconds in (0.3, 3.0, 30.0):  # as slow as the machine needs it to have begun
                answer = await it.call("terminal", command=line, stdin=True, timeout=seconds)
                assert answer["status"] == "running"
                if answer["output"]:
                    break
            assert answer["output"] == "first\n"
            job = answer["session_id"]
            await it.call("process_manage", action="submit", session_id=job, data="this")
            waited = await it.call("process_manage", action="wait", session_id=job)
            assert (waited["output"], waited["exit_code"]) == ("first\ngot this\n", 4)

    run(test())


def test_an_end_is_told_once_to_a_client_that_takes_log_messages() -> None:
    async def test() -> None:
        async with agent("legacy") as it:
            untold = await it.call("terminal", command="true", background=True, notify_on_complete=True)
            assert "notify_unsupported" in untold
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # newer clients listen instead
                await it.client.set_logging_level("info")
            job = (await it.call("terminal", command="exit 5", background=True, notify_on_complete=True))["session_id"]
            await it.until(lambda: _is(bool(it.told)), "word of the end")
            assert [(one["type"], one["session_id"], one["exit_code"]) for one in it.told] == [("Completion", job, 5)]
            watched = await it.call(
                "terminal", command="echo an ERROR; sleep 7951", background=True, watch_patterns=["ERROR"]
            )
            await it.until(lambda: _is(len(it.told) > 1), "the hit")
            assert (it.told[1]["type"], it.told[1]["text"]) == ("WatchHit", "an ERROR")
            output = await it.client.read_resource(f"job://{watched['session_id']}/output")
            assert output.contents[0].text == "an ERROR\n"

    run(test())


def test_an_end_is_told_once_to_a_client_that_listens() -> None:
    async def test() -> None:
        async with agent() as it, it.client.listen(resource_subscriptions=["notices://new"]) as news:
            started = await it.call("terminal", command="exit 5", background=True, notify_on_complete=True)
            assert "notify_unsupported" not in started
            event = await anext(aiter(news))
            assert event.uri == "notices://new"

            async def read() -> list[dict[str, Any]]:
                found: list[dict[str, Any]] = json.loads((await it.client.read_resource(event.uri)).contents[0].text)
                return found

            (told,) = await read()
            assert (told["type"], told["session_id"], told["exit_code"]) == ("Completion", started["session_id"], 5)
            assert await read() == []

    run(test())


def test_a_full_screen_program_is_read_as_a_person_would() -> None:
    async def test() -> None:
        async with agent() as it:
            draws = r"printf '\033[2J\033[2;5Hhere'; sleep 7952"
            job = (await it.call("terminal", command=draws, background=True, pty=True))["session_id"]

            async def drawn() -> bool:
                return "    here" in (await it.call("process_manage", action="screen", session_id=job))["lines"]

            await it.until(drawn, "the screen")

    run(test())


def test_agents_have_nothing_to_do_with_each_others_jobs_and_theirs_end_with_them() -> None:
    async def test() -> None:
        async with agent() as first, agent() as second:
            job = (await first.call("terminal", command="sleep 7953", background=True))["session_id"]
            assert (await second.call("process_manage", action="poll", session_id=job))["status"] == "not_found"
            assert (await second.call("process_manage", action="list"))["processes"] == []
            listed = await first.call("process_manage", action="list")
            leader = psutil.Process(listed["processes"][0]["pid"])
            assert len(sockets()) == 2
        # A client waits two seconds for the end of its server, then it kills that: the supervisor does the rest.
        wait_until(lambda: alive([leader]) == [], what="the job to end with its agent")
        assert [pid for pid in map(pid_of, sockets()) if psutil.pid_exists(pid)] == []

    run(test())


async def _is(value: bool) -> bool:
    return value


def test_a_batch_over_the_tools_and_its_completion_as_a_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config_file(tmp_path).rename(tmp_path / "jobdeck.toml")
    monkeypatch.chdir(tmp_path)

    async def test() -> None:
        async with agent("legacy", PYTHONPATH=os.pathsep.join(sys.path)) as it:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                await it.client.set_logging_level("info")
            given = await it.call("delegate", tasks=["ask colour?", {"goal": "fail 3", "role": "scout"}, "hang"])
            assert given["status"] == "dispatched" and len(given["live_transcripts"]["paths"]) == 3
            children = [one["subagent_id"] for one in given["handles"]]

            async def running() -> bool:
                (batch,) = (await it.call("agent_manage", action="list"))["batches"]
                return [one["status"] for one in batch["handles"]] == ["running", "failed", "running"]

            await it.until(running, "two of three that run")
            assert (await it.call("agent_manage", action="send", id=children[0], data="blue"))["via"] == "stdin"
            assert (await it.call("agent_manage", action="cancel", id=children[2]))["status"] == "ok"

            async def told() -> list[Any]:
                return [one for one in it.told if one["type"] == "BatchDone"]

            (done,) = await it.until(told, "its completion")
            assert [one["status"] for one in done["results"]] == ["done", "failed", "cancelled"]
            assert "answered: blue" in done["results"][0]["output"]
            again = await it.call("agent_manage", action="result", id=given["batch_id"], timeout=5)
            assert again["status"] == "done" and len(again["results"]) == 3
            started = await it.call("background", prompt="say hi")
            waited = await it.call("process_manage", action="wait", session_id=started["session_id"])
            assert waited["output"] == "hi\n"

    run(test())


def test_who_goes_on_as_an_agent_has_its_results_and_what_it_was_not_told() -> None:
    async def conversation(it: Agent) -> dict[str, str]:
        read = await it.client.read_resource("conversation://self")
        found: dict[str, str] = json.loads(read.contents[0].text)
        return found

    async def test() -> None:
        async with agent() as first:
            ours = await conversation(first)
            job = (await first.call("terminal", command="echo kept; exit 3"))["session_id"]
        async with agent(JOBDECK_TOKEN=ours["token"]) as heir, agent() as stranger:
            assert (await conversation(heir))["id"].startswith(f"{ours['id']}.")
            (row,) = (await heir.call("process_manage", action="list"))["processes"]
            assert (row["session_id"], row["session_scoped"]) == (job, True)
            read = await heir.call("process_manage", action="log", session_id=job)
            assert read["output"] == "kept\n"
            unknown = await stranger.call("process_manage", action="log", session_id=job)
            assert unknown["status"] == "not_found"

    run(test())
