"""How a kill that takes its time, and one that fails, are put in words."""

from engine.events import JobView
from engine.results import Survivor
from tui.show.cleaning import clean_line


def waited_for(job: JobView) -> str:
    """Who a job's end waits for: ``waits for sleep 9 (1234) and 2 more``; empty while that isn't known."""
    ending = job.ending
    if ending is None or not ending.waiting:
        return ""
    first = ending.waiting[0]
    more = f" and {ending.count - 1} more" if ending.count > 1 else ""
    return f"waits for {clean_line(first.command, 30) or 'a process'} ({first.pid}){more}"


def advice(survivor: Survivor) -> str:
    """What a person can do about a process that can't be ended."""
    why = survivor.why.lower()
    if "permitted" in why or "denied" in why:
        return f"It runs with other rights than jobdeck: end it with those, as in 'sudo kill -9 {survivor.pid}'."
    if "kernel" in why:
        return "Nothing can end it now: see to the disk or the network it waits for, and it ends by itself."
    if "stopped" in why or "debugger" in why:
        return "Thaw it, or let the debugger go: it ends by itself then."
    return "Kill it again; if it lives on, look at it with 'ps'."
