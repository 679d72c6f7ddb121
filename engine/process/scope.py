"""A job's own scope: the way into it, in front of the gate, and what can be done with it then (spec 3.7, 1.7).

``systemd-run --scope`` has systemd make the scope around its own process and then executes what it was given in it: the
process that was started stays the job, with its pid, its session, its group and its terminal. So it isn't the job's
command that goes through ``systemd-run``, but the gated launcher: by the time the gate can be opened it is known
whether the scope stands and the bound is in force. Where it isn't, nothing has run yet and the job is started without.

Around the scope stands a slice of its own. systemd takes a scope away in the moment in which the last in it dies, and
with it the kernel's count of who was killed by the bound; the slice stays until we have it stopped, and counts too.
"""

from collections.abc import Mapping
from functools import partial

from engine.config import Settings
from engine.process.aside import aside
from engine.process.cgroup import Cgroup, cgroup_of
from engine.process.doorway import ScopeError
from engine.process.lead import Lead, scope_unit, slice_around
from engine.process.memory_bound import MemoryBound
from engine.process.systemd import Systemd, any_systemd

_NOWHERE = Cgroup(None, None)
_SET_BY_SYSTEMD = "INVOCATION_ID"


class Scope:
    """The scope that one job is to run in, and runs in since `enter`."""

    def __init__(self, session_id: str, systemd: Systemd, bound: MemoryBound, settings: Settings) -> None:
        self.unit = scope_unit(session_id)
        self.slice = slice_around(self.unit)
        self.bound = bound
        self.stuck = ""
        """Why it couldn't be stopped; the next engine tries again."""
        self._description = f"jobdeck job {session_id}"
        self._systemd = systemd
        self._settings = settings
        self._cgroup = _NOWHERE

    @classmethod
    def found(cls, session_id: str, cgroup: Cgroup, settings: Settings) -> "Scope":
        """The scope that an earlier engine has started a job in."""
        bound = MemoryBound(cgroup.memory_max() or 0, "set when it was started", raisable=False)
        scope = cls(session_id, any_systemd(), bound, settings)
        scope._cgroup = cgroup
        return scope

    def lead_in(self, argv: tuple[str, ...], env: Mapping[str, str]) -> Lead:
        """What to start for a command to run in here. The environment is the job's, as far as ``systemd-run`` can do
        with that; what it can't, the command is given back by ``env`` in front of it.
        """
        lent = {**env, **self._systemd.bus}
        changed = [name for name in self._systemd.bus if env.get(name) != lent[name]]
        names = [*changed, _SET_BY_SYSTEMD]
        removed = [word for name in names if name not in env for word in ("-u", name)]
        back = ("env", *removed, *(f"{name}={env[name]}" for name in names if name in env))
        words = self._systemd.scope_words(self.unit, self.slice, self.bound.size, self._description, self._settings)
        return Lead((*back, *argv), lent, tuple(words))

    def enter(self, pid: int) -> None:
        """The launcher says it is in: look whether that is true.

        Raises:
            ScopeError: It is in no scope of that name, or the bound isn't in force there.
        """
        cgroup = cgroup_of(pid)
        if not cgroup.named(self.unit):
            raise ScopeError("systemd-run has run it, but in no scope of its own")
        size = cgroup.memory_max()
        if size is None or size > self.bound.size:
            raise ScopeError("its scope has no bound on memory")
        self._cgroup = cgroup

    def members(self) -> list[int]:
        """The pids of all that live in it, whatever they have done to their session, parentage and environment."""
        return self._cgroup.members()

    def kill(self) -> bool:
        """KILL to all that are in it, in one step; False where the kernel has no ``cgroup.kill``."""
        return self._cgroup.kill()

    def stands(self) -> bool:
        """Is it there (still)?"""
        return self._cgroup.stands()

    def oom_kills(self) -> int:
        """How many processes in it the bound has killed; known until `stop`."""
        around = self._cgroup.parent
        return max(self._cgroup.oom_kills(), around.oom_kills() if around.named(self.slice) else 0)

    async def stop(self) -> str:
        """Have systemd end what is left in it, and forget it; empty when it is gone, else why it isn't."""
        stop = partial(self._systemd.stop, self.slice, self._settings)
        why = await aside("jobdeck-scope", stop)
        self.stuck = why if self.stands() else ""
        return self.stuck
