"""What an engine does for those that died before it: every job of theirs is accounted for, nobody stays stopped, and
the operator is told who is left (spec 3.5)."""

import asyncio
import contextlib

from engine.ownership.leftovers import resume_and_forget
from engine.process.aside import aside
from engine.registry.registry import Registry

_SLACK_SECONDS = 1.0
_LEASE = "recoverer"
"""One process of a home at a time takes over what dead ones left (spec 3.6)."""


async def see_to_the_dead(registry: Registry, *, recovers: bool) -> None:
    """Once, as the engine starts. ``recovers``: also take over the jobs and notices of dead engines."""
    if recovers and registry.home.exists():
        from engine.registry.orphans import claim, recover

        async with registry.leases.alone(_LEASE):
            if registry.closing.is_set():
                return
            claimed = await claim(registry)
            await asyncio.gather(recover(registry, claimed), resume_and_tell(registry))
            if claimed:
                with contextlib.suppress(OSError):  # the next engine does it
                    await aside("jobdeck-recover", lambda: resume_and_forget(registry.owned.ledger, _SLACK_SECONDS))
    else:
        await resume_and_tell(registry)


async def resume_and_tell(registry: Registry) -> None:
    """Let go on whom a dead engine left stopped; tell who still runs after its supervisor has had its time."""
    ledger, wait = registry.owned.ledger, registry.settings.ledger_wait_seconds
    if not ledger.exists:
        return
    try:
        if await aside("jobdeck-recover", lambda: resume_and_forget(ledger, wait)):
            await asyncio.sleep(supervisors_time(registry))
            left = await aside("jobdeck-recover", lambda: resume_and_forget(ledger, wait))
            if left:
                many = f"{left} processes" if left > 1 else "A process"
                registry.notice(
                    f"{many} of an earlier jobdeck still run{'s' * (left == 1)}: 'jobdeck doctor' shows them"
                )
    except OSError as error:
        registry.trouble("the ledger of started processes can't be read", error)


def supervisors_time(registry: Registry) -> float:
    """So many seconds after an engine's death its supervisor has ended what it could."""
    return registry.settings.supervisor_kill_seconds + _SLACK_SECONDS
