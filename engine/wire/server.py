"""An engine listens: its socket, who may come in, who is there (spec 4.2, 4.3)."""

import asyncio
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from engine.api.call import Call
from engine.api.host import Engine
from engine.api.protocol import EngineApi
from engine.ownership.conversations import Conversations, open_conversations
from engine.spec import OPERATOR, Caller
from engine.wire import VERSION, messages
from engine.wire.address import new_socket_path
from engine.wire.connection import Connection
from engine.wire.door import Admitted
from engine.wire.lines import Intake
from engine.wire.messages import EngineInfo, Hello, Welcome

MOST_CLIENTS = 256
"""Connections at a time. Who comes above takes the place of one that hasn't said who it is, else it is hung up on."""
_BACKLOG = 128


class Server:
    """Lets clients of an engine in. A context manager; made and closed on any thread but the engine's."""

    def __init__(self, engine: Engine, kind: str, label: str = "") -> None:
        """Listen from now on.

        Raises:
            HomeError: The run folder can't be used.
            OSError: No socket can be made there.
        """
        self._engine = engine
        self.intake = Intake()
        self._connections: dict[Connection, None] = {}
        """In the order in which they came."""
        self._conversations: Conversations | None = None
        self._server: asyncio.AbstractServer | None = None
        self._closed = False
        self.path: Path = new_socket_path(kind)
        self.info = EngineInfo(
            engine_id=f"eng_{os.urandom(6).hex()}",
            kind=kind,
            pid=os.getpid(),
            started_at=time.time(),
            label=label,
        )
        engine.call_async("listen", self._listen).result()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def relabel(self, label: str) -> None:
        """What it is called from now on; who is connected knows it by what it was called before."""
        self.info = msgspec.structs.replace(self.info, label=label)

    def close(self) -> None:
        """Listen no more and hang up. Safe to call twice, and after the engine's end."""
        if not self._closed:
            self._closed = True
            with suppress(OSError):
                self.path.unlink()
            self._engine.post(self._stop)

    async def _listen(self) -> None:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            before = self.path.with_name(f".{self.path.name}")
            listening.bind(str(before))
            before.chmod(0o600)
            listening.listen(_BACKLOG)
            before.rename(self.path)  # who finds it can connect, and nobody but us
        except BaseException:
            listening.close()
            raise
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(lambda: Connection(self, loop), sock=listening, backlog=_BACKLOG)

    def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._connections):
            connection.close()

    # What connections ask

    def came(self, connection: Connection) -> bool:
        """See `Door`."""
        if len(self._connections) >= MOST_CLIENTS:
            silent = next((one for one in self._connections if one.caller is None), None)
            if silent is None:
                return False
            del self._connections[silent]
            silent.hang_up("others want this place, and no hello came")
        self._connections[connection] = None
        return True

    def admit(self, hello: Hello) -> Admitted:
        """See `Door`."""
        welcome = Welcome(
            version=VERSION, engine=self.info, settings=msgspec.Raw(messages.encode(self._engine.settings))
        )
        if hello.operator:
            return Admitted(msgspec.structs.replace(OPERATOR, async_delivery=hello.async_delivery), welcome)
        if self._conversations is None:
            self._conversations = open_conversations()
        if hello.continues:
            conversation = self._conversations.go_on(hello.continues)
        elif hello.token:
            conversation = self._conversations.prove(hello.token)
        else:
            conversation = self._conversations.begin(hello.parent)
        caller = Caller(owner=conversation.id, async_delivery=hello.async_delivery)
        return Admitted(
            caller, msgspec.structs.replace(welcome, conversation=conversation.id, token=conversation.token)
        )

    def api(self, caller: Caller) -> EngineApi:
        """See `Door`."""
        return self._engine.api(caller)

    def bye(self, caller: Caller) -> Call[Any]:
        """See `Door`."""
        return self._engine.api(caller).end_conversation()

    def left(self, connection: Connection, caller: Caller | None, *, said_bye: bool) -> None:
        """See `Door`: an open turn is abandoned, unless another connection of the same conversation is there."""
        self._connections.pop(connection, None)
        if caller is None or caller.is_operator or said_bye:
            return
        if not any(other.caller is not None and other.caller.owner == caller.owner for other in self._connections):
            self._engine.api(caller).turn_abandon()
