"""Asks engines about agents and batches, and says what they answered."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from engine.wire.short import Short
from tui.cli import asking, reaching
from tui.cli.asking import Plain
from tui.cli.exit_codes import GOOD, REFUSED

_ENGINE_VARIABLE = "JOBDECK_ENGINE"
"""The pid of the engine that runs an agent: what it dispatches in turn goes there."""
_GLYPHS = {"done": "✓", "failed": "✗", "cancelled": "⊘", "running": "●", "waiting": "○"}
_TAIL_LINES = 20


def start_background(prompt: str, how: dict[str, Any]) -> int:
    """Print the id of what runs now; the exit code."""
    with _starter(how) as engine:
        answer = engine.ask("background", {"prompt": prompt, **_where(how)})
    if how["as_json"]:
        asking.print_json(answer)
        return asking.code_of(answer)
    if "error" in answer:
        return asking.refused("background", answer)
    click.echo(answer["session_id"])
    return GOOD


def start_batch(tasks: Sequence[str], how: dict[str, Any]) -> int:
    """Print the id of the batch, or what came of it; the exit code."""
    params = {"tasks": list(tasks), "max_children": how["max_children"] or 0, **_where(how)}
    with _starter(how) as engine:
        answer = _dispatched(engine, params, queues=not how["no_queue"])
        if "error" not in answer and how["waits"] and answer["status"] == "dispatched":
            if not how["as_json"]:
                _say_dispatched(answer)
            answer = _result(engine, answer["batch_id"])
    if how["as_json"]:
        asking.print_json(answer)
        return asking.code_of(answer) or (REFUSED if answer["status"] in ("rejected", "error", "stopped") else GOOD)
    if answer.get("error") and "batch_id" not in answer and "batch" not in answer:
        return asking.refused("delegate", answer)
    if answer["status"] == "dispatched":
        _say_dispatched(answer)
        click.echo(answer["batch_id"])
        return GOOD
    return _say_results(answer)


def list_agents(*, operator: bool, as_json: bool) -> int:
    """Print which there are and what they do; the exit code."""
    with reaching.engines(reaching.whom(operator=operator)) as found:
        answers = [one.ask("agents", {"folder": _folder()}) for one in found]
    batches = [batch for answer in answers for batch in answer["batches"]]
    background = [handle for answer in answers for handle in answer["background"]]
    known = {row["name"]: row for answer in reversed(answers) for row in answer["agents"]}
    if as_json:
        asking.print_json({"agents": list(known.values()), "background": background, "batches": batches})
        return GOOD
    from tui.cli.saying import foreign, say, say_table
    from tui.show.ages import clock

    if not known:
        say('no agent is configured: [agents.NAME] command = ["PROG", "{prompt}"] in jobdeck.toml', to_stderr=True)
    for row in known.values():
        say(f"{row['name']}: {foreign(row['command'])}")
    rows = []
    now = time.time()
    for batch in batches:
        over = sum(handle["ended_at"] is not None for handle in batch["handles"])
        since = clock((batch["ended_at"] or now) - batch["started_at"])
        how = f"{batch['status']} {over}/{len(batch['handles'])}"
        rows.append((batch["batch_id"], how, "", since, batch["name"]))
        rows += [
            (f"└ {one['subagent_id']}", one["status"], one["agent"], one["session_id"], one["goal"])
            for one in batch["handles"]
        ]
    rows += [(one["session_id"], one["status"], one["agent"], "", one["goal"]) for one in background]
    if rows:
        say_table(rows, ("ID", "STATUS", "AGENT", "JOB", "TASK"))
    return GOOD


def show_batch(wanted: str, *, waits: bool, operator: bool, as_json: bool) -> int:
    """Print how one batch stands, once it has ended if ``waits``; the exit code."""

    def say(answer: Plain) -> int:
        code = _say_results(answer)
        return code if waits else GOOD

    def ask(engine: Short) -> Plain:
        if waits:
            return _result(engine, wanted)
        return dict(engine.ask("batch_result", {"batch_id": wanted, "timeout": 0.0}))

    return _asked("agents", ask, say, operator=operator, as_json=as_json)


def on_agent(verb: str, params: dict[str, Any], say: Callable[[Plain], int], *, operator: bool, as_json: bool) -> int:
    """Ask the engine that has this batch or child; ``say`` prints the answer for people."""
    return _asked(verb, lambda engine: dict(engine.ask(verb, params)), say, operator=operator, as_json=as_json)


def _asked(
    verb: str, ask: Callable[[Short], Plain], say: Callable[[Plain], int], *, operator: bool, as_json: bool
) -> int:
    """What the first engine says that knows what is meant."""
    with reaching.engines(reaching.whom(operator=operator)) as found:
        answer: Plain = {}
        for one in found:
            answer = ask(one)
            if answer.get("status") != "not_found":
                break
    if as_json:
        asking.print_json(answer)
        return asking.code_of(answer)
    if "error" in answer and "cancelled" not in answer:
        return asking.refused(verb, answer)
    return say(answer)


@contextmanager
def _starter(how: dict[str, Any]) -> Iterator[Short]:
    """The engine that is named, or that runs us as an agent, or the best one for a job."""
    who = reaching.whom(operator=how["operator"])
    ours = "" if how["engine"] else os.environ.get(_ENGINE_VARIABLE, "")
    if ours:
        try:
            with reaching.engines(who, ours) as found:
                yield found[0]
                return
        except (reaching.NobodyThere, reaching.Unusable):
            pass  # it doesn't listen, or is gone
    with reaching.engines(who, how["engine"]) as found:
        yield reaching.starter(found)


def _where(how: dict[str, Any]) -> dict[str, Any]:
    cwd = str(Path(how["cwd"] or ".").absolute())
    return {"agent": how["agent"], "name": how["name"], "cwd": cwd, "folder": _folder()}


def _folder() -> str:
    """Whose agents we mean: those of this folder's configuration, before those of the engine's."""
    return str(Path().absolute())


def _dispatched(engine: Short, params: dict[str, Any], *, queues: bool) -> Plain:
    """The answer to the dispatch; where all slots are taken once one is free, if we queue."""
    told = False
    while True:
        answer: Plain = engine.ask("delegate", params)
        if answer.get("status") != "rejected" or not queues:
            return answer
        if not told:
            told = True
            click.echo("all slots for batches are taken: waiting for one …", err=True)
        engine.ask("await_room", {})


def _result(engine: Short, batch_id: str) -> Plain:
    while True:
        answer: Plain = engine.ask("batch_result", {"batch_id": batch_id})
        if answer.get("status") != "running":
            return answer


def _say_dispatched(answer: Plain) -> None:
    many = len(answer["handles"])
    click.echo(f"{answer['batch_id']}: {many} task{'s' * (many != 1)}; follow them with", err=True)
    click.echo(f"  {answer['live_transcripts']['follow']}", err=True)
    if answer.get("notify_unsupported"):
        click.echo(f"  jobdeck agents {answer['batch_id']}   tells how they stand", err=True)
    sys.stderr.flush()


def _say_results(answer: Plain) -> int:
    """How each task ended, with the end of its output; the exit code."""
    from tui.cli.saying import foreign, say

    handles = answer["batch"]["handles"] if "batch" in answer else answer["handles"]
    results = {one["subagent_id"]: one for one in answer.get("results", ())}
    for number, handle in enumerate(handles, 1):
        result = results.get(handle["subagent_id"], {})
        status = result.get("status", handle["status"])
        code = f" (exit {handle['exit_code']})" if status == "failed" and handle["exit_code"] is not None else ""
        say(f"{_GLYPHS.get(status, '?')} {number} {handle['subagent_id']} {status}{code}: {foreign(handle['goal'])}")
        if result.get("error") and not code:
            say(f"    {foreign(result['error'])}")
        for line in result.get("output", "").rstrip("\n").split("\n")[-_TAIL_LINES:]:
            if line:
                say(f"    {foreign(line)}")
    return REFUSED if answer["status"] in ("error", "stopped") else GOOD
