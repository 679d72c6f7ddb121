"""What the engine tells the operator of itself: that belongs to no verb's result."""

import asyncio
import contextlib
from collections.abc import Callable

from engine.events import EngineNotice, Notice
from engine.redact import redact
from engine.store.trouble import record_trouble


class OperatorNotices:
    """Told as events; what is the operator's alone is kept while no console is there."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, notify: Callable[[str, Callable[[int, float], Notice]], object]
    ) -> None:
        self._loop = loop
        self._notify = notify

    def notice(self, text: str, severity: str = "warning", session_id: str = "", *, owner: str = "") -> None:
        """Tell the operator, and a conversation if it concerns one."""
        self._notify(owner, lambda sequence, at: EngineNotice(sequence, at, redact(text), severity, session_id))

    def trouble(self, what: str, error: BaseException | None = None) -> None:
        """Something inside jobdeck went wrong: into the log file, and told as a notice."""
        path = record_trouble(what, error)
        detail = f": {type(error).__name__}: {error}" if error is not None else ""
        self.notice(f"{what}{detail}" + (f" (see {path})" if path else ""), "error")

    def by_writer(self, what: str, error: BaseException | None) -> None:
        """From the writer's thread: something can't be saved, or is saved again."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            if error is not None:
                self._loop.call_soon_threadsafe(self.trouble, what, error)
            else:
                self._loop.call_soon_threadsafe(self.notice, what, "information")

    def by_file(self, what: str) -> None:
        """From any thread: a file of state can't be read."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.trouble, what)
