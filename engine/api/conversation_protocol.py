"""The part of `EngineApi` about whose jobs are whose (spec 4.3, 4.5)."""

from typing import Protocol

from engine.api.call import Call
from engine.results import Active, AnyActive, ConversationEnded, Done, HandedOff, Refused


class ConversationApi(Protocol):
    """What a conversation does with its jobs as a whole."""

    def handoff(self, session_id: str, data: str) -> Call[HandedOff | Refused]:
        """Give a running job to the conversation that the caller works for; ``data`` says what for."""

    def end_conversation(self) -> Call[ConversationEnded | Refused]:
        """The caller's conversation is over: its jobs are ended, but for those that outlive it or were handed off."""

    def has_active(self, owner: str | None = None, max_age: float | None = None) -> Call[Active | Refused]:
        """Do jobs of this owner, or of one that it continues, run (None: of the caller; the operator: of anybody)?

        Jobs older than ``max_age`` hours (None: the setting ``bg_process_max_age_hours``; 0: any age counts) don't
        count.
        """

    def has_any_active(self) -> Call[AnyActive]:
        """Does any job run here, whosoever's? For a host that may be suspended when none does."""

    def close_terminal(self, session_id: str) -> Call[Done | Refused]:
        """Close the job's tab in every console; the job goes on, the operator can open it again."""
