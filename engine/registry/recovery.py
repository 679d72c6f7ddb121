"""What an engine does for those that died before it: nobody stays stopped, and the operator is told who is left."""

import asyncio

from engine.ownership.leftovers import resume_and_forget
from engine.process.aside import aside
from engine.registry.adopting import readopt_all
from engine.registry.registry import Registry

_SLACK_SECONDS = 1.0


async def resume_and_tell(registry: Registry) -> None:
    """Take over what runs under holders, let go on whom a dead engine left stopped, and tell who still runs after its
    supervisor has had its time."""
    await readopt_all(registry)
    ledger, wait = registry.owned.ledger, registry.settings.ledger_wait_seconds
    if not ledger.exists:
        return
    try:
        if await aside("jobdeck-recover", lambda: resume_and_forget(ledger, wait)):
            await asyncio.sleep(registry.settings.supervisor_kill_seconds + _SLACK_SECONDS)
            left = await aside("jobdeck-recover", lambda: resume_and_forget(ledger, wait))
            if left:
                many = f"{left} processes" if left > 1 else "A process"
                registry.notice(
                    f"{many} of an earlier jobdeck still run{'s' * (left == 1)}: 'jobdeck doctor' shows them"
                )
    except OSError as error:
        registry.trouble("the ledger of started processes can't be read", error)
