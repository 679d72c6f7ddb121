"""What a job will run: the argument vector behind a spec, checked before anything is started."""

import errno
import os
from pathlib import Path

import msgspec

from engine.config import Settings
from engine.process.shell_line import background_safe
from engine.spec import JobSpec

_SHELLS_THAT_TELL_SIGNALS = frozenset({"fish", "csh", "tcsh"})
POSIX_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox"})


class ProgramError(Exception):
    """The program, the shell or the folder isn't there; ``exit_code`` is what a shell would have given."""

    def __init__(self, text: str, exit_code: int | None) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class Program(msgspec.Struct, frozen=True):
    """Exact arguments, the folder they run in, and what to tell about either."""

    argv: tuple[str, ...]
    cwd: str
    cwd_note: str | None = None


def is_shell(word: str) -> bool:
    """Is this the name of a shell that reports a child's death by signal N as 128+N?"""
    return Path(word).name in POSIX_SHELLS | _SHELLS_THAT_TELL_SIGNALS


def resolve(spec: JobSpec, env: dict[str, str], settings: Settings) -> Program:
    """Check folder and program and build the argument vector. Touches the disk: not for the engine's loop.

    Raises:
        ProgramError: Something is missing; the text names it.
    """
    cwd, note = _folder(spec.cwd, settings)
    if spec.argv is not None:
        find_program(spec.argv[0], env, cwd)
        return Program(spec.argv, cwd, note)
    shell = env.get("SHELL") or "/bin/sh"
    try:
        find_program(shell, env, cwd)
    except ProgramError as error:
        raise ProgramError(
            f"the shell can't be started: {error}; set SHELL to one that exists", error.exit_code
        ) from error
    line = spec.command or ""
    if Path(shell).name in POSIX_SHELLS:
        line = background_safe(line, shell)
    applet = ("sh",) if Path(shell).name == "busybox" else ()
    login = ("-l",) if settings.shell_login else ()
    guard = ("--",) if line.startswith(("-", "+")) else ()
    return Program((shell, *applet, *login, "-c", *guard, line), cwd, note)


def _folder(wanted: str | None, settings: Settings) -> tuple[str, str | None]:
    try:
        path = Path(wanted or ".").expanduser().absolute()
    except FileNotFoundError:
        raise ProgramError("the folder that jobdeck was started in is gone; give another cwd", None) from None
    except RuntimeError:
        raise ProgramError(f"the job's folder {wanted}: no such user's home; give another cwd", None) from None
    if ".." in path.parts and path.exists():
        path = path.resolve()  # the launcher's cd would take LINK/.. for the folder of the link
    if path.is_dir():
        if not os.access(path, os.X_OK):
            raise ProgramError(f"the folder {path} can't be entered: permission denied", None)
        return str(path), None
    if settings.cwd_fallback == "ancestor":
        there = next(parent for parent in path.parents if parent.is_dir())
        return str(there), f"{path} is not there; the job runs in {there}"
    what = "is not a folder" if path.exists() else "No such file or directory"
    raise ProgramError(f"the job's folder {path}: {what}; make it, or give another cwd", None)


def find_program(word: str, env: dict[str, str], cwd: str) -> None:
    """Raise unless ``word`` would be found and executed, an interpreter in its first line included."""
    if "/" in word:
        found = Path(cwd, word)
    else:
        folders = env.get("PATH", os.defpath).split(os.pathsep)
        hits = [path for folder in folders if _is_file(path := Path(cwd, folder or ".", word))]
        if not hits:
            raise ProgramError(f"{word}: No such file or directory (not found in PATH)", 127)
        found = next((path for path in hits if os.access(path, os.X_OK)), hits[0])
    if not found.exists():
        raise ProgramError(f"{word}: {os.strerror(errno.ENOENT)}", 127)
    if found.is_dir():
        raise ProgramError(f"{word}: {os.strerror(errno.EISDIR)}", 126)
    if not os.access(found, os.X_OK):
        raise ProgramError(f"{word}: {os.strerror(errno.EACCES)}; is it executable?", 126)
    if not found.is_file():
        raise ProgramError(f"{word}: not a program (a device, a pipe or a socket)", 126)
    try:
        with open(os.open(found, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            first = file.read(256).split(b"\n", 1)[0]
    except OSError:
        return
    if first.startswith(b"#!"):
        words = first[2:].split()
        interpreter = os.fsdecode(words[0]) if words else ""
        if not Path(cwd, interpreter).exists():
            raise ProgramError(f"{word}: its interpreter {interpreter!r}: {os.strerror(errno.ENOENT)}", 127)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
