"""The engine's loop as a conversation reaches it: each call is a sign of life for its open turn (spec 3.8)."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from engine.api.call import Call
from engine.api.hosting import Host
from engine.barriers.barriers import Barriers
from engine.registry.registry import Registry

if TYPE_CHECKING:
    from engine.agents.agents import Agents
    from engine.goals.goals import Goals

T = TypeVar("T")


class Heard:
    """See `Host`."""

    def __init__(self, host: Host, owner: str) -> None:
        self._host = host
        self._owner = owner

    @property
    def registry(self) -> Registry:
        """See `Host`."""
        return self._host.registry

    @property
    def barriers(self) -> Barriers:
        """See `Host`."""
        return self._host.barriers

    @property
    def goals(self) -> "Goals":
        """See `Host`."""
        return self._host.goals

    @property
    def delegation(self) -> "Agents":
        """See `Host`."""
        return self._host.delegation

    def call(self, what: str, make: Callable[[], T]) -> Call[T]:
        """See `Host`."""

        def heard() -> T:
            with self.registry.turns.sign(self._owner):
                return make()

        return self._host.call(what, heard)

    def call_async(self, what: str, make: Callable[[], Coroutine[Any, Any, T]], patience: float = 0.0) -> Call[T]:
        """See `Host`."""

        async def heard() -> T:
            with self.registry.turns.sign(self._owner):
                return await make()

        return self._host.call_async(what, heard, patience)

    def post(self, do: Callable[[], None]) -> None:
        """See `Host`."""
        self._host.post(do)
