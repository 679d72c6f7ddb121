"""Control groups: where a process stands in them, what bounds its memory there, who is in with it (Linux).

Both kinds: v2, one tree for all; v1, of which only the memory tree is looked at. On a machine with both a process is in
both: members and ``cgroup.kill`` are v2's then, memory is v1's.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_OCTAL = re.compile(r"\\([0-7]{3})")


class Cgroup(NamedTuple):
    """The folders in which the kernel shows one group; None where there is no such tree, or it can't be seen."""

    unified: Path | None
    memory: Path | None
    """Its place in v1's memory tree."""

    @property
    def _folder(self) -> Path | None:
        return self.unified or self.memory

    @property
    def parent(self) -> "Cgroup":
        """The group around it."""
        return Cgroup(self.unified and self.unified.parent, self.memory and self.memory.parent)

    def stands(self) -> bool:
        """Is it there (still)?"""
        return self._folder is not None and self._folder.is_dir()

    def named(self, name: str) -> bool:
        """Is it called so, or below a group that is?"""
        return self._folder is not None and name in self._folder.parts

    def members(self) -> list[int]:
        """The pids in it and in the groups below it; empty when it is gone. Zombies aren't listed."""
        found: list[int] = []
        for folder, _, _ in os.walk(self._folder) if self._folder is not None else ():
            found += map(int, _text(Path(folder, "cgroup.procs")).split())
        return [pid for pid in found if pid > 0]  # 0: in a pid namespace that we don't see

    def kill(self) -> bool:
        """KILL to everybody in it and below, in one step of the kernel's; False where it can't (before Linux 5.14)."""
        if self.unified is None:
            return False
        try:
            descriptor = os.open(self.unified / "cgroup.kill", os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return os.write(descriptor, b"1") == 1
        except OSError:
            return False
        finally:
            os.close(descriptor)

    def memory_max(self) -> int | None:
        """The bound that is set on this very group, in bytes; None when there is none."""
        limits = [_limit(path) for path in self._limit_files()]
        return min((limit for limit in limits if limit is not None), default=None)

    def least_memory_max(self) -> int | None:
        """The least bound on this group and all above it that are seen from here, in bytes."""
        limits = [_limit(above / path.name) for path in self._limit_files() for above in path.parents]
        return min((limit for limit in limits if limit is not None), default=None)

    def oom_kills(self) -> int:
        """How many the kernel has killed in it, and on v2 below it, for want of memory; 0 when it is gone."""
        events = _text(self.unified / "memory.events") if self.unified is not None else ""
        if not events and self.memory is not None:
            events = _text(self.memory / "memory.oom_control")
        counts = [line.split(" ", 1) for line in events.splitlines()]
        return sum(int(value) for name, value in counts if name == "oom_kill")

    def _limit_files(self) -> Iterator[Path]:
        if self.unified is not None:
            yield self.unified / "memory.max"
        if self.memory is not None:
            yield self.memory / "memory.limit_in_bytes"


def cgroup_of(pid: int) -> Cgroup:
    """Where a process is, in the trees that are mounted here; both None without any, or when it is gone."""
    unified = memory = None
    mounts = _mounts()
    for line in _text(Path(f"/proc/{pid}/cgroup")).splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            unified = _seen_at(mounts.get("cgroup2"), path)
        elif "memory" in controllers.split(","):
            memory = _seen_at(mounts.get("memory"), path)
    return Cgroup(unified, memory)


def cgroup_at(path: str) -> Cgroup:
    """The group of that path in v2's tree."""
    return Cgroup(_seen_at(_mounts().get("cgroup2"), path), None)


def _mounts() -> dict[str, tuple[str, str]]:
    """The root shown and the folder of v2's tree (``cgroup2``) and of v1's memory tree (``memory``)."""
    found: dict[str, tuple[str, str]] = {}
    for line in _text(Path("/proc/self/mountinfo")).splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, folder = (_OCTAL.sub(lambda code: chr(int(code[1], 8)), word) for word in before.split(" ")[3:5])
        if kind == "cgroup2":
            found.setdefault("cgroup2", (root, folder))
        elif kind == "cgroup" and "memory" in options.split(","):
            found.setdefault("memory", (root, folder))
    return found


def _seen_at(mount: tuple[str, str] | None, path: str) -> Path | None:
    if mount is None:
        return None
    root, folder = mount
    try:
        below = Path(path).relative_to(root)
    except ValueError:
        return None  # a container shows another part of the tree than the one it is in
    return None if ".." in below.parts else Path(folder, below)


def _limit(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
