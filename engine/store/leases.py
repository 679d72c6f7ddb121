"""Leases: who may do what only one process may, for a while (spec 3.6). On the writer thread alone."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from engine.store.state_db import StateDb

if TYPE_CHECKING:
    import sqlite3

_COLUMNS = "key, holder, acquired_at, expires_at"


class LeaseLost(Exception):
    """It isn't ours. What it was held for must not be written."""

    def __init__(self, key: str, holder: str) -> None:
        super().__init__(f"{key} is {holder}'s" if holder else f"{key} is held by nobody any more")
        self.holder = holder
        """Whose it is; empty: nobody's."""


class Lease(NamedTuple):
    """One row of ``turn_leases``; times by the clock on the wall."""

    key: str
    holder: str
    acquired_at: float
    expires_at: float


class Leases:
    """Leases by key, held by ``holder``. Each verb is one write transaction, so that it compares and swaps.

    Every method raises `StateDbTrouble` when the database can't be used: then nobody has what it asked for.
    """

    def __init__(
        self,
        database: StateDb,
        holder: str,
        *,
        ttl: float,
        is_dead: Callable[[str], bool],
        wall: Callable[[], float] = time.time,
    ) -> None:
        """``ttl``: seconds a lease lasts unless it is refreshed. ``is_dead``: is that holder's process gone for good?
        False where that can't be told."""
        self.holder = holder
        self._database = database
        self._ttl = ttl
        self._is_dead = is_dead
        self._wall = wall

    def try_acquire(self, key: str) -> Lease | None:
        """Take it if it is free, expired, ours already, or its holder is dead; None if it is another's."""
        with self._database.transaction() as connection:
            now = self._wall()
            found = _row(connection, key)
            if found is not None and found.holder != self.holder and not self._free(found, now):
                return None
            began = found.acquired_at if found is not None and found.holder == self.holder else now
            lease = Lease(key, self.holder, began, now + self._ttl)
            connection.execute(f"INSERT OR REPLACE INTO turn_leases ({_COLUMNS}) VALUES (?, ?, ?, ?)", lease)
            return lease

    def refresh(self, key: str) -> Lease:
        """Hold it for another while; also one that has expired, if nobody has taken it.

        Raises:
            LeaseLost: We don't hold it.
        """
        with self.held(key) as lease:
            return lease

    @contextmanager
    def held(self, key: str) -> Iterator[Lease]:
        """It is refreshed, and until the block ends nobody can take it: to write what only its holder may.

        Raises:
            LeaseLost: We don't hold it.
        """
        with self._database.transaction() as connection:
            lease = self._ours(connection, key)._replace(expires_at=self._wall() + self._ttl)
            connection.execute("UPDATE turn_leases SET expires_at = ? WHERE key = ?", (lease.expires_at, key))
            yield lease

    def release(self, key: str) -> None:
        """Let others have it.

        Raises:
            LeaseLost: We don't hold it.
        """
        with self._database.transaction() as connection:
            self._ours(connection, key)
            connection.execute("DELETE FROM turn_leases WHERE key = ?", (key,))

    def release_all_but(self, keys: frozenset[str]) -> None:
        """Let others have all that we hold, but these."""
        if not self._database.exists:
            return
        with self._database.transaction() as connection:
            held = connection.execute("SELECT key FROM turn_leases WHERE holder = ?", (self.holder,)).fetchall()
            for (key,) in held:
                if key not in keys:
                    connection.execute("DELETE FROM turn_leases WHERE key = ?", (key,))

    def get_holder(self, key: str) -> Lease | None:
        """Who holds it, also when it has expired; None: nobody does."""
        if not self._database.exists:
            return None
        with self._database.transaction() as connection:
            return _row(connection, key)

    def every(self) -> list[Lease]:
        """All that is held, also what has expired, by key."""
        if not self._database.exists:
            return []
        with self._database.transaction() as connection:
            return [Lease(*row) for row in connection.execute(f"SELECT {_COLUMNS} FROM turn_leases ORDER BY key")]

    def close(self) -> None:
        """Let go of the database; what is held stays held until it expires or this process ends."""
        self._database.close()

    def _free(self, lease: Lease, now: float) -> bool:
        return lease.expires_at <= now or self._is_dead(lease.holder)

    def _ours(self, connection: "sqlite3.Connection", key: str) -> Lease:
        found = _row(connection, key)
        if found is None or found.holder != self.holder:
            raise LeaseLost(key, found.holder if found is not None else "")
        return found


def _row(connection: "sqlite3.Connection", key: str) -> Lease | None:
    found = connection.execute(f"SELECT {_COLUMNS} FROM turn_leases WHERE key = ?", (key,)).fetchone()
    return Lease(*found) if found is not None else None
