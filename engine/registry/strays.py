"""Processes that a finished job left behind: named until they end; their group stays registered until then."""

import os

from engine.process.identity import LINUX, identify
from engine.process.table import Row
from engine.registry.job import Job
from engine.registry.registry import Registry


def watch_strays(registry: Registry, job: Job, strays: list[Row]) -> None:
    """Let the supervisor go of the job's group once it is empty; take who has ended out of ``job.escaped``.

    By a pidfd each, so that nothing polls. Where there is none, or no descriptor is left, the group stays registered.
    """
    if job.identity is None:
        return
    group = job.identity.pid
    remaining: set[int] = set()

    def forget(row: Row, descriptor: int) -> None:
        registry.loop.remove_reader(descriptor)
        registry.stray_descriptors.discard(descriptor)
        os.close(descriptor)
        remaining.discard(row.pid)
        job.escaped = tuple(process for process in job.escaped if process.pid != row.pid)
        registry.changed(job, at_once=True)
        if not remaining:
            registry.supervisor.unregister(group)

    for row in strays:
        if not LINUX:
            return
        try:
            descriptor = os.pidfd_open(row.pid)
        except ProcessLookupError:
            continue
        except OSError as error:
            registry.trouble("a process that a job left behind can't be watched", error)
            return
        if identify(row.pid) != row.identity:
            os.close(descriptor)
            continue
        remaining.add(row.pid)
        registry.stray_descriptors.add(descriptor)
        registry.loop.add_reader(descriptor, forget, row, descriptor)
    if not remaining:
        registry.supervisor.unregister(group)
