"""The verbs of ``jobdeck goal``, on an engine that lives as long as the verb."""

import os
import time
from collections.abc import Callable

import click

from engine import Engine, EventFeed
from engine.api.call import Call
from engine.events import GoalChanged
from engine.results import GoalSaid, Lifted, Refused, WaitSet
from engine.spec import GoalSpec
from engine.waiting import BarrierView, GoalView, TurnView
from tui.cli.exit_codes import GOOD, INTERRUPTED, REFUSED
from tui.cli.interrupts import Heard
from tui.cli.saying import flush, foreign, say, say_json, say_no, say_table
from tui.show.ages import ago, span
from tui.show.cleaning import clean

_TONES = {"done": "green", "continue": "yellow", "wait": "cyan", "blocked": "red", "paused": "yellow", "active": "cyan"}
_TAIL_LINES = 8


def start_here(spec: GoalSpec, *, as_json: bool) -> int:
    """Begin a goal and follow it; the exit code."""
    return _host(lambda engine: engine.goal_start(spec), fresh=True, as_json=as_json)


def resume_here(goal_id: str, *, as_json: bool) -> int:
    """Go on with a goal, here if nobody hosts it; the exit code."""
    return _host(lambda engine: engine.goal_resume(goal_id), fresh=False, as_json=as_json)


def do(
    verb: Callable[[Engine], "Call[GoalSaid | Refused] | Call[WaitSet | Refused] | Call[Lifted | Refused]"],
    *,
    as_json: bool,
) -> int:
    """Do one verb and say what came of it; the exit code."""
    with Engine(recovers=False) as engine:
        said = verb(engine).result()
    if isinstance(said, Refused):
        return say_no(said, as_json=as_json)
    if as_json:
        say_json(said)
    elif isinstance(said, Lifted):
        say("it goes on" if said.lifted else "it didn't wait for anything")
    elif isinstance(said, WaitSet):
        say(f"{said.barrier.goal_id} waits for {barrier_words(said.barrier, time.time())}")
    else:
        say(_line(said.goal))
    return GOOD


def show_status(goal_id: str, *, as_json: bool) -> int:
    """Print the goals, or one; the exit code."""
    with Engine(recovers=False) as engine:
        found = engine.goal_status(goal_id).result()
    if isinstance(found, Refused):
        return say_no(found, as_json=as_json)
    now = time.time()
    if as_json:
        say_json(found)
    elif goal_id:
        _show(found.goals[0], now)
    elif not found.goals:
        say("no goals; 'jobdeck goal start --help' says how to begin one", to_stderr=True)
    else:
        rows = [_row(goal, now) for goal in found.goals]
        say_table(rows, ("ID", "STATUS", "TURNS", "LAST", "NOW", "GOAL"))
    return GOOD


def barrier_words(barrier: BarrierView, now: float) -> str:
    """What is waited for, and how long at most."""
    left = f", {span(barrier.deadline - now)} at most" if barrier.deadline else ""
    if barrier.kind == "pid":
        return f"process {barrier.pid} ({foreign(barrier.target)}){left}"
    if barrier.kind == "session":
        what = (
            f"{barrier.pattern!r} in"
            if barrier.pattern
            else "the end of"
            if barrier.on == "exit"
            else "a hit or the end of"
        )
        return f"{what} {barrier.session_id} ({foreign(barrier.target)}){left}"
    return f"{span((barrier.deadline or now) - now)} more"


def _host(begin: Callable[[Engine], "Call[GoalSaid | Refused]"], *, fresh: bool, as_json: bool) -> int:
    call: Call[GoalSaid | Refused] | None = None
    with Engine(recovers=False) as engine:
        try:
            with Heard():
                feed = engine.events()
                call = begin(engine)
                return _follow(engine, feed, call.result(), fresh=fresh, as_json=as_json)
        except KeyboardInterrupt:
            if call is not None:
                _pause(engine, call.result())
            return INTERRUPTED


def _pause(engine: Engine, said: GoalSaid | Refused) -> None:
    """Ctrl-C came: the goal that runs here rests."""
    if isinstance(said, Refused) or said.goal.host_pid != os.getpid():
        return
    goal_id = said.goal.goal_id
    if not isinstance(engine.goal_pause(goal_id, "interrupted by Ctrl-C").result(), Refused):
        say(f"paused; 'jobdeck goal resume {goal_id}' goes on", to_stderr=True)


def _follow(engine: Engine, feed: EventFeed, said: GoalSaid | Refused, *, fresh: bool, as_json: bool) -> int:
    """Print what comes of a goal that was begun or resumed, until it rests; the exit code."""
    if isinstance(said, Refused):
        return say_no(said, as_json=as_json)
    goal = said.goal
    if goal.host_pid != os.getpid():
        if as_json:
            say_json(said)
        else:
            say(f"{_line(goal)}; {goal.host} runs it")
        return GOOD
    if not as_json:
        say(f"{goal.goal_id}: {foreign(goal.goal)}")
    told = 0 if fresh else max((turn.number for turn in goal.turns), default=0)
    follower = _Follower(engine, told, quiet=as_json)
    follower.changed(goal)
    begun = fresh
    while goal.status == "active":
        event = feed.next()
        if not isinstance(event, GoalChanged) or event.goal.goal_id != goal.goal_id:
            continue
        begun = begun or event.goal.status == "active"
        if begun and event.goal.host_pid != os.getpid():
            say(f"{_line(event.goal)}; {_doing(event.goal, time.time())}", to_stderr=True)
            return REFUSED
        if begun:  # before that, it tells how the goal stood when it was taken over
            goal = event.goal
            follower.changed(goal)
    if as_json:
        say_json(GoalSaid(status="ok", goal=goal))
    else:
        say(_line(goal))
    return GOOD if goal.status == "done" else REFUSED


class _Follower:
    """Prints each turn of a goal once it has its verdict, and what it waits for."""

    def __init__(self, engine: Engine, told: int, *, quiet: bool) -> None:
        self._engine = engine
        self._quiet = quiet
        self._told = told
        """The number of the newest turn that was printed."""
        self._waiting = ""

    def changed(self, goal: GoalView) -> None:
        """Print what is new."""
        if self._quiet:
            return
        for turn in goal.turns:
            over = turn.verdict or (turn.ended_at is not None and goal.status != "active")
            if turn.number > self._told and over:
                self._told = turn.number
                say(_turn_line(turn))
                if turn.exit_code:
                    self._tail_of(turn.session_id)
        barrier = goal.barrier
        if barrier is not None and barrier.barrier_id != self._waiting:
            self._waiting = barrier.barrier_id
            why = _because(barrier.reason)
            say(f"  waits for {barrier_words(barrier, time.time())}{why}")
        flush()

    def _tail_of(self, session_id: str) -> None:
        polled = self._engine.poll(session_id).result()
        if not isinstance(polled, Refused):
            for line in polled.output_preview.rstrip().splitlines()[-_TAIL_LINES:]:
                say(click.style(f"  │ {clean(line.expandtabs())}", dim=True))


def _turn_line(turn: TurnView) -> str:
    code = "not run" if turn.exit_code is None else f"exit {turn.exit_code}"
    took = f" in {span(turn.ended_at - turn.started_at)}" if turn.ended_at is not None else ""
    verdict = click.style(turn.verdict, fg=_TONES.get(turn.verdict)) if turn.verdict else ""
    return f"turn {turn.number}: step {code}{took}" + (f"; {verdict}" if verdict else "") + _because(turn.reason)


def _because(reason: str) -> str:
    return f": {foreign(reason)}" if reason else ""


def _line(goal: GoalView) -> str:
    why = goal.paused_reason if goal.status == "paused" else goal.last_reason if goal.status == "done" else ""
    turns = f"{goal.turns_used} of {goal.max_turns} turns"
    return f"{goal.goal_id} is {click.style(goal.status, fg=_TONES.get(goal.status))}{_because(why)} ({turns})"


def _row(goal: GoalView, now: float) -> tuple[str, ...]:
    doing = _doing(goal, now)
    last = goal.last_verdict or "-"
    return goal.goal_id, goal.status, f"{goal.turns_used}/{goal.max_turns}", last, doing, goal.goal


def _doing(goal: GoalView, now: float) -> str:
    if goal.status == "paused":
        return foreign(goal.paused_reason) or "paused"
    if goal.held_up:
        return f"no turn runs: {foreign(goal.held_up)}"
    expired = f"; the lease of {foreign(goal.host)} expired {ago(now - goal.lease_until)}"
    elsewhere = expired if goal.host and goal.lease_until <= now else ""
    if goal.barrier is not None:
        return f"waits for {barrier_words(goal.barrier, now)}{elsewhere}"
    if goal.status == "active" and elsewhere:
        return f"stands still{elsewhere}: open a console, or resume it"
    if goal.status == "active":
        host = foreign(goal.host) or (f"process {goal.host_pid}" if goal.host_pid else "")
        return f"runs in {host}" if host else "nobody runs it: open a console, or resume it"
    return ago(now - goal.last_turn_at) if goal.last_turn_at else "-"


def _show(goal: GoalView, now: float) -> None:
    say(_line(goal))
    say(f"  goal   {foreign(goal.goal)}")
    say(f"  step   {foreign(goal.step)}")
    say(f"  judge  {foreign(goal.judge)}")
    say(f"  now    {_doing(goal, now)}")
    for turn in goal.turns:
        say(f"  {_turn_line(turn)}")
