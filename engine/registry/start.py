"""Starting jobs: everything that must know of a job knows it before its gate opens (spec 1.2)."""

import errno
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from engine.config import Settings
from engine.events import JobStarted, JobState
from engine.hosts.far_side import FarSide
from engine.hosts.host import find_host
from engine.output.answers import Answers
from engine.output.stream import OutputStream
from engine.ownership.ledger import About
from engine.process.aside import aside
from engine.process.child import DirectChild, ProcessLink, Wanted
from engine.process.doorway import ScopeError
from engine.process.environment import job_environment
from engine.process.program import Program, ProgramError, is_shell, resolve
from engine.redact import load
from engine.registry import alerts
from engine.registry.ending import child_exited, finish
from engine.registry.far_jobs import connect_far, far_program, for_host
from engine.registry.job import End, Job
from engine.registry.registry import Registry
from engine.registry.scoping import offer, runs_unbounded
from engine.registry.tap import Tap
from engine.registry.watching import Watching
from engine.results import Started
from engine.spec import Caller, JobSpec, SpecError

if TYPE_CHECKING:
    from engine.ownership.held_link import HeldLink
    from engine.process.scope import Scope

_CLOSING = "the engine is shutting down: it starts no more jobs"
_NOTHING_LEFT = {
    errno.EAGAIN: "no process can be made: the limit of processes is reached; end some, then try again",
    errno.EMFILE: "no descriptor is left: too many jobs or panes are open; raise 'ulimit -n' or dismiss some",
    errno.ENFILE: "the machine has no descriptor left; end some programs, then try again",
    errno.E2BIG: "the command and its environment are too long for this system",
}


class StartError(Exception):
    """A job couldn't be started. Nothing runs; it is on the shelf as ``session_id``, ``failed_start``."""

    def __init__(self, text: str, session_id: str, exit_code: int | None) -> None:
        super().__init__(text)
        self.session_id = session_id
        self.exit_code = exit_code


async def spawn(
    registry: Registry,
    caller: Caller,
    spec: JobSpec,
    *,
    slot: str = "",
    replaces: str = "",
    tap: Tap | None = None,
    goal_id: str = "",
    goal_part: str = "",
    session_id: str = "",
    batch_id: str = "",
) -> Started:
    """Start one job; ``goal_id`` says whose ``step`` or ``judge`` (``goal_part``) it is, ``batch_id`` whose agent.

    Raises:
        SpecError: The spec contradicts itself; nothing was recorded.
        StartError: Program, folder, processes or descriptors are missing; the job is on the shelf.
    """
    spec.check()
    if spec.host:
        spec = for_host(registry, spec, tap)
    if spec.persist_on_release is None:
        persists = registry.settings.persist and tap is None and not goal_id
        spec = msgspec.structs.replace(spec, persist_on_release=persists)
    if spec.persist_on_release and tap is not None:
        raise SpecError("a command in the foreground ends with who runs it: persist_on_release is for jobs")
    settings = registry.settings
    wishes = alerts.settle(caller, spec, settings)
    spec = msgspec.structs.replace(spec, cols=spec.cols or settings.pty_cols, rows=spec.rows or settings.pty_rows)
    session_id = session_id or registry.new_id()
    additions = {} if spec.host else spec.env
    env = job_environment(session_id, additions, settings.env_block, pty=spec.pty)
    stream = OutputStream(registry.loop, settings, spec.cols, spec.rows, pty=spec.pty)
    job = Job(session_id, spec, caller, stream, slot=slot, goal_id=goal_id, goal_part=goal_part)
    if spec.host:
        job.far = FarSide(find_host(registry.configuration.hosts, spec.host), spec, session_id)
    job.cols, job.rows = (spec.cols, spec.rows) if spec.pty else (0, 0)
    job.replaces, job.foreground = replaces, tap is not None and not goal_id
    job.batch_id = batch_id
    job.turn = "" if batch_id else registry.turns.current(caller.owner)
    job.watching = Watching(registry, job)
    alerts.apply(job, wishes, registry.jobs.get(replaces))
    try:
        program = await aside("jobdeck-check", partial(_check, job, env, settings, loads=tap is None))
        if registry.closing.is_set():
            raise ProgramError(_CLOSING, None)
        registry.starting.add(session_id)
        await _start(registry, job, program, env, tap)
    except ProgramError as error:
        raise await _failed(registry, job, str(error), error.exit_code) from error
    except OSError as error:
        why = _NOTHING_LEFT.get(error.errno or 0, f"the system refuses: {error.strerror or error}")
        raise await _failed(registry, job, why, None) from error
    finally:
        registry.starting.discard(session_id)
    registry.publish(lambda sequence, at: JobStarted(sequence, at, job.view(), replaces))
    return Started(
        output=f"started {job.name} as {session_id}, pid {job.pid}",
        session_id=session_id,
        pid=job.pid or 0,
        pty_note=f"terminal {spec.cols}×{spec.rows}" if spec.pty else None,
        cwd_note=program.cwd_note,
        hint=alerts.hint(caller, spec, wishes) if tap is None else None,
        notify_on_complete=wishes.notify_on_complete if spec.notify_on_complete else None,
        notify_unsupported=wishes.notify_unsupported,
        watch_patterns=job.watching.patterns(caller.owner),
        watch_patterns_ignored=wishes.watch_patterns_ignored,
        heartbeat_seconds=wishes.heartbeat_seconds or None,
        heartbeat_ignored=wishes.heartbeat_ignored,
        persist_on_release=True if spec.persist_on_release else None,
    )


def _check(job: Job, env: dict[str, str], settings: Settings, *, loads: bool) -> Program:
    if loads:
        load()  # here and now: later there may be no descriptor left to load it with
    return resolve(job.spec, env, settings) if job.far is None else far_program(job.far, env)


async def _start(registry: Registry, job: Job, program: Program, env: dict[str, str], tap: Tap | None) -> None:
    spec = job.spec
    wanted = Wanted(
        pty=spec.pty,
        cols=spec.cols,
        rows=spec.rows,
        stdin_pipe=(spec.stdin == "pipe" or job.far is not None) and not spec.pty,
        apart=(tap is not None and tap.apart) or (job.far is not None and not spec.pty),
        stdin_descriptor=tap.stdin if tap is not None and not spec.pty else None,
    )
    if job.far is None:
        job.cwd = program.cwd
    job.through_shell = job.far is not None or is_shell(program.argv[0])

    def begin(link: ProcessLink, scope: "Scope | None") -> None:
        """In one step with the opening of the gate, so that nobody meets a job that isn't whole."""
        if registry.closing.is_set():
            raise ProgramError(_CLOSING, None)
        job.scope = scope
        job.link, job.identity = link, link.identity
        taps = partial(tap.pass_on, link) if tap is not None and isinstance(link, DirectChild) else None
        if job.far is not None:
            connect_far(registry, job, job.far, link)
        connect(registry, job, link, taps)
        registry.add(job)
        job.state = JobState.RUNNING
        if not job.foreground:
            registry.checkpoint.put(job)

    async def hold(scope: "Scope | None") -> "HeldLink":
        from engine.registry.holding import start_held  # with all that few jobs need

        return await start_held(registry, job, program, env, wanted, scope)

    owned = registry.owned
    about = About(
        job.session_id,
        job.command,
        job.started_at,
        job.owner.owner,
        notify_on_complete=job.notify_on_complete,
        settled=job.foreground,
    )

    async def start(scope: "Scope | None") -> bool:
        if spec.persist_on_release:
            return await owned.spawn_held(partial(hold, scope), about, partial(begin, scope=scope))
        return await owned.spawn_owned(
            lambda: DirectChild(registry.loop, program, env, wanted, registry.settings, scope),
            about,
            partial(begin, scope=scope),
        )

    try:
        try:
            recorded = await start(await offer(registry, job))
        except ScopeError as error:  # nothing has run yet
            runs_unbounded(registry, job, error)
            recorded = await start(None)
    except BaseException:
        job.exit_seen = True  # its end is told by who called us, not by the watch
        job.link = job.identity = job.held = None
        raise
    if not recorded:
        registry.notice(
            "the ledger can't be written: a crash of both jobdeck and its supervisor would leave this job unknown to "
            "'jobdeck doctor'",
            session_id=job.session_id,
        )


def connect(registry: Registry, job: Job, link: ProcessLink, tap: Callable[[str, bytes], None] | None = None) -> None:
    """Lay the way of a chunk: buffer, answers to questions, viewers (spec 1.3)."""
    stream = job.stream
    stdin, far = link.stdin, job.far
    answers = Answers(registry.loop, stream.buffer, stdin.write_if_room) if job.spec.pty and stdin is not None else None

    def on_text(text: str) -> None:
        registry.output_came(job, len(text))
        job.watching.text_came(text)
        if answers is not None:
            answers.text_came(text)

    def on_bytes(source: str, data: bytes) -> None:
        if tap is not None:
            tap(source, data)
        if far is not None:
            data = far.hear(data) if source else far.strip(data)
        stream.feed(data, source)

    stream.on_text = on_text

    def on_end() -> None:
        job.watching.output_ended()
        if answers is not None:
            answers.close()

    stream.on_end = on_end
    link.watch(on_bytes, lambda: child_exited(registry, job))


async def _failed(registry: Registry, job: Job, why: str, exit_code: int | None) -> StartError:
    job.start_error = why
    job.exited_at = job.started_at
    await finish(registry, job, End(exit_code, "failed_start", "failed_start"))
    return StartError(why, job.session_id, exit_code)
