"""The folder of a batch's live transcripts: made at its dispatch, with a manifest, pruned after a week (spec 4.6)."""

import asyncio
import contextlib
import shlex
import shutil
import time
from collections.abc import Collection
from pathlib import Path

import msgspec

from engine.agents.transcript import USER, Transcript, append, event_line, said
from engine.delegation import BatchView, Transcripts
from engine.registry.registry import Registry
from engine.store.files import storable
from engine.store.home import private_folder

_BEGIN_SECONDS = 2.0
"""What a dispatch waits for the disk: then it goes on without files that are there at once."""


def live_folder(home: Path) -> Path:
    """Where the transcripts of a home's batches are."""
    return home / "cache" / "delegation" / "live"


class BatchTranscripts:
    """One batch's. A disk that fails costs the transcripts and one notice, never the work."""

    def __init__(self, registry: Registry, batch_id: str, tasks: int) -> None:
        self._registry = registry
        self._batch_id = batch_id
        self.folder = live_folder(registry.home) / batch_id
        self._told = False
        self.of = tuple(
            Transcript(registry, self.folder / f"task-{number}.log", self._trouble) for number in range(1, tasks + 1)
        )
        """Each task's, in order."""

    @property
    def told(self) -> Transcripts:
        """As replies and completions carry it."""
        paths = tuple(str(one.path) for one in self.of)
        follow = f"tail -f {shlex.quote(str(self.folder))}/task-*.log"
        return Transcripts(folder=str(self.folder), paths=paths, follow=follow)

    def inbox(self, number: int) -> Path:
        """Where messages wait for a child that reads them from a file."""
        return self.folder / f"task-{number}.inbox"

    async def begin(self, goals: Collection[str], running: Collection[str]) -> None:
        """Make the files, each with what its agent was asked, so that ``tail -f`` attaches at once; remove what is
        past its time, but nothing of a batch that runs."""
        heads = [event_line(USER, said(goal), time.time()) for goal in goals]
        days = self._registry.settings.transcript_days

        def make() -> None:
            with contextlib.suppress(OSError):
                prune(self.folder.parent, days, {self._batch_id, *running})
            for folder in (self.folder.parent.parent.parent, self.folder.parent.parent, self.folder.parent):
                private_folder(folder)
            private_folder(self.folder)
            for one, head in zip(self.of, heads, strict=True):
                append(one.path, head)

        try:
            await asyncio.wait_for(asyncio.wrap_future(self._registry.writer.run(make)), _BEGIN_SECONDS)
        except (OSError, TimeoutError) as error:
            self._trouble(error if isinstance(error, OSError) else OSError("the disk gave no answer"))

    def keep_manifest(self, batch: BatchView) -> None:
        """Write down how the batch stands."""
        transcripts = batch.live_transcripts
        paths = transcripts.paths if transcripts is not None else ()
        manifest = {
            "batch_id": batch.batch_id,
            "name": batch.name,
            "status": batch.status,
            "started_at": batch.started_at,
            "ended_at": batch.ended_at,
            "tasks": [
                {**msgspec.to_builtins(handle), "transcript": path}
                for handle, path in zip(batch.handles, paths, strict=True)
            ],
        }
        data = storable(msgspec.json.format(msgspec.json.encode(manifest).decode())) + "\n"
        self._registry.writer.save(self.folder / "manifest.json", data.encode())

    async def end(self) -> None:
        """Until all last lines are written, so long as the disk answers."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BEGIN_SECONDS):
                for one in self.of:
                    await one.closed.wait()

    def _trouble(self, error: OSError) -> None:
        if not self._told:
            self._told = True
            why = error.strerror or str(error)
            self._registry.notice(f"the transcripts of {self._batch_id} can't be written ({why}); its work goes on")


def prune(live: Path, days: float, spared: Collection[str]) -> None:
    """Remove the transcripts of batches of which nothing was written for so long.

    Raises:
        OSError: The folder can't be read.
    """
    oldest = time.time() - days * 86_400
    for folder in live.iterdir() if live.is_dir() else ():
        if folder.name in spared or folder.is_symlink() or not folder.is_dir():
            continue
        newest = max((one.lstat().st_mtime for one in folder.iterdir()), default=folder.lstat().st_mtime)
        if newest < oldest:
            shutil.rmtree(folder, ignore_errors=True)
