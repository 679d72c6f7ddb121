"""The tools for jobs and goals, and the table of all."""

from typing import Annotated

import msgspec
from msgspec import Meta

from engine.api.protocol import EngineApi
from engine.results import Refused, Started, Waited
from engine.spec import GoalSpec, JobSpec, WaitSpec
from engine.wire.mcp.agent_tools import AGENT_TOOLS
from engine.wire.mcp.tool import Plain, Tool, unknown

_MOST_OUTPUT = 30_000
"""Characters of output in one answer."""
_LOG_LINES = 2_000
_PROCESS_ACTIONS = "list, poll, wait, log, screen, write, submit, close, kill, signal, handoff, kill_all, restart"
_GOAL_ACTIONS = "start, status, wait, unwait, pause, resume, clear"
YIELD_SECONDS = 45.0
"""A command in the foreground goes on in the background after so long: most clients give a tool a minute."""


class Terminal(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Run a shell command. It is a job that the operator sees live in the jobdeck console.

    In the foreground (the default) you get its output and exit code when it ends. If it isn't done after `timeout`
    seconds it is not killed: it goes on as a background job, and you get its session_id to wait for or read.

    Use background=true for servers, watchers and anything long. A background job tells you nothing by itself: either
    set notify_on_complete=true (its end is told to you once) or watch_patterns (lines that matter are told), or ask
    with process_manage(action="wait"). Don't put `&`, `nohup` or `sleep` loops into the command for that.
    """

    command: Annotated[str, Meta(description="A shell line, run by $SHELL -c.")]
    background: Annotated[bool, Meta(description="Return at once with a session_id.")] = False
    pty: Annotated[
        bool, Meta(description="Give it a terminal: for programs that ask, draw or colour. Read it with action=screen.")
    ] = False
    stdin: Annotated[
        bool, Meta(description="Without pty: let it read what write and submit send; else its input is empty.")
    ] = False
    name: Annotated[str, Meta(description="What people see it called; else a part of the command.")] = ""
    cols: Annotated[int, Meta(description="Terminal columns (default 120).")] = 0
    rows: Annotated[int, Meta(description="Terminal rows (default 30).")] = 0
    workdir: Annotated[str, Meta(description="Folder to run in; else that of the server.")] = ""
    env: Annotated[dict[str, str | None], Meta(description="Set these variables; null takes one away.")] = {}
    host: Annotated[
        str,
        Meta(description="Run it on this host of the operator's configuration; workdir and env are then that side's."),
    ] = ""
    kill_order: Annotated[
        str, Meta(description='"children-first", or "parent-first" for supervisors that restart children.')
    ] = "children-first"
    timeout: Annotated[
        float, Meta(description=f"Foreground: seconds until it goes on in the background (default {YIELD_SECONDS:g}).")
    ] = 0.0
    notify_on_complete: Annotated[bool, Meta(description="Background: its end is told to you, exactly once.")] = False
    watch_patterns: Annotated[
        list[str],
        Meta(
            description="Background: tell lines that contain one of these; /…/ is a regular expression. Rare lines "
            "only: hits are rate-limited. Not together with notify_on_complete."
        ),
    ] = []
    heartbeat_seconds: Annotated[float, Meta(description="Tell what it wrote this often, at least 60; 0 never.")] = 0.0
    persist_on_release: Annotated[
        bool | None, Meta(description="It outlives you and this server; you or the operator must end it.")
    ] = None


class ProcessManage(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Look at and steer jobs that you started.

    list: your jobs. poll: how one stands, never waits; with `since` (the position of your last poll) only what is new.
    wait: until it ends, at most `timeout` seconds (180); a time-out is no error: it runs on, wait again or do something
    else. log: lines, the last 200 or from `offset`. screen: what a person would see of a full-screen program.
    write: send `data` as it is (no Enter). submit: send a line and Enter. close: end its input (EOF).
    kill: end its whole process tree, with proof. signal: send `data` (INT, HUP, USR1 …). handoff: give a running job to
    the conversation that started you; `data` says what for.
    """

    action: Annotated[str, Meta(description=_PROCESS_ACTIONS)]
    session_id: Annotated[str, Meta(description="The job: proc_… or a unique beginning of it.")] = ""
    data: Annotated[str, Meta(description="What to send; a signal's name; what a handoff is for.")] = ""
    timeout: Annotated[float | None, Meta(description="wait: seconds, at most 180.")] = None
    offset: Annotated[int | None, Meta(description="log: first line, from 0.")] = None
    limit: Annotated[int | None, Meta(description="log: number of lines.")] = None
    since: Annotated[int | None, Meta(description="poll: the position of your last poll.")] = None
    escaped: Annotated[bool, Meta(description="kill: also processes that left the job's session.")] = False


class CloseTerminal(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Close a job's tab in the operator's console. The job goes on; the operator can open it again."""

    session_id: str


class GoalManage(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """An objective with a loop: each turn runs `step`, then a judge says whether it is done.

    start: begin one (needs goal and step). status: how it stands, or all. wait: park it until a job ends, a process is
    gone or a time has passed, instead of polling in turns. unwait, pause, resume, clear.
    """

    action: Annotated[str, Meta(description=_GOAL_ACTIONS)]
    goal_id: str = ""
    goal: Annotated[str, Meta(description="start: the objective in words.")] = ""
    step: Annotated[str, Meta(description="start: a shell line, run each turn.")] = ""
    judge: Annotated[str, Meta(description='start: "exit-code", or a shell line that answers JSON.')] = "exit-code"
    max_turns: int = 0
    workdir: str = ""
    wait_on_session: Annotated[str, Meta(description="wait: until this job ends or its own pattern hits.")] = ""
    wait_on_pid: int = 0
    wait_for_seconds: float = 0.0
    reason: str = ""


async def _terminal(api: EngineApi, wanted: Terminal) -> Plain:
    background = wanted.background
    spec = JobSpec(
        command=wanted.command,
        name=wanted.name,
        cwd=wanted.workdir or None,
        env=wanted.env,
        pty=wanted.pty,
        cols=wanted.cols,
        rows=wanted.rows,
        stdin="pipe" if wanted.stdin and not wanted.pty else "null",
        host=wanted.host,
        kill_order=wanted.kill_order,
        notify_on_complete=wanted.notify_on_complete and background,
        watch_patterns=tuple(wanted.watch_patterns) if background else (),
        heartbeat_seconds=wanted.heartbeat_seconds if background else 0.0,
        persist_on_release=wanted.persist_on_release,
    )
    started = await api.spawn(spec)
    if background:
        return {"status": "running", **started.to_dict()}
    return await _foreground(api, wanted, started)


async def _foreground(api: EngineApi, wanted: Terminal, started: Started) -> Plain:
    """Its output and end; or, once it has taken too long, that it goes on in the background."""
    session_id = started.session_id
    waited = await api.wait(session_id, wanted.timeout if wanted.timeout > 0 else YIELD_SECONDS)
    log = await api.log(session_id, limit=_LOG_LINES)
    output = "" if isinstance(log, Refused) else log.output
    cut = max(0, len(output) - _MOST_OUTPUT)
    answer: Plain = {"session_id": session_id, "output": output[cut:]}
    if cut or (not isinstance(log, Refused) and log.total_lines > _LOG_LINES):
        answer["output_note"] = f"only the end; action=log with offset reads the rest of {session_id}"
    if isinstance(waited, Waited) and waited.status == "exited":
        ended = {"exit_code": waited.exit_code, "completion_reason": waited.completion_reason}
        return {"status": "exited", **answer, **ended}
    if wanted.notify_on_complete:
        told = await api.set_notify(session_id, True)
        answer["notify_on_complete"] = not isinstance(told, Refused) and told.notify_on_complete
        if not isinstance(told, Refused) and told.notify_unsupported:
            answer["notify_unsupported"] = told.notify_unsupported
    return {
        "status": "running",
        **answer,
        "yielded": f"still running, nothing was lost: it is now the background job {session_id}. "
        f'Wait for it with process_manage(action="wait", session_id="{session_id}"), or go on with something else',
    }


async def _process_manage(api: EngineApi, wanted: ProcessManage) -> Plain:
    action, job = wanted.action, wanted.session_id
    match action:
        case "list":
            return (await api.list()).to_dict()
        case "poll":
            return (await api.poll(job, wanted.since)).to_dict()
        case "wait":
            return (await api.wait(job, wanted.timeout)).to_dict()
        case "log":
            return (await api.log(job, wanted.offset, wanted.limit)).to_dict()
        case "screen":
            return (await api.screen(job)).to_dict()
        case "write":
            return (await api.write(job, wanted.data)).to_dict()
        case "submit":
            return (await api.submit(job, wanted.data)).to_dict()
        case "close":
            return (await api.close(job)).to_dict()
        case "kill":
            return (await api.kill(job, escaped=wanted.escaped)).to_dict()
        case "signal":
            return (await api.signal(job, wanted.data)).to_dict()
        case "handoff":
            return (await api.handoff(job, wanted.data)).to_dict()
        case "kill_all":
            return (await api.kill_all()).to_dict()
        case "restart":
            return (await api.restart(job)).to_dict()
    return unknown("process_manage", action, _PROCESS_ACTIONS)


async def _close_terminal(api: EngineApi, wanted: CloseTerminal) -> Plain:
    return (await api.close_terminal(wanted.session_id)).to_dict()


async def _goal_manage(api: EngineApi, wanted: GoalManage) -> Plain:
    match wanted.action:
        case "start":
            spec = GoalSpec(
                goal=wanted.goal,
                step=wanted.step,
                judge=wanted.judge,
                max_turns=wanted.max_turns,
                cwd=wanted.workdir or None,
            )
            return (await api.goal_start(spec)).to_dict()
        case "status":
            return (await api.goal_status(wanted.goal_id)).to_dict()
        case "wait":
            return (await api.goal_wait(wanted.goal_id, _wait_of(wanted))).to_dict()
        case "unwait":
            return (await api.goal_unwait(wanted.goal_id)).to_dict()
        case "pause":
            return (await api.goal_pause(wanted.goal_id, wanted.reason)).to_dict()
        case "resume":
            return (await api.goal_resume(wanted.goal_id)).to_dict()
        case "clear":
            return (await api.goal_clear(wanted.goal_id)).to_dict()
    return unknown("goal_manage", wanted.action, _GOAL_ACTIONS)


def _wait_of(wanted: GoalManage) -> WaitSpec:
    if wanted.wait_on_session:
        return WaitSpec(session_id=wanted.wait_on_session, on="any", reason=wanted.reason)
    if wanted.wait_on_pid:
        return WaitSpec(pid=wanted.wait_on_pid, reason=wanted.reason)
    return WaitSpec(seconds=wanted.wait_for_seconds, reason=wanted.reason)


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("terminal", Terminal, _terminal),
        Tool("process_manage", ProcessManage, _process_manage),
        Tool("close_terminal", CloseTerminal, _close_terminal),
        Tool("goal_manage", GoalManage, _goal_manage),
        *AGENT_TOOLS,
    )
}
"""By name."""
