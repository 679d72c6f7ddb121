"""From what a caller asks for to what can be waited for; everything that can't is refused here, in words."""

import math

from engine.barriers.process_end import NoSuchProcess, living_process
from engine.barriers.targets import PidTarget, SessionTarget, Target, TimeTarget
from engine.process.table import command_of
from engine.redact import redact_command
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.registry.unstarted import missing
from engine.results import Refused
from engine.spec import Caller, WaitSpec

_ON = ("exit", "success", "match", "any")
_COMMAND_CHARS = 200
_LONGEST_SECONDS = 366 * 86_400.0


def target_of(
    registry: Registry, caller: Caller, spec: WaitSpec, verb: str, *, seen: int | None = None
) -> Target | Refused:
    """What ``spec`` waits for.

    ``seen``: a judge has seen the job's output up to here; only what comes after it counts as a match.
    """
    given = [
        name
        for name, is_given in (
            ("session_id", bool(spec.session_id)),
            ("pid", spec.pid != 0),
            ("seconds", spec.seconds != 0),
            ("until", spec.until != 0),
        )
        if is_given
    ]
    if len(given) != 1:
        what = f"not {' and '.join(given)} together" if given else "and none is given"
        return refused(verb, f"wait for exactly one of a job, a pid or a time, {what}")
    if not (math.isfinite(spec.timeout) and 0 <= spec.timeout <= _LONGEST_SECONDS):
        return refused(verb, f"a timeout is a number of seconds, at most a year, not {spec.timeout!r}")
    if "\0" in spec.then:
        return refused(verb, "a shell line can't contain a NUL character")
    if spec.session_id:
        return _job(registry, caller, spec, verb, seen)
    if spec.pid:
        try:
            identity = living_process(spec.pid)
        except NoSuchProcess as error:
            return Refused(status="not_found", error=f"{verb}: {error}")
        except OSError as error:
            return refused(verb, f"the process {spec.pid} can't be looked at: {error.strerror or error}")
        return PidTarget(identity, redact_command(command_of(spec.pid))[:_COMMAND_CHARS])
    return _time(registry, spec, verb)


def _time(registry: Registry, spec: WaitSpec, verb: str) -> Target | Refused:
    now = registry.clock.wall()
    when = spec.until or now + spec.seconds
    if not math.isfinite(when) or when > now + _LONGEST_SECONDS:
        return refused(verb, "a time to wait for is at most a year ahead")
    if when <= now:
        return refused(verb, "that time has passed already")
    return TimeTarget(when)


def _job(registry: Registry, caller: Caller, spec: WaitSpec, verb: str, seen: int | None) -> Target | Refused:
    if spec.on not in _ON:
        return refused(verb, f"a job is waited for on {', '.join(_ON)}, not {spec.on!r}")
    if spec.pattern and spec.on != "match":
        return refused(verb, f"a pattern goes with on='match', not with {spec.on!r}")
    job = registry.find(caller, spec.session_id)
    if job is None:
        return missing(registry, caller, verb, spec.session_id)
    if spec.on == "match" and not spec.pattern and not job.watching.all_patterns():
        return refused(verb, f"{job.session_id} has no watch patterns of its own: give a pattern to wait for")
    # What is asked for by name counts wherever it stands; a job's own patterns have told of earlier hits already.
    since = seen if seen is not None else 0 if spec.on == "match" else None
    return SessionTarget(job, spec.on, spec.pattern, since)
