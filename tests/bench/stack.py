"""What the stack costs with many jobs: CPU milliseconds a frame while it is scrolled, filtered, sorted and told news.

    python -m tests.bench.stack [--jobs N] [--running N] [--rounds N]

The real console, headless, 120x40, and jobs as the engine would tell of them, without processes. A frame is one step (a
key, a character of the filter, news of some jobs) up to the painting that follows, in all parts of the console; where a
step is painted more than once (Textual lays out anew once a layout has changed what is in it), each is a frame, and the
step is told beside it. What a fixed piece of work takes is told too: beside others a core is up to twice as slow.
"""

import argparse
import asyncio
import itertools
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from job_views import ended, running

from engine import Engine, Settings
from engine.events import JobChanged, JobView, Snapshot
from engine.results import JobUse, Usage
from tests.bench.frame_costs import FRAME_MS, Frames
from tui.app import JobdeckApp
from tui.arranging import Grouping, Sort
from tui.screens.deck import DeckScreen

TAGS = ("web", "batch", "db", "nightly", "")


def jobs(count: int, live: int) -> list[JobView]:
    """So many jobs, some of which run, with names, tags and owners as they may be."""
    now = time.time()
    views = []
    for number in range(count):
        name = f"{('api', 'worker', 'build', 'tests')[number % 4]}-{number}"
        tag = TAGS[number % len(TAGS)]
        fields = {
            "command": f"python -m shop.{name} --port {8000 + number}",
            "tags": (tag,) if tag else (),
            "owner": f"conv_{number % 7:04x}" if number % 3 == 0 else "",
            "started_at": now - count + number,
            "last_line": f"GET /items/{number} 200 {number % 90}ms",
            "total_output_chars": 1_000 + number,
        }
        views.append(running(name, **fields) if number % count < live else ended(name, number % 3, **fields))
    return views


class Steps(Frames):
    """The frames of steps of one kind, and what a step costs with all its frames."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.steps: list[float] = []

    def row(self) -> str:
        """A line of the table."""
        return f"{super().row()} {statistics.median(self.steps):8.1f} {max(self.steps):8.1f}"


async def frames(deck: DeckScreen, name: str, count: int, step: Callable[[int], object]) -> Steps:
    """Do a step and let all that follows be done, so many times. A frame is all from one painting to the next."""
    kind = Steps(name)
    refresh = deck._compositor_refresh
    cuts: list[float] = []

    def painted() -> None:
        refresh()
        cuts.append(time.thread_time())

    with mock.patch.object(deck, "_compositor_refresh", painted):
        for number in range(count):
            cuts[:] = [time.thread_time()]
            step(number)
            for _ in range(3):  # messages, layout, painting
                done = asyncio.Event()
                deck.call_after_refresh(done.set)
                await done.wait()
            cuts.append(time.thread_time())
            kind.costs += [(after - before) * 1e3 for before, after in itertools.pairwise(cuts)]
            kind.steps.append((cuts[-1] - cuts[0]) * 1e3)
    return kind


def news(views: Sequence[JobView], count: int) -> Callable[[int], list[JobChanged]]:
    """Of each step: so many of the running ones have written a line."""
    live = [view for view in views if view.exited_at is None]

    def step(number: int) -> list[JobChanged]:
        some = [live[(number * count + place) % len(live)] for place in range(count)]
        return [
            JobChanged(
                number,
                time.time(),
                msgspec.structs.replace(job, last_line=f"line {number}", total_output_chars=9_999 + number),
            )
            for job in some
        ]

    return step


def usage(views: Sequence[JobView]) -> Callable[[int], Usage]:
    """Of each step: what all the running ones use."""
    live = [view.session_id for view in views if view.exited_at is None]

    def step(number: int) -> Usage:
        uses = tuple(
            JobUse(
                session_id=name, cpu=(place * 7 + number * 13) % 97 / 97, rss=(place * 31 + number) % 997 << 20,
                processes=1, waiting=False, stopped=False,
            )
            for place, name in enumerate(live)
        )  # fmt: skip
        return Usage(at=time.time(), jobs=uses)

    return step


def yardstick() -> float:
    """CPU milliseconds of a fixed piece of work, about 10 on a quiet core."""
    began = time.thread_time()
    for _ in range(180):
        sorted(map(str, range(1_000)))
    return (time.thread_time() - began) * 1e3


async def measure(deck: DeckScreen, views: Sequence[JobView]) -> list[Steps]:
    """All kinds of frames."""
    stack, line = deck.stack, deck.filter.line

    def placed(number: int) -> None:
        deck._take_usage(used(number))
        stack._lay_out()

    out: list[Steps] = []
    deck.take_events([Snapshot(0, time.time(), tuple(views))])
    told, used = news(views, 20), usage(views)
    out.append(await frames(deck, "next job (j)", 200, lambda _: deck.action_do("stack.down")))
    out.append(await frames(deck, "page down, page up", 80, lambda n: deck.action_do(
        "stack.page_down" if n % 40 < 20 else "stack.page_up")))  # fmt: skip
    out.append(await frames(deck, "wheel", 100, lambda n: stack.scroll_relative(
        y=3 if n % 50 < 25 else -3, animate=False, force=True, immediate=True)))  # fmt: skip
    deck.action_do("stack.first")
    out.append(await frames(deck, "20 jobs wrote", 60, lambda n: deck.take_events(told(n))))
    out.append(await frames(deck, "what 200 jobs use", 30, lambda n: deck._take_usage(used(n))))
    out.append(await frames(deck, "the filter comes and goes", 19, lambda n: deck.action_do(
        "filter.close" if n % 2 else "stack.filter")))  # fmt: skip
    typed = "worker #batch running"
    steps = [typed[:end] for end in range(1, len(typed) + 1)] + [typed[:end] for end in range(len(typed) - 1, -1, -1)]
    out.append(await frames(deck, "a character of the filter", len(steps), lambda n: setattr(line, "value", steps[n])))
    out.append(await frames(deck, "  one that most contain, and none", 20, lambda n: setattr(
        line, "value", "" if n % 2 else "e")))  # fmt: skip
    line.value = "e"
    await frames(deck, "", 1, lambda _: None)
    out.append(await frames(deck, "  20 jobs wrote, filtered", 60, lambda n: deck.take_events(told(n))))
    out.append(await frames(deck, "  next job, filtered", 100, lambda _: deck.action_do("stack.down")))
    deck.action_do("filter.close")
    await frames(deck, "", 1, lambda _: None)
    for sort in list(Sort)[1:]:
        out.append(await frames(deck, f"to {sort} and back", 20, lambda n, sort=sort: stack.rearrange(
            sort=Sort.START if n % 2 else sort)))  # type: ignore[misc]  # fmt: skip
    for group in list(Grouping)[1:]:
        out.append(await frames(deck, f"to groups by {group} and back", 20, lambda n, group=group: stack.rearrange(
            group=Grouping.OWNER if n % 2 else group)))  # type: ignore[misc]  # fmt: skip
    stack.rearrange(sort=Sort.CPU, group=Grouping.STATE)
    out.append(await frames(deck, "sorted by cpu: what they use, placed", 30, placed))
    stack.rearrange(sort=Sort.START, group=Grouping.OWNER)
    for view in views[:20]:
        deck.open_when_known(view.session_id, turn=view is views[0])
    await frames(deck, "", 3, lambda _: None)
    out.append(await frames(deck, "20 tabs: into the pane and back", 20, lambda _: deck.action_do("focus.next")))
    out.append(await frames(deck, "20 tabs: the next one", 20, lambda _: deck.action_do("tab.next")))
    out.append(await frames(deck, "all marked, none marked", 20, lambda _: stack.mark_all()))
    return out


async def main(count: int, live: int, rounds: int) -> None:
    """Open the console, fill the stack, measure."""
    for _ in range(rounds):
        with Engine(Settings()) as engine:
            app = JobdeckApp(engine, ())
            async with app.run_test(size=(120, 40)) as pilot:
                deck = app.screen
                assert isinstance(deck, DeckScreen)
                await pilot.pause(0.5)
                views = jobs(count, live)
                print(
                    f"\n{count:,} jobs, {live:,} of them running; CPU ms a frame of this thread, painting included; "
                    f"over: frames beyond {FRAME_MS:g} ms\n"
                )
                print(f"a fixed piece of work: {yardstick():.1f} ms")
                print(f"{'':38} {'frames':>6} {'median':>8} {'p99':>8} {'most':>8} {'over':>6} {'step':>8} {'most':>8}")
                for kind in await measure(deck, views):
                    print(kind.row(), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--running", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=1)
    asked = parser.parse_args()
    asyncio.run(main(asked.jobs, asked.running, asked.rounds))
