"""The engine's loop, as its interface sees it."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from engine.api.call import Call
from engine.barriers.barriers import Barriers
from engine.registry.registry import Registry

if TYPE_CHECKING:
    from engine.agents.agents import Agents
    from engine.goals.goals import Goals

T = TypeVar("T")


class Host(Protocol):
    """What the verbs need of the engine; its objects are touched on its loop alone."""

    @property
    def registry(self) -> Registry:
        """The jobs."""

    @property
    def barriers(self) -> Barriers:
        """What is waited for."""

    @property
    def goals(self) -> "Goals":
        """The goals of this home."""

    @property
    def delegation(self) -> "Agents":
        """Agents and batches."""

    def call(self, what: str, make: Callable[[], T]) -> Call[T]:
        """Run ``make`` on the loop and answer with what it returns."""

    def call_async(self, what: str, make: Callable[[], Coroutine[Any, Any, T]], patience: float = 0.0) -> Call[T]:
        """Run a coroutine on the loop and answer with what it returns."""

    def post(self, do: Callable[[], None]) -> None:
        """Run ``do`` on the loop; nobody waits."""
