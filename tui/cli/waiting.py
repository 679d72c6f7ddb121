"""Waiting in the foreground, on an engine that lives as long as that."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import Engine, EngineApi
from engine.events import BarrierReleased, Event
from engine.results import Refused, WaitReleased
from engine.spec import JobSpec, WaitSpec
from engine.waiting import BarrierView, Release
from tui.cli import asking
from tui.cli.exit_codes import GOOD, REFUSED
from tui.cli.saying import flush, foreign, is_terminal, say, say_json, say_no

_GONE = "wait-for: the engine that ran the job has gone, and took word of its end with it: 'jobdeck log ID' tells more"


class _NoSuchJob(Exception):
    """No engine of this home has it for us; the text says so."""


def wait_here(spec: WaitSpec, then: str | None, *, operator: bool = False, as_json: bool = False) -> int:
    """Wait, run ``then`` once it has happened; the exit code. A job is waited for by the engine that has it."""

    def run() -> int:
        try:
            with _engine_for(spec, operator=operator) as (engine, wanted):
                return _wait(engine, wanted, then, as_json=as_json)
        except _NoSuchJob as error:
            return say_no(Refused(status="not_found", error=f"wait-for: {error}"), as_json=as_json)

    return asking.guarded("wait-for", run, as_json=as_json)


@contextmanager
def _engine_for(spec: WaitSpec, *, operator: bool) -> Iterator[tuple[EngineApi, WaitSpec]]:
    """An engine of our own for a process or a time; for a job the one that has it, with the job's whole id."""
    if not spec.session_id:
        with Engine(recovers=False) as own:
            yield own, spec
        return
    import msgspec

    from engine.wire import VERSION
    from engine.wire.client import RemoteEngine
    from engine.wire.messages import Hello
    from tui.cli import reaching

    who = reaching.whom(operator=operator)
    with reaching.engines(who) as found:
        there = reaching.having(found, spec.session_id)
        if isinstance(there, dict):
            raise _NoSuchJob(there["error"].partition(": ")[2] or there["error"])
        path, whole = there[0].path, there[1]
    hello = Hello(version=VERSION, client="wait-for", operator=operator, token=who.get("token", ""))
    with RemoteEngine(Path(path), hello) as remote:
        yield remote, msgspec.structs.replace(spec, session_id=whole)


def _wait(engine: EngineApi, spec: WaitSpec, then: str | None, *, as_json: bool) -> int:
    feed = engine.events()
    found = engine.wait_for(spec).result()
    if isinstance(found, Refused):
        return say_no(found, as_json=as_json)
    barrier = found.barrier
    if is_terminal(to_stderr=True) and not as_json:
        say(f"waiting for {_what(barrier)} …", to_stderr=True)
    release = None
    while release is None:
        try:
            release = _release_in([feed.next()], barrier.barrier_id)
        except TimeoutError:  # the feed has closed
            return say_no(Refused(status="error", error=_GONE), as_json=as_json)
    if as_json:
        say_json(WaitReleased(status="released", barrier=barrier, release=release))
        flush()
    elif not release.happened or not then:
        say(foreign(release.text), to_stderr=not release.happened)
    if not release.happened:
        return REFUSED
    return _run(then, release) if then else GOOD


def _release_in(events: list[Event], barrier_id: str) -> Release | None:
    for event in events:
        if isinstance(event, BarrierReleased) and event.barrier.barrier_id == barrier_id:
            return event.release
    return None


def _what(barrier: BarrierView) -> str:
    if barrier.kind == "pid":
        return f"process {barrier.pid}" + (f" ({foreign(barrier.target)})" if barrier.target else "")
    if barrier.kind == "session":
        what = f"{barrier.on} of {barrier.session_id}"
        return f"{what}: {foreign(barrier.pattern)}" if barrier.pattern else what
    import time

    return time.strftime("%H:%M:%S", time.localtime(barrier.deadline))


def _run(line: str, release: Release) -> int:
    from tui.cli.run import run_foreground

    code = "" if release.exit_code is None else str(release.exit_code)
    return run_foreground(
        JobSpec(command=line, env={"JOBDECK_WAIT_OUTCOME": release.outcome, "JOBDECK_EXIT_CODE": code})
    )
