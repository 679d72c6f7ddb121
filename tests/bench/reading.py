"""What reading in a pane costs: CPU milliseconds a frame while a full scrollback is scrolled and searched.

    python -m tests.bench.reading [--rounds N]

The real console, headless, 120x40, over a pane that holds 10,000 lines of a coloured log with wide characters in it. A
frame is one step (a wheel's notch, a page, a slice of the search, a match gone to) with the painting that follows.
Wall time is of no interest here: the machine is shared.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from engine import Engine, Settings
from engine.terminal import Spot
from tests.bench.frame_costs import FRAME_MS, Frames
from tui.app import JobdeckApp
from tui.reading.pattern import Wanted
from tui.screens.deck import DeckScreen
from tui.widgets.pane import Pane
from tui.widgets.search_bar import SLICE_SECONDS

LINES = 12_000

LOG = f"""
import sys
for i in range({LINES}):
    sys.stdout.write(
        f"\\x1b[2m[12:{{i // 60 % 60:02}}:{{i % 60:02}}]\\x1b[m \\x1b[32mINFO\\x1b[m  GET /items/{{i}} 200 "
        f"{{i * 7 % 90}}ms user=日本{{i % 13}} \\x1b[3{{i % 7 + 1}}mtrace={{i * 2654435761 % 2**32:08x}}\\x1b[m\\n"
    )
print("all said", flush=True)
sys.stdin.read()
"""


async def frames(pane: Pane, name: str, count: int, step: Callable[[int], object]) -> Frames:
    """Do a step and let it be painted, so many times."""
    kind = Frames(name)
    view = pane.view
    for number in range(count):
        painted = view.painted_lines
        began = time.thread_time()
        step(number)
        ends = time.monotonic() + 0.25
        while view.painted_lines == painted and time.monotonic() < ends:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        kind.costs.append((time.thread_time() - began) * 1e3)
    return kind


async def measure(pane: Pane) -> list[Frames]:
    """All kinds of frames."""
    view, search = pane.view, pane.search.search
    lines = view.emulator.lines
    out: list[Frames] = []
    view.move_to(view.emulator.end)
    out.append(await frames(pane, "first look at each page, upwards", 240, lambda _: view.move_by(-41)))
    out.append(await frames(pane, "wheel, up and down", 200, lambda n: view.move_by(3 if n % 40 < 20 else -3)))
    out.append(await frames(pane, "pages", 200, lambda n: view.move_by(-36 if n % 100 < 50 else 36)))
    for text, regex in (("trace=0", False), ("e", False), (r"\d+ms user=日本[0-3]", True), (".", True)):
        search.seek(Wanted("nothing is as long as this"))
        began = time.thread_time()
        search.seek(Wanted(text, regex=regex))
        slices = Frames(f"slices of a search for {text}")
        while True:
            sliced = time.thread_time()
            more = search.step(SLICE_SECONDS)
            slices.costs.append((time.thread_time() - sliced) * 1e3)
            if not more:
                break
        whole = (time.thread_time() - began) * 1e3
        slices.name += f" ({whole:.0f} ms, {search.total:,})"
        out.append(slices)
        out.append(await frames(pane, f"  going to matches of {text}", 60, lambda _: pane.search.go(-1)))
        out.append(await frames(pane, "  wheel with matches lit", 60, lambda n: view.move_by(3 if n % 20 < 10 else -3)))
    search.seek(Wanted())
    middle = Spot((lines.first + lines.newest) // 2, 0)
    view.selection.all_of(Spot(lines.first, 0), Spot(lines.newest, 0))
    view.selected()
    out.append(await frames(pane, "wheel with all selected", 60, lambda n: view.move_by(3 if n % 20 < 10 else -3)))
    copied = Frames("the text of all that is selected")
    for _ in range(5):
        began = time.thread_time()
        size = len(view.selection.text)
        copied.costs.append((time.thread_time() - began) * 1e3)
    copied.name += f" ({size:,} characters)"
    out.append(copied)
    pane.times.toggle()
    await asyncio.sleep(1)
    view.move_to(lines.row(middle))
    out.append(await frames(pane, "wheel with times", 100, lambda n: view.move_by(3 if n % 20 < 10 else -3)))
    return out


async def main(rounds: int) -> None:
    """Open the console, fill the pane, measure."""
    with tempfile.TemporaryDirectory(prefix="reading-") as folder:
        log = Path(folder) / "log.py"
        log.write_text(LOG)
        for _ in range(rounds):
            with Engine(Settings()) as engine:
                app = JobdeckApp(engine, (f"exec {sys.executable} {log}",))
                async with app.run_test(size=(120, 40)) as pilot:
                    deck = app.screen
                    assert isinstance(deck, DeckScreen)
                    while deck.area.pane is None or "all said" not in deck.area.pane.job.last_line:
                        await pilot.pause(0.05)
                    pane = deck.area.pane
                    deck.focus_pane()
                    await pilot.pause(1.0)
                    kept = pane.emulator.total - pane.emulator.first
                    print(
                        f"\n{kept:,} rows above the screen, {pane.view.room.width}x{pane.view.room.height}; "
                        f"CPU ms a frame of this thread, painting included; over: frames beyond {FRAME_MS:g} ms\n"
                    )
                    print(f"{'':38} {'frames':>6} {'median':>8} {'p99':>8} {'most':>8} {'over':>6}")
                    for kind in await measure(pane):
                        print(kind.row(), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    asyncio.run(main(parser.parse_args().rounds))
