"""The user's systemd, as far as scopes go: is it there, what is it called with, does it bound memory (spec 3.7).

Everything here that runs a program blocks: not for a loop.
"""

import os
import re
import secrets
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from typing import IO

import msgspec

from engine.config import Settings
from engine.process.cgroup import cgroup_of
from engine.process.identity import LINUX

_BUS_VARIABLES = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
_LITERALS = ("$HOME", "${HOME}", "%i", "%%", "$$")
"""What systemd might put something else for: a command has to arrive as it was written."""
_EXPECTED = "".join(f"{word}\n" for word in _LITERALS).encode()
_PROBE_SLICE = "jobdeck.slice"
_MOST_BYTES = 4096
_SINCE_EXPANSION = 254
"""``--expand-environment`` is known since then. Older versions never expand what ``--scope`` runs."""
_OOM_POLICY = "OOMPolicy"
"""Known since 252 or 253: else systemd stops a scope whole as soon as one process in it was killed by its bound."""


class Systemd(msgspec.Struct, frozen=True):
    """A user manager that can bound memory, and how it is asked for that."""

    run: str
    """Path of ``systemd-run``."""
    control: str
    """Path of ``systemctl``."""
    version: int
    bus: dict[str, str]
    """The variables by which both find the manager; a job may have others."""
    oom_policy: bool = True
    """Can it leave the rest of a scope alone when one process in it was killed by the bound?"""

    def scope_words(self, unit: str, around: str, size: int, description: str, settings: Settings) -> list[str]:
        """What stands in front of a command that is to run in a scope of its own, bounded to ``size`` bytes.

        ``around`` is the slice it is in. Without a description the unit would have the command line for one, secrets
        and all, and so would the journal.
        """
        words = [self.run, "--user", "--scope", "--collect", "--quiet", "--no-ask-password"]
        if self.version >= _SINCE_EXPANSION:
            words.append("--expand-environment=no")
        properties = ["MemoryAccounting=yes", f"MemoryMax={size}", "MemorySwapMax=0"]
        properties.append(f"TimeoutStopSec={settings.scope_stop_seconds:g}")
        if self.oom_policy:
            properties.append(f"{_OOM_POLICY}=continue")
        words += [f"--property={one}" for one in properties]
        return [*words, f"--slice={around}", f"--unit={unit}", f"--description={description}", "--"]

    def environment(self) -> dict[str, str]:
        """The environment for a ``systemctl`` of ours."""
        return {**os.environ, **self.bus}

    def stop(self, unit: str, settings: Settings) -> str:
        """Stop a unit; empty when it is stopped or has been gone already, else why it isn't."""
        most = settings.scope_stop_seconds * 2 + settings.scope_seconds
        code, _, error = _run([self.control, "--user", "--no-ask-password", "stop", unit], self.environment(), most)
        return "" if code in (0, _NOT_LOADED) else error

    def group_of(self, unit: str, settings: Settings) -> str:
        """The cgroup of a unit as systemd names it (``/user.slice/…``); empty when it isn't there."""
        words = [self.control, "--user", "--no-ask-password", "show", "--property=ControlGroup", "--value", unit]
        return _run(words, self.environment(), settings.scope_seconds)[1]


_NOT_LOADED = 5
"""What ``systemctl stop`` exits with for a unit that isn't there."""


class NoScopes(Exception):
    """There are none here; the text says why, for the operator."""


def any_systemd() -> Systemd:
    """The one in PATH, not tried out: good enough to stop what an earlier engine has started with it."""
    return Systemd("systemd-run", "systemctl", 0, _bus())


def find_systemd(settings: Settings) -> Systemd:
    """Try out whether commands can be run in scopes here: one trivial command, and a look at the bound it has got.

    Raises:
        NoScopes: They can't, or systemd hasn't answered in ``scope_seconds``.
    """
    deadline = time.monotonic() + settings.scope_seconds
    if not LINUX:
        raise NoScopes("there are memory bounds on Linux only")
    run, control = shutil.which("systemd-run"), shutil.which("systemctl")
    if run is None or control is None:
        raise NoScopes(f"{'systemd-run' if run is None else 'systemctl'} isn't installed")
    _, version, _ = _run([run, "--version"], dict(os.environ), settings.scope_seconds)
    number = re.match(r"systemd (\d+)", version)
    found = Systemd(run, control, int(number[1]) if number else 0, _bus())
    try:
        _try(found, settings, deadline)
    except NoScopes as no:
        if _OOM_POLICY not in str(no):
            raise
        found = msgspec.structs.replace(found, oom_policy=False)
        _try(found, settings, deadline)
    return found


def _bus() -> dict[str, str]:
    return {name: os.environ[name] for name in _BUS_VARIABLES if name in os.environ}


def _try(systemd: Systemd, settings: Settings, deadline: float) -> None:
    unit = f"jobdeck-probe-{secrets.token_hex(6)}.scope"
    about = "jobdeck tries out memory bounds"
    words = systemd.scope_words(unit, _PROBE_SLICE, settings.memory_max_least, about, settings)
    words += ["/bin/sh", "-c", 'printf "%s\\n" "$@"; read -r _', "jobdeck", *_LITERALS]
    try:
        with tempfile.TemporaryFile() as errors:
            child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            with child:
                try:
                    assert child.stdout is not None
                    said = _read(child.stdout, deadline)
                    cgroup = cgroup_of(child.pid)
                    bound = cgroup.memory_max()
                finally:
                    child.kill()
            errors.seek(0)
            told = errors.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    except OSError as error:
        raise NoScopes(f"systemd-run can't be started: {error.strerror or error}") from error
    if said is None:
        raise NoScopes(f"systemd hasn't answered within {settings.scope_seconds:g} s")
    if not said:
        raise NoScopes(told or f"systemd-run ended with code {child.returncode} and said nothing")
    if said != _EXPECTED:
        raise NoScopes("this systemd-run changes what it is to run: it puts values for $ or % in a command")
    if not cgroup.named(unit):
        raise NoScopes("systemd-run has run a command, but in no scope of its own")
    if bound is None or bound > settings.memory_max_least:
        raise NoScopes(
            "the user's systemd makes scopes, but has no say over memory (its cgroup has no memory controller)"
        )


def _read(source: IO[bytes], deadline: float) -> bytes | None:
    """What comes until it is what we wait for or the end; None at the deadline."""
    said = b""
    while len(said) < len(_EXPECTED):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([source], [], [], left)[0]:
            return None
        piece = os.read(source.fileno(), _MOST_BYTES)
        if not piece:
            break
        said += piece
    return said


def _run(words: Sequence[str], env: dict[str, str], seconds: float) -> tuple[int, str, str]:
    """Exit code, output and errors of a program; files for pipes, because what it starts may hold those open."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            done = subprocess.run(
                words, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return -1, "", f"no answer within {seconds:g} s"
        except OSError as error:
            return -1, "", error.strerror or str(error)
        output.seek(0)
        errors.seek(0)
        said, told = (file.read(_MOST_BYTES).decode("utf-8", "replace").strip() for file in (output, errors))
        return done.returncode, said, told or f"it ended with code {done.returncode}"
