"""Agents and batches, in-process; see `AgentApi` for what each verb does."""

from collections.abc import Sequence

from engine.api.call import Call
from engine.api.hosting import Host
from engine.delegation import AgentTask
from engine.delegation_results import AgentsListed, BatchResult, Delegated, RoomAwaited, Sent, Stopped
from engine.results import Refused, Started
from engine.spec import Caller

_WAIT_SECONDS = 180.0
_STOP_SECONDS = 10.0


class LocalAgents:
    """See `AgentApi`."""

    _host: Host
    _caller: Caller

    def background(
        self, prompt: str, agent: str = "", name: str = "", cwd: str | None = None, folder: str = ""
    ) -> Call[Started | Refused]:
        """See `AgentApi`."""
        return self._host.call_async(
            "background",
            lambda: self._host.delegation.background(self._caller, prompt, agent, name=name, cwd=cwd, folder=folder),
        )

    def delegate(
        self,
        tasks: Sequence[str | AgentTask],
        agent: str = "",
        max_children: int = 0,
        name: str = "",
        cwd: str | None = None,
        folder: str = "",
    ) -> Call[Delegated | Refused]:
        """See `AgentApi`."""
        wanted = tuple(tasks)
        return self._host.call_async(
            "delegate",
            lambda: self._host.delegation.delegate(
                self._caller, wanted, agent, max_children=max_children, name=name, cwd=cwd, folder=folder
            ),
            _STOP_SECONDS,
        )

    def batch_result(self, batch_id: str, timeout: float | None = None) -> Call[BatchResult | Refused]:
        """See `AgentApi`."""
        return self._host.call_async(
            "batch_result",
            lambda: self._host.delegation.result(self._caller, batch_id, timeout),
            _WAIT_SECONDS if timeout is None else timeout,
        )

    def agents(self, folder: str = "") -> Call[AgentsListed]:
        """See `AgentApi`."""
        return self._host.call_async("agents", lambda: self._host.delegation.listed(self._caller, folder))

    def stop(self, batch_id: str) -> Call[Stopped | Refused]:
        """See `AgentApi`."""
        return self._host.call_async("stop", lambda: self._host.delegation.stop(self._caller, batch_id), _STOP_SECONDS)

    def send(self, subagent_id: str, data: str) -> Call[Sent | Refused]:
        """See `AgentApi`."""
        return self._host.call("send", lambda: self._host.delegation.send(self._caller, subagent_id, data))

    def cancel(self, subagent_id: str) -> Call[Stopped | Refused]:
        """See `AgentApi`."""
        return self._host.call_async(
            "cancel", lambda: self._host.delegation.cancel(self._caller, subagent_id), _STOP_SECONDS
        )

    def await_room(self, timeout: float | None = None) -> Call[RoomAwaited]:
        """See `AgentApi`."""
        return self._host.call_async("await_room", lambda: self._host.delegation.await_room(timeout), _WAIT_SECONDS)
