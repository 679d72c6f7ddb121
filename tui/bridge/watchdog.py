"""The watchdog: notices a call that nobody answers. It sends no pings."""

import threading
import time
from collections.abc import Callable
from typing import Any

from engine import Call

OVERDUE_AFTER = 2.0
"""Seconds beyond a call's own patience after which it counts as unanswered."""


class Watchdog:
    """A thread that looks at the age of unanswered calls; it sleeps while there are none.

    ``on_overdue`` runs on the watchdog's thread, once a call.
    """

    def __init__(self, on_overdue: Callable[[Call[Any]], None]) -> None:
        self._on_overdue = on_overdue
        self._due: dict[Call[Any], float] = {}
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="jobdeck-watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def watch(self, call: Call[Any]) -> None:
        """Watch a call until `answered` is told of it."""
        with self._changed:
            first = not self._due
            self._due[call] = call.made_at + call.patience + OVERDUE_AFTER
            if first:
                self._changed.notify()

    def answered(self, call: Call[Any]) -> None:
        """The call has its answer. From any thread."""
        with self._changed:
            self._due.pop(call, None)

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._stopped:
                    return
                now = time.monotonic()
                overdue = [call for call, due in self._due.items() if due <= now]
                for call in overdue:
                    del self._due[call]
                if not overdue:
                    # Nothing outstanding: sleep without a limit. New calls are due OVERDUE_AFTER from now at
                    # the earliest, so only the first one has to wake us.
                    nearest = min(self._due.values(), default=None)
                    self._changed.wait(None if nearest is None else min(nearest - now, OVERDUE_AFTER))
            for call in overdue:
                self._on_overdue(call)
