"""A pane as it is read, as text, at three sizes: marks, times, what is found and what is selected, wide characters too.

What stands out is told below each picture. ``PICTURES=write`` writes them anew, to be looked at before they
are kept.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from standing import looks_like

from tui.widgets.search_bar import SearchLine

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

PICTURES = Path(__file__).parent / "pictures"
LOG = r"""
i=0
long="https://example.com/a and so on, until it wraps at any of the widths that are shown here: $(seq -s' ' 100 140)"
while [ $i -lt 200 ]; do
    i=$((i+1))
    printf '\033[32mINFO\033[m GET /商品/%03d 200 日本語の行 %s\n' $i "$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 0)"
    [ $((i % 7)) = 0 ] && printf '\033[31m錯誤\033[m 接続が拒否されました (%03d) %s\n' $i "$long"
done
echo all said
exec sleep 1000
"""


def picture(shown: "Console") -> str:
    """The pane's part of the screen, without what differs from run to run, and what stands out in it."""
    rows = [row.split("▕", 1)[-1].rstrip(" ▁▂▃▄▅▆▇█") for row in shown.screen_text().split("\n")[1:-1]]
    text = "\n".join(rows)
    text = re.sub(r"\d\d:\d\d:\d\d", "        ", text)  # where a second begins differs
    text = re.sub(r"pid \d+ · (pty \S+) · .*", r"pid … · \1 · …", text)
    view = shown.deck.area.view
    assert view is not None
    grounds = {
        view.get_component_rich_style(f"terminal--{name}").bgcolor: name for name in ("found", "current", "selection")
    }
    out = [
        f"{y:3} {grounds[segment.style.bgcolor]:9} {segment.text.rstrip()}"
        for y in range(view.size.height)
        for segment in view.render_line(y)
        if segment.style is not None and segment.style.bgcolor in grounds
    ]
    return text + "\n" + "\n".join(out) + "\n"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_pane_that_is_read_looks_like_this(size: tuple[int, int], console: "Opened", tmp_path: Path) -> None:
    (tmp_path / "log.sh").write_text(LOG)
    async with console(size=size) as shown:
        slot = await shown.start("sh log.sh", name="shop", cwd=str(tmp_path))
        await shown.until(lambda: "all said" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.until(lambda: shown.deck.area.pane_has_focus)
        view = shown.pane(slot).view
        room = view.room
        await shown.press("t")

        def fits() -> bool:
            screen = view.emulator.screen
            sizes = {tuple(view.room), (slot.job.cols, slot.job.rows), (screen.columns, screen.lines)}
            return len(sizes) == 1 and view.room.width < room.width and not shown.pane(slot).stream.waiting

        await shown.until(fits, "the terminal to be narrower by the times")
        await shown.press("slash")
        await shown.until(lambda: isinstance(shown.app.focused, SearchLine))
        await shown.type("拒否")
        await shown.until(lambda: "28/28" in shown.pane(slot).search.said)
        await shown.press("enter", "N", "N", "m", "shift+right", "shift+right", "shift+down")
        await shown.until(lambda: "26/28" in shown.pane(slot).search.said and len(view.selection.text) > 20)
        await shown.until(lambda: not shown.toasts())
        kept = PICTURES / f"reading-{size[0]}x{size[1]}.txt"
        if os.environ.get("PICTURES") == "write":
            await shown.pilot.pause(1.0)
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(picture(shown), encoding="utf-8")
        await looks_like(shown, lambda: picture(shown), kept.read_text(encoding="utf-8"))
