"""What this engine runs, as its checkpoint tells it: rewritten at each start, end and change of what is to be told."""

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING

from engine.ownership.checkpoint import NOBODY, Checkpoint, Entry
from engine.ownership.ledger import boot_id
from engine.process.identity import Identity, identify
from engine.redact import redact
from engine.registry.job import Job
from engine.store.files import storable
from engine.store.writer import Busy

if TYPE_CHECKING:
    from engine.registry.registry import Registry


class Checkpointing:
    """Our entries; the latest of them are on their way to the disk. On the engine's loop alone."""

    def __init__(self, registry: "Registry") -> None:
        self.file = Checkpoint(registry.home, registry.told_by_file)
        self.owner = identify(os.getpid()) or Identity(os.getpid(), 0)
        self.unsettled: frozenset[str] = frozenset()
        """Jobs that have ended and may still be in the file; for any thread."""
        self._gone: frozenset[str] = frozenset()
        """Of those, whose entries are to be taken out; the others' stay until there is a result."""
        self._registry = registry
        self._boot = boot_id()
        self._entries: dict[str, Entry] = {}
        self._there: frozenset[str] = frozenset()
        """The jobs of which the file had an entry of ours when it was written last; for any thread."""
        self._due: asyncio.Handle | None = None

    def put(self, job: Job) -> None:
        """This job runs, as it is now."""
        if job.identity is not None and not job.foreground:
            self.put_entry(self.entry(job))

    def put_entry(self, entry: Entry) -> None:
        """As `put`."""
        if self._entries.get(entry.session_id) != entry:
            self._entries[entry.session_id] = entry
            self.unsettled -= {entry.session_id}
            self._gone -= {entry.session_id}
            self._save_soon()

    def put_scope(self, entry: Entry) -> None:
        """This job has ended, and its scope couldn't be stopped: the next start shall try again."""
        import msgspec

        self.put_entry(msgspec.structs.replace(entry, scope_only=True))

    def changed(self, job: Job) -> None:
        """What is to be told of a job that runs may have changed."""
        if job.session_id in self._entries and job.end is None:
            self.put(job)

    def drop(self, session_id: str) -> None:
        """This one has ended, and its result is on the disk."""
        if self._entries.pop(session_id, None) is not None:
            self.unsettled |= {session_id}
            self._gone |= {session_id}
            self._save_soon()

    def ended(self, session_id: str) -> None:
        """This one has ended, and its result isn't on the disk yet: only the entry says that it ever was."""
        if session_id in self._entries:
            self.unsettled |= {session_id}

    def has(self, session_id: str) -> bool:
        """Does the file have this one's entry? It goes only after what is to be told of its end is on the disk."""
        return session_id in self._there

    def reclaim(self, session_id: str) -> None:
        """This job of ours was taken for a dead engine's: what the file says of it is ours to say, or nothing."""
        if session_id not in self._entries:
            self._gone |= {session_id}
        self._save_soon()

    def disclaim(self, session_id: str) -> None:
        """Another engine has this one: its entry is that one's."""
        self._entries.pop(session_id, None)

    def let_go(self) -> None:
        """We are about to end: what is left runs on, and is for the next engine to take over."""
        import msgspec

        for session_id, entry in self._entries.items():
            self._entries[session_id] = msgspec.structs.replace(entry, owner_pid=NOBODY, owner_started_at=0.0)
        if self._due is not None or self._entries:
            self._save()

    def _save_soon(self) -> None:
        if self._due is None:
            self._due = self._registry.loop.call_soon(self._save)

    def _save(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        undelivered, owned = self._registry.undelivered, self._registry.owned
        entries, gone = tuple(self._entries.values()), self._gone

        def write() -> None:
            undelivered.write()  # an end is out of the checkpoint only when its completion is told, or kept to be told
            rows_left = gone & owned.unsettled()
            self.file.put(entries, gone - rows_left)
            self._there = (rows_left & self._there).union(entry.session_id for entry in entries)
            if rows_left:  # the entry says what is known of the end; its row alone would have it told anew
                raise Busy("the ledger has rows of jobs that have ended")

        def written() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._registry.loop.call_soon_threadsafe(self._settled, gone)

        self._registry.writer.perform(self.file.path, write, written)

    def _settled(self, gone: frozenset[str]) -> None:
        self._gone -= gone
        self.unsettled -= gone
        self._registry.undelivered.settled(gone)

    def entry(self, job: Job) -> Entry:
        """What the file says of this job, which has a process."""
        spec, identity = job.spec, job.identity
        assert identity is not None
        return Entry(
            session_id=job.session_id,
            owner_pid=self.owner.pid,
            owner_started_at=self.owner.start_time,
            boot=self._boot,
            pid=identity.pid,
            host_start_time=identity.start_time,
            command=storable(job.command),
            name=storable(job.name),
            cwd=storable(job.cwd),
            started_at=job.started_at,
            owner_task_id=job.owner.owner,
            slot=job.slot,
            tags=tuple(storable(tag) for tag in spec.tags),
            group=storable(spec.group),
            goal_id=job.goal_id,
            goal_part=job.goal_part,
            batch_id=job.batch_id,
            replaces=job.replaces,
            env_names=tuple(storable(name) for name in spec.env),
            pty=spec.pty,
            cols=job.cols,
            rows=job.rows,
            stdin=spec.stdin,
            through_shell=job.through_shell,
            notify_on_complete=job.notify_on_complete,
            watch_patterns=tuple(storable(redact(text)) for text in job.watching.patterns(job.owner.owner)),
            heartbeat_seconds=job.watching.heartbeat_seconds,
            persist_on_release=job.persist_on_release,
            held=job.held,
            host=storable(spec.host),
            place=job.far.place if job.far is not None else None,
            scope=job.scope.unit if job.scope is not None else "",
        )
