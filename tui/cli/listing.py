"""The jobs of all engines, as one list."""

from typing import Any

from tui.cli import asking, reaching


def list_all(*, operator: bool) -> tuple[list[dict[str, Any]], int]:
    """The caller's jobs on all engines, and how many more the operator would see.

    A receipt is every engine's to list: a job is listed once, by who has it.
    """
    rows = own_rows(operator=operator)
    return rows, 0 if operator else len(own_rows(operator=True)) - len(rows)


def own_rows(*, operator: bool) -> list[dict[str, Any]]:
    """The caller's jobs on all engines, oldest first."""
    with reaching.engines(reaching.whom(operator=operator)) as found:
        return _rows(one.ask("list", {})["processes"] for one in found)


def _rows(lists: Any) -> list[dict[str, Any]]:
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
        asking.print_json({"processes": own_rows(operator=operator)})
        return asking.GOOD

    return asking.guarded("list", run, as_json=True)


def say_jobs(rows: list[dict[str, Any]], hidden: int) -> None:
    """A table for people."""
    import time

    from engine.results import exit_label
    from tui.cli.saying import say, say_table
    from tui.show.ages import ago, clock

    def how(row: dict[str, Any]) -> str:
        if row["status"] == "running":
            return "running" + (" ∞" if row["persist_on_release"] else "") + (" detached" if row["detached"] else "")
        if row["completion_reason"] == "killed":
            return "killed"
        return exit_label(row["exit_code"], row["completion_reason"], through_shell=True)

    def when(row: dict[str, Any]) -> str:
        if row["status"] == "running":
            return clock(row["uptime_seconds"])
        return ago(time.time() - (row["exited_at"] or time.time()))

    if rows:
        table = [(row["session_id"], row["name"], how(row), when(row), row["command"]) for row in rows]
        say_table(table, ("ID", "NAME", "STATE", "FOR", "COMMAND"))
    else:
        say("no jobs of yours; 'jobdeck start -- COMMAND' starts one")
    if hidden > 0:
        say(f"{hidden} more of others: --operator shows them", to_stderr=True)
