"""Can state be kept in the home, and can engines be reached through it?"""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from engine.store.home import HomeError, home_folder
from engine.wire.address import run_folder, sockets
from tui.cli.checks.finding import Finding, bad

_LEAST_FREE_MB = 100
_OVER_A_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afs", "ceph", "glusterfs", "lustre")
_SHOWN = 3


def look() -> list[Finding]:
    """Makes nothing that it doesn't take away again."""
    try:
        home = home_folder()
        found = [_usable(home)]
        if not found[0].bad:
            found += [*_disk(home), *_set_aside(home), *_sockets()]
    except OSError as error:
        return [bad("Home", str(error), "set JOBDECK_HOME to a folder of yours on a local disk")]
    return found


def _usable(home: Path) -> Finding:
    if not os.path.lexists(home):
        above = next(folder for folder in home.parents if folder.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            return bad("Home", f"{home} can't be made", f"make {above} yours to write, or set JOBDECK_HOME elsewhere")
        return Finding("Home", f"{home}, made when first needed")
    about = home.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
        return bad("Home", f"{home} is a link, a file or somebody else's", "set JOBDECK_HOME to a folder of yours")
    probe = home / f".doctor.{os.getpid()}.tmp"
    try:
        descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, b"can it be kept?\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
            probe.unlink()
    except OSError as error:
        mend = (
            "free some of that disk, or make the folder yours to write; jobs run on meanwhile, results wait in memory"
        )
        return bad("Home", f"{home} can't be written: {error.strerror}", mend)
    mode = stat.S_IMODE(about.st_mode)
    if mode & 0o077:
        return Finding("Home", f"{home} is open to others (mode {mode:o})", f"chmod 700 {home}")
    return Finding("Home", str(home))


def _disk(home: Path) -> list[Finding]:
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    found = []
    free = shutil.disk_usage(there).free // 1_000_000
    if free < _LEAST_FREE_MB:
        found.append(
            Finding("Disk", f"{free} MB are free below {there}", "free some: results and logs of jobs go there")
        )
    kind = _kind(there)
    if kind in _OVER_A_NETWORK:
        mend = "set JOBDECK_HOME to a local folder: locks over a network are slow, or none"
        found.append(Finding("Disk", f"{there} is on {kind}", mend))
    return found


def _kind(folder: Path) -> str:
    """Its file system's type; empty where that can't be known."""
    best, kind = "", ""
    with suppress(OSError):
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _device, mount, what, *_rest = line.split(" ")
            mount = mount.replace("\\040", " ")
            if len(mount) >= len(best) and folder.is_relative_to(mount):
                best, kind = mount, what
    return kind


def _set_aside(home: Path) -> list[Finding]:
    files = sorted(home.glob("*.corrupt-*")) + sorted(home.glob("*/**/*.corrupt-*"))
    if not files:
        return []
    names = ", ".join(str(path.relative_to(home)) for path in files[:_SHOWN])
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    return [
        Finding("Files", f"set aside because they couldn't be read: {names}{more}", "look at them, then remove them")
    ]


def _sockets() -> list[Finding]:
    folder = run_folder()
    try:
        count = len(sockets())
    except HomeError as error:
        return [bad("Sockets", str(error), f"rm -r {folder}")]
    return [Finding("Sockets", f"{folder}; {count or 'no'} engine{'s' * (count != 1)}, 'jobdeck engines' lists them")]
