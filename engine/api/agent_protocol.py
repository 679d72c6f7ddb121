"""The part of `EngineApi` about agents that do tasks (spec 4.6)."""

from collections.abc import Sequence
from typing import Protocol

from engine.api.call import Call
from engine.delegation import AgentTask
from engine.delegation_results import AgentsListed, BatchResult, Delegated, RoomAwaited, Sent, Stopped
from engine.results import Refused, Started


class AgentApi(Protocol):
    """Background agents and batches. How batches stand comes as `BatchChanged`, their completions as `BatchDone`."""

    def background(
        self, prompt: str, agent: str = "", name: str = "", cwd: str | None = None, folder: str = ""
    ) -> Call[Started | Refused]:
        """Have an agent do one task as a job ``bg_…``, isolated from the caller; its end is told to it.

        ``agent`` names one of the configuration; it may be left out where there is only one. Those of the ``folder``
        that is named go before the engine's own.
        """

    def delegate(
        self,
        tasks: Sequence[str | AgentTask],
        agent: str = "",
        max_children: int = 0,
        name: str = "",
        cwd: str | None = None,
        folder: str = "",
    ) -> Call[Delegated | Refused]:
        """Have agents do these tasks side by side, as one batch: one handle, one slot, one completion.

        ``max_children`` run at a time (0 takes the setting). With all slots taken it answers ``rejected`` and nothing
        is started. To a child of a batch it answers once all is done, and takes no slot. ``agent`` and ``folder`` are
        as for `background`.
        """

    def batch_result(self, batch_id: str, timeout: float | None = None) -> Call[BatchResult | Refused]:
        """How a batch ended, waiting for it at most ``timeout`` seconds (default and most 180); ``running`` then.

        Its owner, who learns of the end by this, isn't told it again.
        """

    def agents(self, folder: str = "") -> Call[AgentsListed]:
        """The agents of the configuration, and what the caller has them do. ``folder`` is as for `background`."""

    def stop(self, batch_id: str) -> Call[Stopped | Refused]:
        """End a batch (``deleg_…``) with all its children, or a background agent (``bg_…``)."""

    def send(self, subagent_id: str, data: str) -> Call[Sent | Refused]:
        """Put a message before a running child: a line on its input, or in its inbox file."""

    def cancel(self, subagent_id: str) -> Call[Stopped | Refused]:
        """End one child's whole tree, and what it dispatched in turn; its batch goes on."""

    def await_room(self, timeout: float | None = None) -> Call[RoomAwaited]:
        """Wait until a slot for a batch is free, at most ``timeout`` seconds (default and most 180)."""
