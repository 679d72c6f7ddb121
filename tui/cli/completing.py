"""What a shell is told when it completes a word: jobs, engines, goals, signals. Never says what went wrong."""

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import click
from click.shell_completion import CompletionItem

_PATIENCE = 1.0
"""Seconds an engine may take: a person waits for the word."""
_WORD = re.compile(r"[\w.+@/-]+")
"""Names that a shell takes as they are."""
_SIGNALS = ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "STOP", "CONT", "WINCH", "KILL", "TSTP", "ALRM")

Items = list[CompletionItem[Any]]


def jobs(ctx: click.Context, incomplete: str, *, running: bool = False) -> Items:
    """Ids of the caller's jobs, those that run first, then the newest; names too where they are one word."""
    from tui.cli import reaching

    rows: list[dict[str, Any]] = []
    with suppress(Exception), reaching.engines_or_disk(_who(ctx), patience=_PATIENCE) as found:
        for one in found:
            with suppress(OSError):
                rows += one.ask("list", {}, _PATIENCE)["processes"]
    known = {row["session_id"]: row for row in rows if row["status"] in ("running", "waiting") or not running}
    newest = sorted(known.values(), key=lambda row: (row["status"] == "running", row["started_at"]), reverse=True)
    ids = [(row["session_id"], row["name"]) for row in newest if _id_begins(row["session_id"], incomplete)]
    named = Counter(row["name"] for row in newest)
    names = [
        (row["name"], row["command"])
        for row in newest
        if named[row["name"]] == 1 and _WORD.fullmatch(row["name"]) and row["name"].startswith(incomplete)
    ]
    return _items([*names, *ids])


def _id_begins(session_id: str, typed: str) -> bool:
    return session_id.removeprefix("proc_").startswith(typed) or session_id.startswith(typed)


def engines(ctx: click.Context, incomplete: str) -> Items:
    """Kinds and pids."""
    from tui.cli import reaching

    found: dict[str, str] = {}
    with suppress(Exception), reaching.engines(_who(ctx), patience=_PATIENCE) as there:
        for one in there:
            info = one.welcome["engine"]
            found[info["kind"]] = f"the engine of kind {info['kind']}"
            found[str(info["pid"])] = info["label"] or info["kind"]
    return _items((name, about) for name, about in found.items() if name.startswith(incomplete))


def agents(ctx: click.Context, incomplete: str, *, children: bool) -> Items:
    """Ids of the caller's background agents, and of batches or their running children."""
    from tui.cli import reaching

    found: list[tuple[str, str]] = []
    with suppress(Exception), reaching.engines(_who(ctx), patience=_PATIENCE) as there:
        for one in there:
            answer = one.ask("agents", {}, _PATIENCE)
            found += [(handle["session_id"], handle["goal"]) for handle in answer["background"]]
            for batch in reversed(answer["batches"]):
                running = [handle for handle in batch["handles"] if handle["status"] == "running"]
                found += [(handle["subagent_id"], handle["goal"]) for handle in running if children]
                found += [] if children else [(batch["batch_id"], batch["name"])]
    return _items((name, about) for name, about in found if name.startswith(incomplete))


def goals(incomplete: str) -> Items:
    """Ids of this home's goals."""
    found: list[tuple[str, str]] = []
    with suppress(Exception):
        from engine import Engine

        with Engine(recovers=False) as engine:
            answer = engine.goal_status("").result(_PATIENCE).to_dict()
        found = [(goal["goal_id"], goal["goal"]) for goal in answer["goals"]]
    return _items((goal_id, what) for goal_id, what in found if goal_id.startswith(incomplete))


def signals(incomplete: str) -> Items:
    """Names of signals, with SIG where it was typed."""
    typed = incomplete.upper()
    short = [name for name in _SIGNALS if name.startswith(typed)]
    return _items((name, "") for name in short or [f"SIG{name}" for name in _SIGNALS] if name.startswith(typed))


def _who(ctx: click.Context) -> dict[str, Any]:
    from tui.cli import reaching

    return reaching.whom(operator=bool(ctx.params.get("operator")))


def _items(found: Iterable[tuple[str, str]]) -> Items:
    """With what is told beside them: one line, without what shells' formats take for something else."""
    from tui.show.cleaning import clean_line

    return [CompletionItem(value, help=clean_line(about, 60).replace(",", " ") or None) for value, about in found]
