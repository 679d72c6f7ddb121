"""Whose jobs are whose, in-process; see `ConversationApi` for what each does."""

from engine.api.call import Call
from engine.api.hosting import Host
from engine.registry import conversing
from engine.results import Active, AnyActive, ConversationEnded, Done, HandedOff, Refused
from engine.spec import Caller


class LocalConversation:
    """See `ConversationApi`."""

    _host: Host
    _caller: Caller

    def handoff(self, session_id: str, data: str) -> Call[HandedOff | Refused]:
        """See `ConversationApi`."""
        return self._host.call(
            "handoff", lambda: conversing.handoff(self._host.registry, self._caller, session_id, data)
        )

    def end_conversation(self) -> Call[ConversationEnded | Refused]:
        """See `ConversationApi`."""
        settings = self._host.registry.settings
        most = settings.hold_seconds + settings.term_grace_seconds + settings.kill_proof_seconds
        return self._host.call_async(
            "end_conversation", lambda: conversing.end_conversation(self._host.registry, self._caller), most
        )

    def has_active(self, owner: str | None = None, max_age: float | None = None) -> Call[Active | Refused]:
        """See `ConversationApi`."""
        return self._host.call(
            "has_active", lambda: conversing.has_active(self._host.registry, self._caller, owner, max_age)
        )

    def has_any_active(self) -> Call[AnyActive]:
        """See `ConversationApi`."""
        return self._host.call("has_any_active", lambda: conversing.has_any_active(self._host.registry))

    def close_terminal(self, session_id: str) -> Call[Done | Refused]:
        """See `ConversationApi`."""
        return self._host.call(
            "close_terminal", lambda: conversing.close_terminal(self._host.registry, self._caller, session_id)
        )
