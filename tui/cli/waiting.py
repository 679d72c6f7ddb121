"""Waiting in the foreground, on an engine that lives as long as that."""

from engine import Engine
from engine.events import BarrierReleased, Event
from engine.results import Refused, WaitReleased
from engine.spec import JobSpec, WaitSpec
from engine.waiting import BarrierView, Release
from tui.cli.saying import GOOD, INTERRUPTED, NOT_HERE, REFUSED, flush, foreign, is_terminal, say, say_json, say_no

_NO_ENGINE = (
    "wait-for: a job's end and its lines are known to the engine that runs it, and engines can't be reached from here "
    "yet. In the console, 'b' on a job waits for both; here --pid and --for work"
)


def wait_here(spec: WaitSpec, then: str | None, *, as_json: bool = False) -> int:
    """Wait, run ``then`` once it has happened; the exit code."""
    if spec.session_id:
        say_no(Refused(status="no_engine", error=_NO_ENGINE), as_json=as_json)
        return NOT_HERE
    try:
        with Engine(recovers=False) as engine:
            feed = engine.events()
            found = engine.wait_for(spec).result()
            if isinstance(found, Refused):
                return say_no(found, as_json=as_json)
            barrier = found.barrier
            if is_terminal(to_stderr=True) and not as_json:
                say(f"waiting for {_what(barrier)} …", to_stderr=True)
            release = None
            while release is None:
                release = _release_in([feed.next()], barrier.barrier_id)
    except KeyboardInterrupt:
        return INTERRUPTED
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
    import time

    return time.strftime("%H:%M:%S", time.localtime(barrier.deadline))


def _run(line: str, release: Release) -> int:
    from tui.cli.run import run_foreground

    code = "" if release.exit_code is None else str(release.exit_code)
    return run_foreground(
        JobSpec(command=line, env={"JOBDECK_WAIT_OUTCOME": release.outcome, "JOBDECK_EXIT_CODE": code})
    )
