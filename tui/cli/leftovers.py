"""What dead engines left behind: found, described, ended (``jobdeck doctor``)."""

import asyncio
import sys
from collections.abc import Sequence

from engine.config import Settings
from engine.ownership.ledger import Ledger
from engine.ownership.leftovers import Leftover, find_leftovers
from engine.process.probe import Probe
from engine.process.teardown import Teardown
from engine.process.tree import Tree
from engine.results import Survivor
from engine.store.home import home_folder
from tui.show.cleaning import clean_line


def look(settings: Settings) -> list[Leftover]:
    """Who is left behind.

    Raises:
        OSError: The ledger can't be read.
    """
    ledger = Ledger(home_folder(), lambda text: print(text, file=sys.stderr))  # noqa: T201
    return find_leftovers(ledger, settings.escape_keep)


def describe(found: Sequence[Leftover]) -> str:
    """A line a process."""
    if not found:
        return "Nothing is left behind: every process that jobdeck started here is ended or has its jobdeck."
    lines = ["Left behind by a jobdeck that is gone:"]
    for one in found:
        notes = [f"listens on {', '.join(map(str, one.ports))}"] if one.ports else []
        notes += ["stopped"] if one.state == "T" else []
        notes += ["meant to live on"] if one.kept else []
        note = f"  ({'; '.join(notes)})" if notes else ""
        lines.append(
            f"  {one.identity.pid:>8}  {one.session_id or 'no job id':<17}  {clean_line(one.command, 80)}{note}"
        )
    return "\n".join(lines)


def end(found: Sequence[Leftover], settings: Settings) -> list[Survivor]:
    """End them, with grace; who could not be proved dead."""

    async def run() -> list[Survivor]:
        tree = Tree(Probe(), None, "", [one.identity for one in found], with_escaped=False)
        return await Teardown(tree, settings, asyncio.Event(), parent_first=False).run()

    return asyncio.run(run())
