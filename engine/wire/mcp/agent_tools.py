"""The tools for agents that do tasks: in the background, and as batches (spec 4.6)."""

import os
from typing import Annotated

import msgspec
from msgspec import Meta

from engine.api.protocol import EngineApi
from engine.delegation import AgentTask
from engine.results import Refused
from engine.wire.mcp.tool import Plain, Tool, unknown

_ACTIONS = "list, result, send, cancel, stop"
_CHILD_VARIABLE = "JOBDECK_SUBAGENT_ID"
"""Set where we serve an agent that is itself a child of a batch."""


class Background(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Have another agent do one task in the background; you get its id (bg_…) at once and go on.

    It is isolated from you: it knows nothing but `prompt`, so put all it needs into that. Its end is told to you if
    your client takes notices; else ask with process_manage(action="wait"), which also gives its output.
    """

    prompt: Annotated[str, Meta(description="The task, complete in itself.")]
    agent: Annotated[str, Meta(description="Which agent; may be left out where there is only one.")] = ""
    name: Annotated[str, Meta(description="What people see it called.")] = ""
    workdir: Annotated[str, Meta(description="Folder to run in; else that of the server.")] = ""


class Delegate(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Have other agents do several independent tasks side by side, as one batch.

    You get a batch_id at once and go on; one completion tells all results, in order (agent_manage(action="result")
    waits for it). Each agent knows nothing but its task's text. What they do meanwhile is in live_transcripts. With all
    slots for batches taken the answer is `rejected` and nothing was started: wait for a batch of yours, or do it
    yourself. If you are yourself an agent of a batch, this waits until all is done.
    """

    tasks: Annotated[list[str | AgentTask], Meta(description="Texts, or objects with goal, agent and role.")]
    agent: Annotated[str, Meta(description="Which agent does them; may be left out where there is only one.")] = ""
    max_children: Annotated[int, Meta(description="So many run side by side (0: the usual 3).")] = 0
    name: Annotated[str, Meta(description="What people see the batch called.")] = ""
    workdir: Annotated[str, Meta(description="Folder to run in; else that of the server.")] = ""


class AgentManage(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Look at and steer the agents that you had started.

    list: which agents there are, your batches and how each child stands. result: what came of a batch (deleg_…),
    waiting at most `timeout` seconds (180); `running` is no error. send: put a message (`data`) before a running child
    (sub_…). cancel: end one child. stop: end a whole batch, or a background agent (bg_…).
    """

    action: Annotated[str, Meta(description=_ACTIONS)]
    id: Annotated[str, Meta(description="deleg_…, sub_… or bg_…, as the action needs.")] = ""
    data: Annotated[str, Meta(description="send: the message.")] = ""
    timeout: Annotated[float | None, Meta(description="result: seconds, at most 180.")] = None


async def _background(api: EngineApi, wanted: Background) -> Plain:
    answer = await api.background(wanted.prompt, wanted.agent, wanted.name, wanted.workdir or None)
    return answer.to_dict() if isinstance(answer, Refused) else {"status": "running", **answer.to_dict()}


async def _delegate(api: EngineApi, wanted: Delegate) -> Plain:
    answer = await api.delegate(wanted.tasks, wanted.agent, wanted.max_children, wanted.name, wanted.workdir or None)
    if isinstance(answer, Refused) or answer.status != "dispatched" or not os.environ.get(_CHILD_VARIABLE):
        return answer.to_dict()
    while True:  # a child waits for its own children
        result = await api.batch_result(answer.batch_id)
        if isinstance(result, Refused) or result.status != "running":
            return result.to_dict()


async def _agent_manage(api: EngineApi, wanted: AgentManage) -> Plain:
    match wanted.action:
        case "list":
            return (await api.agents()).to_dict()
        case "result":
            return (await api.batch_result(wanted.id, wanted.timeout)).to_dict()
        case "send":
            return (await api.send(wanted.id, wanted.data)).to_dict()
        case "cancel":
            return (await api.cancel(wanted.id)).to_dict()
        case "stop":
            return (await api.stop(wanted.id)).to_dict()
    return unknown("agent_manage", wanted.action, _ACTIONS)


AGENT_TOOLS = (
    Tool("background", Background, _background),
    Tool("delegate", Delegate, _delegate),
    Tool("agent_manage", AgentManage, _agent_manage),
)
