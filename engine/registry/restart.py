"""Restart: the same command again, in the same slot, under a new id."""

import msgspec

from engine.config.slots import is_slot
from engine.registry.kill import kill
from engine.registry.recall import find_anywhere
from engine.registry.refusals import not_found, refused
from engine.registry.registry import Registry
from engine.registry.start import spawn
from engine.results import Killed, Refused, Started
from engine.spec import Caller


async def restart(registry: Registry, caller: Caller, session_id: str) -> Started | Refused:
    """End the job if it runs, with its grace, and start it again.

    Raises:
        StartError: It can't be started again; the old job is ended all the same.
    """
    if (keeper := registry.keeper(caller, session_id)) is not None:
        return await keeper.restart()
    job = await find_anywhere(registry, caller, session_id)
    if job is None:
        return not_found("restart", session_id)
    if job.keeper is None and is_slot(job.slot) and registry.keepers_begin is not None:
        await registry.keepers_begin.wait()  # who is to keep it starts it: else it might do so beside us
        return await restart(registry, caller, session_id)
    newer = [other for other in registry.jobs.values() if other.slot == job.slot and other.started_at > job.started_at]
    if newer:
        return refused("restart", f"{job.session_id} was restarted already, as {newer[-1].session_id}")
    if job.keeper is not None:
        return await job.keeper.restart()
    if job.only_once:
        return refused("restart", job.only_once)
    if job.restarting:
        return refused("restart", f"{job.session_id} is being restarted already")
    job.restarting = True
    try:
        ended = await kill(registry, caller, job.session_id)
        if isinstance(ended, Killed) and ended.status == "error":
            return refused("restart", f"the old run can't be ended: {ended.error}")
        spec = job.spec
        if job.cols and job.rows:
            spec = msgspec.structs.replace(spec, cols=job.cols, rows=job.rows)
        return await spawn(registry, job.owner, spec, slot=job.slot, replaces=job.session_id)
    finally:
        job.restarting = False
