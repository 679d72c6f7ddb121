"""``state.db``: what several processes decide together, each decision one transaction (spec 3.6).

SQLite is loaded with the first: `jobdeck run` needs none of it. All of it may block: on the writer thread alone.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine.store.files import aside_name, sync_folder
from engine.store.home import private_folder
from engine.store.lock import FileLock
from engine.store.writer import Withheld

if TYPE_CHECKING:
    import sqlite3

_BUSY_SECONDS = 1.0
"""What is waited for another process's transaction; files of state wait as long."""
_AGAIN_SECONDS = 0.01
_SCHEMA = """CREATE TABLE IF NOT EXISTS turn_leases (
    key TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL)"""
_BUSY, _LOCKED, _CORRUPT, _FULL, _NOT_A_DATABASE = 5, 6, 11, 13, 26


class StateDbTrouble(Withheld):
    """``state.db`` can't be used; the text says why, and what to do."""


class StateDb:
    """The database of one home. One that is damaged is moved aside and made anew; ``report`` is told."""

    def __init__(self, path: Path, report: Callable[[str], object]) -> None:
        self.path = path
        self._report = report
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)

    @property
    def exists(self) -> bool:
        """Has anything ever been decided in this home?"""
        return self.path.exists()

    @contextmanager
    def transaction(self) -> Iterator["sqlite3.Connection"]:
        """One write transaction: nobody else decides anything until the block ends; undone if it raises.

        Raises:
            StateDbTrouble: It can't be used.
        """
        import sqlite3

        try:
            connection = self._begin()
            try:
                yield connection
                if self._replaced():  # under a transaction that began before: what was decided here counts for nobody
                    raise StateDbTrouble(f"{self.path} was replaced just now; it is tried again")
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._trouble(error) from error

    def probe(self) -> None:
        """Write, and leave nothing behind.

        Raises:
            StateDbTrouble: It can't be used.
        """
        with self.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO turn_leases VALUES ('probe', '', 0, 0)")
            connection.execute("DELETE FROM turn_leases WHERE key = 'probe'")

    def close(self) -> None:
        """Let go of it. Safe to call twice."""
        connection, self._connection = self._connection, None
        if connection is not None:
            import sqlite3

            with suppress(sqlite3.Error):
                connection.close()

    def _begin(self) -> "sqlite3.Connection":
        import sqlite3

        if self._connection is not None and self._replaced():
            self.close()
        for last in (False, True):
            try:
                connection = self._connection or self._open()
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.DatabaseError as error:
                self.close()
                if last or not _is_damage(error):
                    raise
                self._move_aside(error)
            else:
                return connection
        raise AssertionError("the last try either returns or raises")

    def _open(self) -> "sqlite3.Connection":
        import sqlite3

        try:
            private_folder(self.path.parent)
            # Made by us, as SQLite would make it readable to others; its -wal and -shm take its mode. Made empty, as
            # with an empty one SQLite drops a log that an earlier one has left. One that is there isn't opened but by
            # SQLite: to close it would let go of locks that this process has on it.
            with suppress(FileExistsError):
                flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                os.close(os.open(self.path, flags, 0o600))
            about = os.stat(self.path, follow_symlinks=False)
        except OSError as error:
            raise StateDbTrouble(_words(self.path, error.strerror or str(error), _WRITABLE)) from error
        if not stat.S_ISREG(about.st_mode):
            raise StateDbTrouble(_words(self.path, "it is a link, a folder or a device", _WRITABLE))
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            _fill(connection)
            # Not synced at each commit: a lease ends with the machine, as its holder does.
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        self._connection, self._file = connection, (about.st_dev, about.st_ino)
        return connection

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process moves it aside.

        Raises:
            StateDbTrouble: One does, and takes its time.
        """
        lock = FileLock(self.path.with_name(f"{self.path.name}.lock"))
        try:
            if not lock.acquire(_BUSY_SECONDS):
                raise StateDbTrouble(_words(self.path, "it is damaged, and another process is just moving it aside"))
            try:
                yield
            finally:
                lock.release()
        except StateDbTrouble:
            raise
        except OSError as error:
            raise StateDbTrouble(_words(self.path, error.strerror or str(error), _WRITABLE)) from error

    def _replaced(self) -> bool:
        """Is another file at its place now: moved aside by another process, or removed?"""
        try:
            about = os.stat(self.path)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return (about.st_dev, about.st_ino) != self._file

    def _move_aside(self, error: "sqlite3.DatabaseError") -> None:
        """Keep what SQLite says is damaged under another name; never what another has made anew meanwhile."""
        with self._alone():
            if not self._damaged():
                return
            aside = aside_name(self.path)
            # Its log first, and kept beside it for who wants to look: whoever makes a new one does so once the old one
            # isn't at its place, and nothing of the new one may be moved.
            with suppress(FileNotFoundError):
                self.path.with_name(f"{self.path.name}-wal").rename(aside.with_name(f"{aside.name}-wal"))
            self.path.with_name(f"{self.path.name}-shm").unlink(missing_ok=True)
            self.path.rename(aside)
            sync_folder(self.path.parent)
        self._report(f"{self.path} was damaged ({error}); it is kept as {aside.name}, and made anew")

    def _damaged(self) -> bool:
        import sqlite3

        try:
            connection = sqlite3.connect(f"{self.path.as_uri()}?mode=rw", uri=True, timeout=_BUSY_SECONDS)
        except sqlite3.Error:
            return False
        try:
            _has_table(connection)
        except sqlite3.DatabaseError as error:
            return _is_damage(error)
        finally:
            connection.close()
        return False

    def _trouble(self, error: "sqlite3.Error") -> StateDbTrouble:
        code = _code(error)
        if code in (_BUSY, _LOCKED):
            advice = f"another program keeps it locked; 'fuser -v {self.path}' names it"
            return StateDbTrouble(_words(self.path, advice))
        if code == _FULL:
            return StateDbTrouble(_words(self.path, "the disk is full; free some space"))
        return StateDbTrouble(_words(self.path, str(error), _WRITABLE))


_WRITABLE = "see that it is yours, its folder writable and its disk not full"


def _words(path: Path, why: str, advice: str = "") -> str:
    return f"{path} can't be used: {why}" + (f"; {advice}" if advice else "")


def _code(error: "sqlite3.Error") -> int:
    """SQLite's primary result code."""
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def _is_damage(error: "sqlite3.Error") -> bool:
    return _code(error) in (_CORRUPT, _NOT_A_DATABASE)


def _fill(connection: "sqlite3.Connection") -> None:
    """Make our table where it isn't yet. Several may at once: SQLite doesn't wait where two turn a file to WAL."""
    import sqlite3

    ends = time.monotonic() + _BUSY_SECONDS
    while not _has_table(connection):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(_SCHEMA)
        except sqlite3.OperationalError as error:
            if _code(error) != _BUSY or time.monotonic() >= ends:
                raise
            time.sleep(_AGAIN_SECONDS)


def _has_table(connection: "sqlite3.Connection") -> bool:
    """Is our table there? Looks first whether the whole is sound.

    Raises:
        sqlite3.DatabaseError: It isn't.
    """
    import sqlite3

    told = connection.execute("PRAGMA quick_check(1)").fetchone()
    if told is None or told[0] != "ok":
        damage = sqlite3.DatabaseError(" ".join(str(told[0]).split()) if told else "it can't be checked")
        damage.sqlite_errorcode = _CORRUPT
        raise damage
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'turn_leases'")
    return found.fetchone() is not None
