"""Notices that nobody has taken yet, on the disk: they outlive the engine, and the next one hands them out (spec 2.2).

Each engine has a file of its own, ``notices/PID-START-BOOT-TOKEN.json``. A letter is in it from its sending on, until
its owner has taken it (over a socket: has said so). One that is taken in the moment in which the engine is killed may
be in it still: then it is handed out again, rather than lost.
"""

import json
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from threading import Lock

import msgspec

from engine.events import Completion, Notice, Recovered
from engine.notices.letter import Letter
from engine.ownership.ledger import boot_id
from engine.process.identity import Identity, identify, is_alive
from engine.store.files import FileTrouble, read_or_set_aside, write_whole
from engine.store.home import private_folder
from engine.store.writer import Writer

_NOBODY = "0-0-0"


class _Kept(msgspec.Struct, frozen=True):
    letter_id: str
    owner: str
    kept_at: float
    notice: Notice


class _File(msgspec.Struct, frozen=True):
    letters: tuple[_Kept, ...]
    told: tuple[str, ...] = ()


class Undelivered:
    """The letters of this engine that wait to be taken. Kept on its loop, released on any thread."""

    def __init__(self, home: Path, writer: Writer, report: FileTrouble) -> None:
        ourselves = identify(os.getpid()) or Identity(os.getpid(), 0)
        self._home = home
        self._folder = home / "notices"
        self._token = os.urandom(4).hex()
        self._path = self._folder / f"{ourselves.pid}-{ourselves.start_time:.0f}-{_boot()}-{self._token}.json"
        self._writer = writer
        self._report = report
        self._lock = Lock()
        self._letters: dict[str, Letter] = {}
        self._encoded: dict[str, str] = {}
        self._on_disk: frozenset[str] = frozenset()
        self._fetched: list[Path] = []
        self._over: list[Path] = []
        """Files of dead engines all of whose letters are kept here: they can go once ours is written."""
        self._told: set[str] = set()
        """Jobs whose end their owners know, though the checkpoint may still say that they run."""
        self.told_before: set[str] = set()
        """Likewise, by what dead engines have left: told, or on its way."""
        self.fates_before: set[str] = set()
        """Jobs of dead engines whose fate was told, and nobody has taken that: it is handed out once more."""
        self._fetched_told: set[str] = set()
        """Of ``told_before``, what was fetched since the checkpoint was last asked."""
        self._claimed_told: set[str] = set()
        """Of ``told_before``, whose entries were in the checkpoint, and may be still."""
        self.unsettled: Callable[[], Collection[str]] = tuple
        """Jobs that have ended, and of which the checkpoint may say that they run."""
        self._closing = False

    def keep(self, letter: Letter) -> None:
        """This one waits from now on to be taken."""
        with self._lock:
            if letter.taken:
                return
            self._letters[letter.letter_id] = letter
            letter.on_gone = self.release
        self._writer.perform(self._path, self.write)

    def release(self, letter: Letter) -> None:
        """It is taken, or will never be."""
        with self._lock:
            if self._letters.pop(letter.letter_id, None) is None or self._closing:
                return
            if isinstance(letter.notice, Completion) and self._may_be_in_checkpoint(letter.notice.session_id):
                self._told.add(letter.notice.session_id)
        self._writer.perform(self._path, self.write)

    def told(self, session_id: str) -> None:
        """Its owner knows how this job has ended: the next engine need not tell it."""
        with self._lock:
            if session_id not in self.unsettled() or session_id in self._told:
                return
            self._told.add(session_id)
        self._writer.perform(self._path, self.write)

    def _may_be_in_checkpoint(self, session_id: str) -> bool:
        return session_id in self.unsettled() or session_id in self._fetched_told or session_id in self._claimed_told

    def claimed(self, session_ids: Collection[str]) -> None:
        """Of the jobs of dead engines that were told before, the checkpoint has these and no more."""
        with self._lock:
            fetched, self._fetched_told = self._fetched_told, set()
            self._claimed_told |= fetched.intersection(session_ids)
            self._told -= fetched.difference(session_ids)
        if fetched:
            self._writer.perform(self._path, self.write)

    def settled(self, session_ids: Collection[str]) -> None:
        """The checkpoint says no more that these run."""
        with self._lock:
            self._claimed_told.difference_update(session_ids)
            if not self._told.intersection(session_ids):
                return
            self._told.difference_update(session_ids)
        self._writer.perform(self._path, self.write)

    def once_written(self, then: Callable[[], None]) -> None:
        """Call ``then`` once the disk has all that there is just now. On the writer's thread."""
        self._writer.perform(self._path, self.write, then)

    def completion_of(self, session_id: str) -> Letter | None:
        """The letter that tells this job's end and hasn't been taken, if there is one."""
        with self._lock:
            for letter in self._letters.values():
                if isinstance(letter.notice, Completion) and letter.notice.session_id == session_id:
                    return letter
        return None

    def write(self) -> bool:
        """Make the file what it should be; False: there was nothing to write. On the writer's thread.

        Raises:
            OSError: It can't be written.
        """
        with self._lock:
            letters = dict(self._letters)
            over, self._over = self._over, []
            told = tuple(self._told)
        wanted = frozenset((*letters, *told))
        wrote = wanted != self._on_disk and bool(wanted)
        try:
            if wanted != self._on_disk:
                self._write(letters, told, durable=not frozenset(letters) <= self._on_disk)
                self._on_disk = wanted
            for path in over:
                path.unlink(missing_ok=True)
        except BaseException:
            with self._lock:
                self._over += over
            raise
        return wrote

    def _write(self, letters: dict[str, Letter], told: tuple[str, ...], *, durable: bool) -> None:
        """What is only taken out need not be synced: if the machine dies, it is told once more."""
        self._encoded = {name: self._encoded.get(name) or _encode(letter) for name, letter in letters.items()}
        if not (letters or told):
            with suppress(FileNotFoundError):
                self._path.unlink()
            return
        private_folder(self._home)
        body = ",\n".join(self._encoded.values())
        data = f'{{"version": 1, "told": {json.dumps(told)}, "letters": [\n{body}]}}\n'.encode()
        write_whole(private_folder(self._folder) / self._path.name, data, durable=durable)

    def let_go(self) -> None:
        """The engine ends: what is left is for whichever comes next, though this process may live on."""
        with self._lock:
            self._closing = True
            if not (self._letters or self._told or self._on_disk):
                return

        def rename() -> None:
            self.write()
            if self._on_disk:
                self._path.rename(self._folder / f"{_NOBODY}-{self._token}.json")

        self._writer.perform(self._path, rename)

    def fetch(self) -> list[Letter]:
        """Take over what dead engines have left, oldest first; no other engine gets it then. Blocks: not for the loop.

        Raises:
            OSError: The folder can't be read.
        """
        found: dict[str, _Kept] = {}
        told: set[str] = set()
        try:
            paths = sorted(path for path in self._folder.iterdir() if path.suffix == ".json")
        except FileNotFoundError:
            return []
        with self._lock:
            if self._closing:  # what we have just let go of ourselves would be among them
                return []
        for path in paths:
            if path == self._path or not _is_left(path):
                continue
            ours = self._path.with_name(f"{self._path.stem}-{path.stem.rpartition('-')[2]}{len(found)}.json")
            try:
                path.rename(ours)  # one engine alone succeeds
                left = read_or_set_aside(ours, _decode, self._report)
            except FileNotFoundError:
                continue
            if left is not None:
                found.update((one.letter_id, one) for one in left.letters)
                told.update(left.told)
            with self._lock:
                self._fetched.append(ours)
        notices = [one.notice for one in found.values()]
        with self._lock:
            self._told |= told  # it must outlive us, too, as long as the checkpoint has it
            told.update(one.session_id for one in notices if isinstance(one, Completion))
            self._fetched_told |= told
        self.told_before |= told
        fates = [fate for one in notices if isinstance(one, Recovered) for fate in one.fates]
        self.fates_before.update(fate.session_id for fate in fates if fate.over)
        letters = [Letter(one.owner, one.notice, one.kept_at, one.letter_id) for one in found.values()]
        return sorted(letters, key=lambda letter: (letter.kept_at, letter.notice.sequence))

    def settle(self) -> None:
        """All that was fetched is kept: the old files can go."""
        with self._lock:
            self._over += self._fetched
            self._fetched = []
            needed = bool(self._over)
        if needed:
            self._writer.perform(self._path, self.write)


def _is_left(path: Path) -> bool:
    """Is the engine dead whose file this is?"""
    pid, start, boot, *_ = (*path.stem.split("-"), "", "")
    if not (pid.isdigit() and start.isdigit()):
        return False
    return int(pid) == 0 or boot != _boot() or not is_alive(Identity(int(pid), int(start)))


def _boot() -> str:
    """What is enough of the boot's id to tell it from others."""
    return boot_id().partition("-")[0] or "0"


def _encode(letter: Letter) -> str:
    kept = _Kept(letter.letter_id, letter.owner, letter.kept_at, letter.notice)
    return json.dumps(msgspec.to_builtins(kept))  # by ``json``: a command that isn't UTF-8 has no other text form


def _decode(data: bytes) -> _File:
    try:
        return msgspec.convert(json.loads(data), _File)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(str(error)) from error
