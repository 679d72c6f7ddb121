"""CPU a painted frame, of the whole console without a terminal; counts are what tests assert, times are printed.

    python -m tests.bench.frames [--frames N]

A pane of 120x40: all rows dirty, each word in a colour of its own; one row; a hidden pane. A frame is what `Pump` does
after it has fed a pane, up to the last byte for the terminal. What feeding took is told apart.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable

from engine import Engine, JobSpec
from tui.app import JobdeckApp
from tui.screens.deck import DeckScreen
from tui.widgets.pane import Pane

COLUMNS, LINES = 120, 40


def all_rows(number: int) -> str:
    """A screen of 22 colours a row."""
    return "".join(
        f"\x1b[{y + 1};1H" + "".join(f"\x1b[38;5;{16 + (x * 7 + y + number) % 216}mwor{x:02}" for x in range(22))
        for y in range(LINES)
    )


def one_row(number: int) -> str:
    """A row in its middle, of as many colours."""
    return f"\x1b[20;1H{all_rows(number).split(chr(27) + '[20;1H')[1].split(chr(27) + '[21;1H')[0]}"


async def opened(app: JobdeckApp, engine: Engine, size: tuple[int, int]) -> tuple[DeckScreen, Pane]:
    """The console's screen and the pane of a job that does nothing."""
    deck = app.screen
    assert isinstance(deck, DeckScreen)
    started = await asyncio.wrap_future(
        engine.spawn(JobSpec(command="sleep 1000", pty=True, cols=size[0], rows=size[1])).future
    )
    deck.open_when_known(started.session_id)
    while deck.area.pane is None or not deck.area.pane.view.room.area or deck.area.pane.stream.position is None:
        await asyncio.sleep(0.05)
    return deck, deck.area.pane


async def measure(pane: Pane, text: Callable[[int], str], frames: int) -> tuple[float, float, float, float]:
    """Median CPU ms of feeding and of a frame; lines painted and strips made a frame."""
    view = pane.view
    fed, spent = [], []
    lines, strips = view.painted_lines, view.made_strips
    for number in range(frames):
        piece = text(number)
        began = time.thread_time()
        pane.emulator.take_text(piece)
        after = time.thread_time()
        fed.append(after - began)
        pane.show()
        await asyncio.sleep(0.03)
        spent.append(time.thread_time() - after)
    return (
        statistics.median(fed) * 1000,
        statistics.median(spent) * 1000,
        (view.painted_lines - lines) / frames,
        (view.made_strips - strips) / frames,
    )


async def run(frames: int) -> None:
    """Open a console whose pane has the wanted size, and print the table."""
    engine = Engine()
    app = JobdeckApp(engine)
    try:
        async with app.run_test(size=(COLUMNS + 60, LINES + 10)) as pilot:
            _deck, pane = await opened(app, engine, (COLUMNS, LINES))
            async with asyncio.timeout(30):
                # The stack's width hangs on the terminal's: get there in steps.
                while (room := tuple(pane.view.room)) != (COLUMNS, LINES):
                    width, height = app.size
                    await pilot.resize_terminal(width + COLUMNS - room[0], height + LINES - room[1])
                    await asyncio.sleep(0.2)
                while (pane.emulator.screen.columns, pane.emulator.screen.lines) != (COLUMNS, LINES):
                    await asyncio.sleep(0.1)
            print(f"pane {pane.view.room.width}x{pane.view.room.height}; medians of {frames} frames, CPU ms\n")
            print(f"{'':24} {'frame':>7} {'goal':>6} {'feeding':>8} {'lines painted':>14} {'strips made':>12}")

            def row(name: str, goal: str, got: tuple[float, float, float, float]) -> None:
                print(f"{name:24} {got[1]:7.2f} {goal:>6} {got[0]:8.2f} {got[2]:14.1f} {got[3]:12.1f}")

            row("all rows, coloured", "6", await measure(pane, all_rows, frames))
            row("one row", "2", await measure(pane, one_row, frames))
            row("no change", "", await measure(pane, lambda _number: "", frames))
            pane.display = False
            await asyncio.sleep(0.5)
            row("hidden", "0", await measure(pane, all_rows, frames))
    finally:
        engine.shutdown()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=100)
    asyncio.run(run(parser.parse_args().frames))


if __name__ == "__main__":
    main()
