"""The verbs that act on a running job without ending it: write, submit, close, signal, resize, dismiss (spec 1.6)."""

import re
import signal as signals

from engine.process.identity import send_group_signal
from engine.process.pasting import bracketed
from engine.process.stdin import InputRefused, JobInput
from engine.registry.far_jobs import signal_far
from engine.registry.job import Job
from engine.registry.refusals import already_exited, not_found, refused, without_streams
from engine.registry.registry import Registry
from engine.registry.unstarted import missing
from engine.results import Done, Refused, Written
from engine.spec import Caller

_LINE_ENDS = re.compile(rb"[\r\n\x03\x04\x15]")
"""What empties the line that a cooked terminal gathers: Enter, Ctrl-C, Ctrl-D, Ctrl-U."""
_END_OF_FILE = "\x04"
_LARGEST_TERMINAL = 10_000


def write(registry: Registry, caller: Caller, session_id: str, data: str) -> Written | Refused:
    """Send text as it is."""
    found = _input(registry, caller, "write", session_id)
    if isinstance(found, Refused):
        return found
    return _send(registry, caller, *found, "write", data)


def submit(registry: Registry, caller: Caller, session_id: str, data: str) -> Written | Refused:
    """Send a line and Enter, as a person would have typed it."""
    found = _input(registry, caller, "submit", session_id)
    if isinstance(found, Refused):
        return found
    job, stdin = found
    terminal = job.link.terminal if job.link else None
    if terminal is None or terminal.canonical:
        return _send(registry, caller, job, stdin, "submit", data + "\n")
    if job.stream.modes.bracketed_paste and data:
        data = bracketed(data)
    # Enter in a write of its own: together with the text it can look like a paste to a line editor.
    return _send(registry, caller, job, stdin, "submit", data, "\r")


def type_in(registry: Registry, caller: Caller, session_id: str, data: str) -> Written | Refused:
    """Send text as a terminal would: a line that is too long is cut by the kernel, as anywhere."""
    found = _input(registry, caller, "write", session_id)
    if isinstance(found, Refused):
        return found
    job, stdin = found
    try:
        sent = stdin.write(data.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return refused("write", "the text holds half of a surrogate pair, which can't be sent")
    except InputRefused as error:
        return refused("write", str(error), retry=error.retry)
    _hold(registry, caller, job)
    return Written(status="ok", bytes_written=sent)


def close(registry: Registry, caller: Caller, session_id: str) -> Written | Refused:
    """Send end-of-file."""
    found = _input(registry, caller, "close", session_id)
    if isinstance(found, Refused):
        return found
    job, stdin = found
    terminal = job.link.terminal if job.link else None
    if terminal is None:
        stdin.close()
        registry.changed(job, at_once=True)
        return Written(status="ok", bytes_written=0)
    if job.far is not None:
        return _send(registry, caller, job, stdin, "close", _END_OF_FILE)  # the terminal that counts is over there
    if not terminal.canonical:
        return refused(
            "close", "the program reads keys, not lines, so it sees no end-of-file; write what it quits on, or kill it"
        )
    # In the middle of a line the first one only hands out the line.
    ends = terminal.end_of_file.decode("latin-1") * (2 if job.pending_line_bytes else 1)
    return _send(registry, caller, job, stdin, "close", ends)


async def signal(registry: Registry, caller: Caller, session_id: str, name: str) -> Done | Refused:
    """Send one signal to the job's process group."""
    job = registry.find(caller, session_id)
    if job is None:
        return missing(registry, caller, "signal", session_id)
    wanted = str(name).strip().upper()
    number = getattr(signals, wanted if wanted.startswith("SIG") else f"SIG{wanted}", None)
    if not isinstance(number, signals.Signals):
        return refused("signal", f"there is no signal {name!r}; use a name such as INT, HUP, TERM, USR1")
    if job.identity is None or job.exit_seen:
        return already_exited("signal", job)
    if job.far is not None:
        why = await signal_far(registry, job, job.far, number)
        return refused("signal", why) if why else Done(status="ok", session_id=job.session_id)
    try:
        if not send_group_signal(job.identity, number):
            return already_exited("signal", job)
    except PermissionError as error:
        return refused("signal", f"the system refuses: {error}")
    return Done(status="ok", session_id=job.session_id)


def resize(registry: Registry, caller: Caller, session_id: str, cols: int, rows: int) -> Done | Refused:
    """Set the size of a job's terminal, and mark it in the output at this position."""
    job = registry.find(caller, session_id)
    if job is None:
        return missing(registry, caller, "resize", session_id)
    if not (1 <= cols <= _LARGEST_TERMINAL and 1 <= rows <= _LARGEST_TERMINAL):
        return refused("resize", f"a terminal of {cols}×{rows} can't be: 1 to {_LARGEST_TERMINAL} each way")
    if not job.spec.pty:
        return refused("resize", f"{job.session_id} runs on pipes and has no size; start it with pty=true")
    if job.detached and not job.finished:
        return without_streams("resize", job)
    if job.finished or job.link is None or job.link.terminal is None:
        return already_exited("resize", job)
    if (cols, rows) != (job.cols, job.rows):
        job.link.terminal.resize(cols, rows)
        job.cols, job.rows = cols, rows
        job.stream.resized(cols, rows)
        registry.changed(job, at_once=True)
    return Done(status="ok", session_id=job.session_id, cols=cols, rows=rows)


def dismiss(registry: Registry, caller: Caller, session_id: str) -> Done | Refused:
    """Take a finished job off the shelf."""
    if (keeper := registry.keeper(caller, session_id)) is not None:
        keeper.hidden()
        return Done(status="ok", session_id=session_id)
    job = registry.find(caller, session_id)
    if job is None:
        return not_found("dismiss", session_id)
    if not job.finished:
        return refused("dismiss", f"{job.session_id} is still running; kill it first")
    if job.keeper is not None:
        job.keeper.hidden()
    registry.shelf.remove(job)
    return Done(status="ok", session_id=job.session_id)


def _input(registry: Registry, caller: Caller, verb: str, session_id: str) -> tuple[Job, JobInput] | Refused:
    job = registry.find(caller, session_id)
    if job is None:
        return missing(registry, caller, verb, session_id)
    if job.finished or job.exit_seen:
        return already_exited(verb, job)
    if job.detached:
        return without_streams(verb, job)
    if job.link is None:
        return already_exited(verb, job)
    if job.link.stdin is None:
        return refused(verb, f"{job.session_id} was started without input; start it with pty=true or stdin='pipe'")
    if why := job.input_lease.refuses(caller, registry.clock):
        return refused(verb, why, retry=True)
    return job, job.link.stdin


def _hold(registry: Registry, caller: Caller, job: Job) -> None:
    """Its input is this caller's for a while."""
    job.input_lease.take(
        caller,
        registry.clock,
        registry.settings.stdin_lease_seconds,
        lambda: None if job.finished else registry.changed(job, at_once=True),
    )


def _send(registry: Registry, caller: Caller, job: Job, stdin: JobInput, verb: str, *texts: str) -> Written | Refused:
    try:
        parts = [text.encode("utf-8", "surrogateescape") for text in texts]
        pending = _pending_line(registry, job, b"".join(parts))
        sent = stdin.write(*parts)
    except UnicodeEncodeError:
        return refused(verb, "the text holds half of a surrogate pair, which can't be sent")
    except InputRefused as error:
        return refused(verb, str(error), retry=error.retry)
    if pending != job.pending_line_bytes:
        job.pending_line_bytes = pending
        registry.remember(job, now=True)  # who has the answer counts on it
    _hold(registry, caller, job)
    return Written(status="ok", bytes_written=sent)


def _pending_line(registry: Registry, job: Job, data: bytes) -> int:
    """Bytes of the line the terminal will be gathering after ``data``, 0 where none gathers.

    Raises:
        InputRefused: The kernel would silently cut a line.
    """
    terminal = job.link.terminal if job.link else None
    if terminal is None or not terminal.canonical:
        return 0
    most = registry.settings.canonical_line_bytes
    lines = _LINE_ENDS.split(data)
    lengths = [job.pending_line_bytes + len(lines[0]), *map(len, lines[1:])]
    if max(lengths) > most:
        raise InputRefused(
            f"a line of {max(lengths):,} bytes: a terminal in line mode keeps {most:,} and silently drops the rest; "
            f"nothing was sent. Send shorter lines, or start the job with stdin='pipe'"
        )
    return lengths[-1]
