"""The one who knows whether there are scopes here, and makes them. On the engine's loop alone."""

import asyncio
from functools import partial

import msgspec

from engine.config import Settings
from engine.process.aside import aside
from engine.process.memory_bound import memory_bound
from engine.process.scope import Scope
from engine.process.systemd import NoScopes, Systemd, find_systemd

_SLACK_SECONDS = 1.0


class Answer(msgspec.Struct, frozen=True):
    """Is there a systemd that makes bounded scopes (None: no, and why not), and until when that counts."""

    systemd: Systemd | None
    why_not: str
    until: float


class Scopes:
    """Asks at most once at a time; the answer counts for ``scope_answer_seconds``, yes or no."""

    def __init__(self, loop: asyncio.AbstractEventLoop, settings: Settings) -> None:
        self._loop = loop
        self._settings = settings
        self._answer: Answer | None = None
        self._asking: asyncio.Task[Answer] | None = None

    async def offer(self, session_id: str) -> Scope | None:
        """A scope for this job to be started in; None where there are none."""
        systemd = (await self._ask()).systemd
        if systemd is None:
            return None
        return Scope(session_id, systemd, memory_bound(self._settings), self._settings)

    def doubt(self) -> None:
        """A start in a scope has failed: ask anew before the next."""
        self._answer = None

    async def _ask(self) -> Answer:
        if self._answer is not None and self._loop.time() < self._answer.until:
            return self._answer
        if self._asking is None:
            self._asking = self._loop.create_task(self._try())
        return await asyncio.shield(self._asking)

    async def _try(self) -> Answer:
        systemd, why_not = None, ""
        try:
            work = aside("jobdeck-scope", partial(find_systemd, self._settings))
            systemd = await asyncio.wait_for(work, self._settings.scope_seconds + _SLACK_SECONDS)
        except NoScopes as no:
            why_not = str(no)
        except TimeoutError:
            why_not = "systemd doesn't answer, and can't be let go of either"
        except OSError as error:
            why_not = f"it couldn't be tried out: {error.strerror or error}"
        finally:
            self._asking = None
        self._answer = Answer(systemd, why_not, self._loop.time() + self._settings.scope_answer_seconds)
        return self._answer
