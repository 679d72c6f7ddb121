"""A pane's colours and attributes as they are painted, light and dark, with wide characters: drawings to look at.

``PICTURES=write`` draws them anew.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from drawing import svg

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

PICTURES = Path(__file__).parent / "pictures"
SHOWS = r"""
import pathlib, sys, time
while not pathlib.Path("go").exists():
    time.sleep(0.02)
out = []
for row in (range(30, 38), range(90, 98)):
    out.append("".join(f"\x1b[{n}m {n} \x1b[0m" for n in row))
for row in (range(40, 48), range(100, 108)):
    out.append("".join(f"\x1b[{n}m {n} \x1b[0m" for n in row))
out.append("".join(f"\x1b[48;5;{n}m  " for n in range(16, 52)) + "\x1b[0m")
out.append("".join(f"\x1b[48;2;{n * 7};{255 - n * 7};128m  " for n in range(36)) + "\x1b[0m")
looks = {"bold": "1", "dim": "2", "italic": "3", "under": "4", "double": "4:2", "curly": "4:3", "reverse": "7",
         "hidden": "8", "strike": "9", "over": "53", "red on blue": "31;44", "reversed red": "31;7"}
words = [f"\x1b[{code}m{name}\x1b[0m" for name, code in looks.items()]
out += ["  ".join(words[:6]), "  ".join(words[6:])]
out.append("日本語 \x1b[42m色\x1b[0m 👩‍👩‍👧 \x1b[4m🇯🇵\x1b[0m é ⚠️ │ one grid")
out.append("\x1b[1;31m誤\x1b[0m\x1b[31m差\x1b[0m │ [bold]no markup[/bold] │ <b>&amp;</b>")
out.append("\x1b]8;;https://example.com/\x1b\\a link\x1b]8;;\x1b\\ and \x1b(0lqqk\x1b(B lines")
sys.stdout.write("\x1b[?25l" + "\r\n".join(out) + "\r\nall said")
sys.stdout.flush()
sys.stdin.read()
"""


@pytest.mark.parametrize(("theme", "columns"), [("dark", 80), ("light", 80), ("dark", 40)])
async def test_what_a_program_paints_looks_like_this(
    theme: str, columns: int, console: "Opened", tmp_path: Path
) -> None:
    (tmp_path / "shows.py").write_text(SHOWS, encoding="utf-8")
    async with console(size=(columns + 40, 36)) as shown:
        shown.app.theme = f"jobdeck-{theme}"
        slot = await shown.start("python3 shows.py", name="shows", cwd=str(tmp_path))
        view = shown.pane(slot).view
        await shown.until(lambda: view.emulator.screen.columns == view.room.width == slot.job.cols)
        (tmp_path / "go").touch()  # what was wrapped at another width is no picture of this one
        await shown.until(lambda: "all said" in shown.pane_text())
        await shown.until(lambda: not shown.pane(slot).stream.waiting and not shown.toasts())
        width = view.size.width
        drawn = svg(([*view.render_line(y)] for y in range(min(view.size.height, 24))), width)
    kept = PICTURES / f"colours-{theme}-{columns}.svg"
    if os.environ.get("PICTURES") == "write":
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(drawn, encoding="utf-8")
    assert drawn == kept.read_text(encoding="utf-8")
