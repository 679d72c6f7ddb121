"""Whether processes can decide who hosts a goal, and what is held by whom (``jobdeck doctor``)."""

import time

from engine.config import Settings
from engine.ownership.claimant import claimant, is_dead, ourselves
from engine.process.identity import state
from engine.store.home import home_folder
from engine.store.leases import Lease, Leases
from engine.store.state_db import StateDb, StateDbTrouble
from tui.show.cleaning import clean_line
from tui.show.waits import when

_WORD_CHARS = 200


def describe(settings: Settings) -> tuple[str, bool]:
    """Tries it out, a second at most; in words, a line a lease, and whether it works."""
    told: list[str] = []
    database = StateDb(home_folder() / "state.db", told.append)
    leases = Leases(database, str(ourselves()), ttl=settings.lease_ttl_seconds, is_dead=is_dead)
    try:
        if not database.exists:
            return "Leases: none; no goal was ever begun in this home.", True
        database.probe()
        held = leases.every()
    except StateDbTrouble as error:
        return f"Leases: {clean_line(str(error), 4 * _WORD_CHARS)}. No turn of a goal runs until it can.", False
    finally:
        database.close()
    now = time.time()
    first = f"Leases: {database.path} works; {len(held) or 'nothing'} held."
    return "\n".join(
        [*(f"Leases: {clean_line(text)}" for text in told), first, *(_line(one, now) for one in held)]
    ), True


def _line(lease: Lease, now: float) -> str:
    holder = claimant(lease.holder)
    who = holder.words if holder is not None else lease.holder
    until = when(lease.expires_at, now)
    if holder is not None and holder.dead:
        how = "which is gone: it is free"
    elif lease.expires_at <= now:
        how = f"expired at {until}: whoever wants may take it"
    else:
        stopped = holder is not None and holder.local and state(holder.identity) == "T"
        how = f"until {until}" + (", and that is stopped ('kill -CONT' lets it go on)" if stopped else "")
    return f"Lease of {clean_line(lease.key, _WORD_CHARS)}: {clean_line(who, _WORD_CHARS)}, {how}."
