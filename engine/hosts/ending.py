"""Ending and signalling what runs over there, by a second way to it: the job's own link may be dead. Blocks."""

import os
import subprocess
from typing import NamedTuple

from engine.hosts.end_scripts import kill_script, signal_script, slurm_kill_script
from engine.hosts.host import Host
from engine.hosts.quoting import script_words
from engine.hosts.runners import Slurm, shells_on_the_way, slurm_of, way
from engine.place import Place

_MOST_SAID = 300


class Order(NamedTuple):
    """Which job is to be ended over there, and how."""

    host: Host
    session_id: str
    place: Place
    grace: float | None
    """Seconds from TERM to KILL; 0: TERM only; None: KILL at once."""
    proof: float
    """Seconds after KILL in which all have to be gone."""
    parent_first: bool
    seconds: float
    """After so long there is no answer."""


def end_there(order: Order) -> str:
    """End it, with all its processes; empty when it is proved that none is left, else why that isn't so."""
    host, place = order.host, order.place
    token = os.urandom(16).hex()
    if host.entry.kill:
        return _by_command(order)
    slurm = slurm_of(host)
    in_slurm = slurm is not None and bool(place.slurm_job)
    script = kill_script(
        token,
        order.session_id,
        place.pid,
        place.start,
        order.grace,
        order.proof,
        parent_first=order.parent_first,
        early=in_slurm,
    )
    if slurm is None or not in_slurm:
        said, answer = _ask(_there(host, script), token, order.seconds)
    else:
        # Of a process whose parents have ended Slurm may know nothing: the tree first, then what Slurm thinks of it.
        _, answer = _ask(_beside(slurm, place, script), token, order.seconds)
        grace = None if answer == "gone" else order.grace
        told = slurm_kill_script(
            token, place.slurm_job, place.slurm_step, grace, order.proof, whole_job=slurm.makes_jobs
        )
        said, answer = _ask(_there(slurm.before, told), token, order.seconds)
    if answer == "gone":
        return ""
    return f"still there: {answer.removeprefix('left').strip() or place.words}" if answer else said


def signal_there(host: Host, session_id: str, place: Place, signal: str, seconds: float) -> str:
    """Send one signal, by its name without SIG, to its processes; empty when that is done, else why not."""
    token = os.urandom(16).hex()
    script = signal_script(token, session_id, place.pid, place.start, signal)
    slurm = slurm_of(host)
    inside = slurm is not None and place.slurm_job
    words = _beside(slurm, place, script) if slurm is not None and inside else _there(host, script)
    said, answer = _ask(words, token, seconds)
    if answer == "sent":
        return ""
    return "nothing of it is left there" if answer == "gone" else said


def _there(host: Host | None, script: str) -> list[str]:
    if host is None:
        return script_words(script, 0)
    return [*way(host, pty=False), *script_words(script, shells_on_the_way(host))]


def _beside(slurm: Slurm, place: Place, script: str) -> list[str]:
    """As a step of its own in the job's allocation, on its node."""
    step = ["srun", f"--jobid={place.slurm_job}", "--overlap", "-N1", "-n1", "-w", place.node.split(".")[0], "-Q"]
    before = slurm.before
    if before is None:
        return [*step, *script_words(script, 0)]
    return [*way(before, pty=False), *step, *script_words(script, shells_on_the_way(before))]


def _by_command(order: Order) -> str:
    known = {
        "pid": str(order.place.pid),
        "node": order.place.node,
        "slurm_job": order.place.slurm_job,
        "slurm_step": order.place.slurm_step,
        "session_id": order.session_id,
    }
    words = list(order.host.entry.kill)
    for name, value in known.items():
        words = [word.replace(f"{{{name}}}", value) for word in words]
    said, code = _run(words, order.seconds)
    return "" if code == 0 else f"{words[0]}: {said or f'exit {code}'}"


def _ask(words: list[str], token: str, seconds: float) -> tuple[str, str]:
    """What was said, in short, and the answer after the token, empty if there is none."""
    said, code = _run(words, seconds)
    begin = f"jobdeck;{token};"
    at = said.find(begin)
    if at >= 0:
        return said, said[at + len(begin) :].split("\n", 1)[0].strip()
    short = " ".join(said.split())[-_MOST_SAID:]
    return f"{words[0]} {f'ended with {code}' if code is not None else 'gave no answer'}" + (
        f": {short}" if short else ""
    ), ""


def _run(words: list[str], seconds: float) -> tuple[str, int | None]:
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            start_new_session=True,  # detached-spawn: ok, it is waited for; it must not ask on the console's terminal
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {seconds:g} s", None
    except OSError as error:
        return str(error.strerror or error), None
    return done.stdout.decode("utf-8", "replace"), done.returncode
