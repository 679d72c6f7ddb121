"""Files whose change restarts a job: one thread watches those of all jobs, by watchfiles."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.services.globs import compile_glob, root_of

_DEBOUNCE_MS = 400
"""What changes within this time of each other is told once."""
_STEP_MS = 100
_IDLE_MS = 1_000


class Changes:
    """Calls ``changed`` on the loop with a job's name and the file, for each job once however many files changed.

    Version control, caches and editors' swap files count as nothing, as watchfiles has it.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        folder: Path,
        patterns: Mapping[str, tuple[str, ...]],
        changed: Callable[[str, str], object],
        failed: Callable[[str, BaseException], object],
    ) -> None:
        self._loop = loop
        self._changed = changed
        self._failed = failed
        self._wanted = {name: [compile_glob(one, folder) for one in ones] for name, ones in patterns.items()}
        roots = {one: root_of(one, folder) for ones in patterns.values() for one in ones}
        self._roots = sorted({root for root in roots.values() if root is not None})
        self.nowhere = tuple(one for one, root in roots.items() if root is None)
        """Patterns of folders that aren't there: they aren't watched."""
        self._stop = threading.Event()
        self.watching = threading.Event()
        """It has begun: what changes from now on is told."""
        threading.Thread(target=self._run, name="jobdeck-watchfiles", daemon=True).start()

    def close(self) -> None:
        """Watch no longer. Its thread ends within a moment; nobody waits for it."""
        self._stop.set()

    def _run(self) -> None:
        try:
            self._watch()
        except Exception as error:  # noqa: BLE001  the jobs run on all the same
            self._post(self._failed, "files aren't watched any more: nothing restarts on their change", error)

    def _watch(self) -> None:
        import watchfiles

        if not self._roots:
            return
        for changes in watchfiles.watch(
            *self._roots,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_IDLE_MS,
            stop_event=self._stop,
            yield_on_timeout=True,
            raise_interrupt=False,
        ):
            self.watching.set()
            paths = sorted(path for _change, path in changes)
            for name, wanted in self._wanted.items():
                hit = next((path for path in paths if any(one.match(path) for one in wanted)), None)
                if hit is not None:
                    self._post(self._changed, name, hit)

    def _post(self, do: Callable[..., object], *args: object) -> None:
        if not self._stop.is_set():
            with contextlib.suppress(RuntimeError):  # the engine has ended
                self._loop.call_soon_threadsafe(do, *args)
