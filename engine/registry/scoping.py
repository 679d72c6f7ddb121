"""Jobs in scopes with a bound on their memory: who gets one, what is told of it, how it is let go (spec 3.7)."""

from typing import TYPE_CHECKING

from engine.config import Settings
from engine.process.doorway import ScopeError
from engine.process.lead import scope_unit
from engine.registry.job import Job
from engine.registry.registry import Registry

if TYPE_CHECKING:
    from engine.process.scope import Scope


async def offer(registry: Registry, job: Job) -> "Scope | None":
    """A scope for a job that is to be started; None where the engine isn't meant to, or there are none here.

    The setting alone decides: no variable that an engine inherits makes a host of it.
    """
    if not registry.settings.memory_scopes:
        return None
    if registry.scopes is None:
        from engine.process.scopes import Scopes

        registry.scopes = Scopes(registry.loop, registry.settings)
    return await registry.scopes.offer(job.session_id)


def found_scope(session_id: str, pid: int, settings: Settings) -> "Scope | None":
    """The scope in which an earlier engine has started this job, if it has, whether or not we are meant to."""
    from engine.process.cgroup import cgroup_of

    cgroup = cgroup_of(pid)
    if not cgroup.named(scope_unit(session_id)):
        return None
    from engine.process.scope import Scope

    return Scope.found(session_id, cgroup, settings)


def runs_unbounded(registry: Registry, job: Job, error: ScopeError) -> None:
    """The way into its scope has failed with nothing run: it runs without, as where there are none, and we say so."""
    if registry.scopes is not None:
        registry.scopes.doubt()
    registry.notice(f"{job.name} runs without a bound on its memory: {error}", session_id=job.session_id)


def tell_bound(registry: Registry, job: Job) -> None:
    """If processes of a job were killed by its bound, its owner and the operator are told at its end."""
    scope = job.scope
    if scope is None or not (kills := scope.oom_kills()):
        return
    bound = scope.bound
    many = f"{kills} of its processes were" if kills > 1 else "a process of it was"
    remedy = "raise memory_max" if bound.raisable else "it can't be raised, but memory_scopes = false does without"
    registry.notice(
        f"{job.name}: {many} killed by the memory bound of {bound} ({bound.why}); let it use less, or {remedy}",
        session_id=job.session_id,
        owner=job.owner.owner,
    )


def let_go(registry: Registry, job: Job) -> None:
    """Nobody is left of an ended job as far as we know: have systemd forget its scope, and end who is in it after a
    kill. Whom a job that ended by itself has left in there unseen is not ended.
    """
    scope = job.scope
    if scope is not None and (job.completion_reason == "killed" or not scope.members()):
        registry.background(registry.loop.create_task(_stop(registry, job, scope)))


async def _stop(registry: Registry, job: Job, scope: "Scope") -> None:
    if why := await scope.stop():
        if not job.foreground:
            registry.checkpoint.put_scope(registry.checkpoint.entry(job))
        registry.notice(
            f"{scope.unit} of {job.name} can't be stopped: {why}; jobdeck tries again at its next start",
            session_id=job.session_id,
        )
