"""The jobs of all engines, as one list."""

from typing import Any, NamedTuple

from tui.cli import asking, reaching
from tui.cli.exit_codes import GOOD


class Jobs(NamedTuple):
    """What ``list`` tells people."""

    rows: list[dict[str, Any]]
    """Oldest first."""
    hidden: int
    """So many more would the operator see."""
    by_engines: bool
    """False: no engine is there, and they are what the disk tells."""


def list_all(*, operator: bool) -> Jobs:
    """The caller's jobs on all engines.

    Raises:
        NobodyThere: No engine is there, and nothing on the disk.
    """
    rows, there = _ask(operator=operator)
    every = rows if operator else _ask(operator=True)[0]
    if not (every or there):
        raise reaching.NobodyThere(reaching.NOBODY)
    return Jobs(rows, len(every) - len(rows), there)


def _ask(*, operator: bool) -> tuple[list[dict[str, Any]], bool]:
    with reaching.engines_or_disk(reaching.whom(operator=operator)) as found:
        return _rows(one.ask("list", {})["processes"] for one in found), reaching.anybody(found)


def _rows(lists: Any) -> list[dict[str, Any]]:
    """A receipt is every engine's to list: a job is listed once, by who has it."""
    rows: dict[str, dict[str, Any]] = {}
    for listed in lists:
        for row in listed:
            known = rows.get(row["session_id"])
            if known is None or (row["status"] == "running" and known["status"] != "running"):
                rows[row["session_id"]] = row
    return sorted(rows.values(), key=lambda row: float(row["started_at"]))


def list_as_json(*, operator: bool) -> int:
    """Print the result of ``list`` as one JSON object; the exit code."""

    def run() -> int:
        rows, there = _ask(operator=operator)
        if not (rows or there):
            raise reaching.NobodyThere(reaching.NOBODY)
        asking.print_json({"processes": rows})
        return GOOD

    return asking.guarded("list", run, as_json=True)


def tint(state: str) -> str:
    """The colour of how a job stands."""
    if state.startswith("running"):
        return "cyan"
    tints = {"exit 0": "green", "killed": "yellow", "waiting": "blue", "not started": "bright_black"}
    return tints.get(state, "red")


def say_jobs(jobs: Jobs) -> None:
    """A table for people."""
    import time

    from engine.results import exit_label
    from tui.cli.saying import foreign, say, say_table
    from tui.show.ages import ago, clock

    def how(row: dict[str, Any]) -> str:
        if row["status"] == "running":
            kept, detached = " ∞" * row["persist_on_release"], " detached" * (row["detached"] and jobs.by_engines)
            return f"running{kept}{detached}"
        if row["status"] == "waiting":
            return "waiting"
        if row["completion_reason"] == "killed":
            return "killed"
        return exit_label(row["exit_code"], row["completion_reason"], through_shell=True)

    def named(row: dict[str, Any]) -> str:
        return f"{row['name']} @{row['host']}" if row.get("host") else str(row["name"])

    def when(row: dict[str, Any]) -> str:
        if row["status"] == "running":
            return clock(row["uptime_seconds"])
        if row["status"] == "waiting":
            return clock(time.time() - row["started_at"])
        if row["status"] == "not_started":
            return ""
        return ago(time.time() - (row["exited_at"] or time.time()))

    if jobs.rows:
        table = [(row["session_id"], named(row), how(row), when(row), row["command"]) for row in jobs.rows]
        say_table(table, ("ID", "NAME", "STATE", "FOR", "COMMAND"), tinted=2, tint=tint)
        for row in jobs.rows:
            if row.get("reason"):
                say(f"{foreign(named(row))}: {foreign(row['reason'])}")
    else:
        say("no jobs of yours; 'jobdeck start -- COMMAND' starts one")
    if jobs.hidden > 0:
        say(f"{jobs.hidden} more of others: --operator shows them", to_stderr=True)
    if any(row.get("session_scoped") for row in jobs.rows):
        say("some are of an earlier task of this conversation (session_scoped in --json)", to_stderr=True)
    if not jobs.by_engines:
        say("no jobdeck runs here: this is what the disk tells; the next one takes over what runs", to_stderr=True)
