"""What is waited for, in words."""

import time

from engine.waiting import BarrierView, GoalView, Release
from tui.show.ages import clock
from tui.show.cleaning import clean_line


def waiter(barrier: BarrierView) -> str:
    """Who or what waits: its reason, else what is to be run, else just a wait."""
    return clean_line(barrier.reason or barrier.then or "wait", 80)


def awaited(barrier: BarrierView, name: str = "") -> str:
    """What is waited for: ``on api: exit``, ``on process 4711 make``, ``until 02:00``."""
    match barrier.kind:
        case "session":
            return f"on {clean_line(name or barrier.target or barrier.session_id, 40)}: {_signal(barrier)}"
        case "pid":
            target = f" {clean_line(barrier.target, 40)}" if barrier.target else ""
            return f"on process {barrier.pid}{target}: its end"
    return f"until {when(barrier.deadline)}"


def _signal(barrier: BarrierView) -> str:
    match barrier.on:
        case "success":
            return "exit 0"
        case "match" if barrier.pattern:
            return f"match “{clean_line(barrier.pattern, 60)}”"
        case "match":
            return "a hit"
        case "any":
            return "exit or a hit"
    return "exit"


def when(deadline: float | None, now: float | None = None) -> str:
    """A time of day, with the date when that isn't today."""
    if deadline is None:
        return "it is lifted"
    today = time.localtime(now)
    there = time.localtime(deadline)
    same = there.tm_yday == today.tm_yday and there.tm_year == today.tm_year
    return time.strftime("%H:%M:%S" if same else "%d %b %H:%M", there)


def how_long(barrier: BarrierView, now: float, *, short: bool = False) -> str:
    """Since when, and how long at most; ``short`` says only how long at most."""
    left = "" if barrier.deadline is None else clock(barrier.deadline - now)
    if barrier.kind == "time":
        return f"in {left}" if left else ""
    if short and left:
        return f"{left} left"
    return clock(now - barrier.since) + (f" · gives up in {left}" if left else "")


def outcome(release: Release) -> str:
    """Why a wait is over."""
    match release.outcome:
        case "lifted":
            return "lifted"
        case "expired":
            return clean_line(release.text or "gave up", 200)
        case "target_lost":
            return clean_line(release.text or "what it waited for is gone", 200)
    return clean_line(release.text or release.outcome, 200)


def verdict(goal: GoalView) -> str:
    """What the judge said last."""
    if not goal.last_verdict:
        return ""
    reason = f" “{clean_line(goal.last_reason, 120)}”" if goal.last_reason else ""
    return f"judge: {clean_line(goal.last_verdict, 20)}{reason}"


def doing(goal: GoalView) -> str:
    """What a goal that isn't parked does now."""
    if goal.status == "paused":
        why = f": {clean_line(goal.paused_reason, 120)}" if goal.paused_reason else ""
        return f"paused{why}"
    if goal.status != "active":
        return goal.status
    if goal.held_up:
        return f"no turn runs: {clean_line(goal.held_up, 300)}"
    if not goal.host and not goal.host_pid:
        return "nobody runs it"
    if goal.running == "judge":
        return "the judge is asked"
    return "its step runs" if goal.running else "goes on"


def hosted_by(goal: GoalView, now: float, *, short: bool = False) -> str:
    """Who else runs a goal, and how long it has the right to; empty when that is this process, or nobody."""
    if not goal.host:
        return ""
    host, until = clean_line(goal.host, 80), when(goal.lease_until, now)
    if goal.lease_until <= now:
        return f"lease expired {until}" if short else f"the lease of {host} expired at {until}: it is taken over"
    return f"{host} until {until}" if short else f"run by {host}, whose lease lasts until {until}"
