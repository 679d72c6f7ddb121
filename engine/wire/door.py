"""The engine, as one connection sees it."""

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from engine.api.call import Call
from engine.api.protocol import EngineApi
from engine.spec import Caller
from engine.wire.lines import Intake
from engine.wire.messages import Hello, Welcome

if TYPE_CHECKING:
    from engine.wire.connection import Connection


class Admitted(msgspec.Struct, frozen=True):
    """Who a client is, and what it is told."""

    caller: Caller
    welcome: Welcome


class Door(Protocol):
    """Lets connections in, and knows who is there."""

    intake: Intake

    def came(self, connection: "Connection") -> bool:
        """Somebody of our user connected; False when there is no place for it."""

    def admit(self, hello: Hello) -> Admitted:
        """Who this is.

        Raises:
            UnknownToken: A token proves nothing.
        """

    def api(self, caller: Caller) -> EngineApi:
        """The engine's verbs for this caller."""

    def bye(self, caller: Caller) -> Call[Any]:
        """The conversation ends."""

    def left(self, connection: "Connection", caller: Caller | None, *, said_bye: bool) -> None:
        """The client is gone."""
