"""The scopes of dead engines' jobs that are over: something may still live in them (spec 3.7)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.config import Settings
from engine.ownership.leftovers import is_kept
from engine.process.aside import aside
from engine.process.lead import slice_around
from engine.registry.registry import Registry

if TYPE_CHECKING:
    from engine.ownership.checkpoint import Entry


async def stop_leftover_scopes(registry: Registry, entries: "Sequence[Entry]") -> set[str]:
    """Have systemd end what is left in the scopes of these. Whose won't stop: the next start shall try again."""
    scoped = [entry for entry in entries if entry.scope]
    if not scoped:
        return set()
    settings = registry.settings
    found = await aside("jobdeck-scope", lambda: [(entry, _stop(entry.scope, settings)) for entry in scoped])
    stuck = {entry.session_id: (entry, why) for entry, why in found if why}
    for entry, why in stuck.values():
        registry.checkpoint.put_scope(entry)
        registry.notice(
            f"{entry.scope} of {entry.name} can't be stopped: {why}; jobdeck tries again at its next start",
            session_id=entry.session_id,
        )
    return {*stuck}


def _stop(unit: str, settings: Settings) -> str:
    """Why it can't be stopped. Who is meant to live on, and has its place in there, keeps it."""
    from engine.process.cgroup import cgroup_at
    from engine.process.systemd import any_systemd

    systemd = any_systemd()
    group = systemd.group_of(unit, settings)
    members = cgroup_at(group).members() if group else []
    if any(is_kept(pid, settings.escape_keep) for pid in members):
        return ""
    why = systemd.stop(slice_around(unit), settings)
    return why if members else ""
