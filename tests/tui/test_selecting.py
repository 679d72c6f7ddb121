"""Selecting in a pane by mouse and keys, and copying: what was meant, whatever wraps, is wide or scrolls by."""

import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import PATIENCE

from tui.bridge.clipboard import takers

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened
    from tui.widgets.terminal import TerminalView


async def drag(shown: "Console", view: "TerminalView", *places: tuple[int, int]) -> None:
    """Press at the first place, move over the others, let go at the last."""
    await shown.pilot.mouse_down(view, offset=places[0])
    for place in places[1:]:
        await shown.pilot.hover(view, offset=place)
    await shown.pilot.mouse_up(view, offset=places[-1])
    await shown.arrived()


async def test_wrapped_rows_join_and_trailing_blanks_go(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("printf 'A%.0s' $(seq 300); echo; printf 'two  \\n\\nthree'; sleep 1000")
        await shown.until(lambda: "three" in shown.pane_text())
        view = shown.pane(slot).view
        await drag(shown, view, (0, 0), (5, 3), (79, 3))
        assert view.selection.text == "A" * 300
        await drag(shown, view, (79, 4), (40, 5), (0, 0))
        assert view.selection.text == "A" * 300 + "\ntwo"
        await drag(shown, view, (1, 4), (4, 6))
        assert view.selection.text == "wo\n\nthree"


async def test_wide_characters_and_clusters_are_whole_and_lit_to_their_edges(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(
            "printf 'a日本語b \\360\\237\\221\\251\\342\\200\\215\\360\\237\\221\\247 end\\n'; sleep 1000"
        )
        await shown.until(lambda: "end" in shown.pane_text())
        view = shown.pane(slot).view
        ground = view.get_component_rich_style("terminal--selection").bgcolor
        for start, end, text in ((2, 3, "日本"), (4, 1, "日本"), (6, 6, ""), (5, 7, "語b"), (9, 11, "👩‍👧 ")):
            await drag(shown, view, (start, 0), (end, 0))
            assert view.selection.text == text.rstrip()
            lit = [s.text for s in view.render_line(0) if s.style is not None and s.style.bgcolor == ground]
            assert "".join(lit) == text


async def test_a_double_click_takes_a_word_and_a_triple_click_a_line(console: "Opened") -> None:
    path = "/srv/shop/back-end/app.py:31"
    async with console() as shown:
        slot = await shown.start(f"echo 'File ({path}), \"x\"  '; printf 'b%.0s' $(seq 200); sleep 1000")
        await shown.until(lambda: "bb" in shown.pane_text())
        view = shown.pane(slot).view
        await shown.pilot.click(view, offset=(12, 0), times=2)
        assert view.selection.text == path
        await shown.pilot.click(view, offset=(12, 0), times=3)
        assert view.selection.text == f'File ({path}), "x"'
        await shown.pilot.click(view, offset=(12, 2), times=2)
        assert view.selection.text == "b" * 200
        await shown.pilot.click(view, offset=(3, 0))
        assert view.selection.text == ""


async def test_dragging_beyond_the_edge_scrolls_and_goes_on_selecting(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq 1 500; sleep 1000")
        await shown.until(lambda: "500" in shown.pane_text())
        view = shown.pane(slot).view
        await shown.pilot.mouse_down(view, offset=(0, 5))
        first = shown.pane_text().split("\n")[5]
        await shown.pilot.hover(view, offset=(0, 2))
        await shown.pilot.hover("#tabs", offset=(0, 0))
        await shown.until(lambda: view.top < 400)
        await shown.pilot.mouse_up("#tabs", offset=(0, 0))
        await shown.arrived()
        top = view.top
        selected = view.selection.text.split("\n")
        assert selected[-1] == first[:1] and len(selected) > 60
        assert int(selected[0]) == top + 1
        await shown.pilot.pause(0.3)
        assert view.top == top


async def test_keys_select_from_where_one_stands_and_bring_it_in_sight(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq -f 'row %g' 1 300; sleep 1000")
        await shown.until(lambda: "row 300" in shown.pane_text())
        view = shown.pane(slot).view
        shown.deck.focus_pane()
        await shown.press("shift+up", "shift+up")
        assert view.selection.text == "row 298\nrow 299"
        await shown.press("K", "J", "shift+right")
        assert view.selection.text == "ow 298\nrow 299"
        await shown.press("shift+left", "shift+end")
        assert view.selection.text.endswith("row 299")
        assert not view.follow
        await shown.press("escape")
        assert view.selection.text == "" and view.follow
        await shown.pilot.click(view, offset=(4, 3))
        line = shown.pane_text().split("\n")[3]
        await shown.press("shift+end")
        assert view.selection.text == line[4:]
        await shown.press("shift+home", "shift+home")
        assert view.selection.text == line[:4].rstrip()
        await shown.press("escape", *["shift+pageup"] * 3)
        assert view.top < 240
        assert len(view.selection.text.split("\n")) > 60
        await shown.press("ctrl+a", "y")
        await shown.until(lambda: shown.app.clipboard == "\n".join(f"row {n}" for n in range(1, 301)))
        await shown.until(lambda: any("300 lines" in toast for toast in shown.said))


async def test_it_stays_on_its_text_while_output_scrolls_and_rows_wrap_anew(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq -f 'number %g of many and so on' 1 40; read go; seq 1 200; sleep 1000")
        await shown.until(lambda: "number 40" in shown.pane_text())
        view = shown.pane(slot).view
        await drag(shown, view, (0, 10), (8, 12))
        text = view.selection.text
        assert text.count("\n") == 2
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "below ·" in shown.screen_text())
        assert view.selection.text == text
        top = shown.pane_text().split("\n")[0]
        for width in (72, 140, 120):
            room = view.room
            await shown.pilot.resize_terminal(width, 32)
            await shown.until(lambda: room != view.room)  # noqa: B023
            await shown.until(lambda: view.emulator.screen.columns == view.room.width)
            assert view.selection.text == text
            await shown.until(lambda: shown.pane_text().startswith(top[:15]))
        await shown.press("ctrl+c")
        await shown.until(lambda: shown.app.clipboard == text)


def fake(folder: Path, name: str, does: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)


async def test_the_clipboards_program_gets_it_too_and_one_that_hangs_holds_up_nothing(
    console: "Opened", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":99")
    for name in ("WAYLAND_DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tui.bridge.clipboard.PATIENCE_SECONDS", PATIENCE)
    taken = tmp_path / "taken"
    # As the real one: the parent ends, a child keeps the text, and with it whatever pipes it was given.
    fake(tmp_path, "xclip", f"cat > {taken}.new; mv {taken}.new {taken}; sleep 2 &")
    async with console() as shown:
        slot = await shown.start("seq -f 'a line of text, the %gth' 1 9000; sleep 1000")
        await shown.until(lambda: "9000th" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("ctrl+a", "y")
        await shown.until(lambda: any("9,000 lines" in toast for toast in shown.said))
        await shown.until(taken.exists)
        wanted = "\n".join(f"a line of text, the {n}th" for n in range(1, 9001))
        assert taken.read_text() == wanted
        assert shown.app.clipboard == wanted
        taken.unlink()
        await shown.press("escape", "y")
        await shown.until(taken.exists)
        assert taken.read_text() == slot.job.command
        fake(tmp_path, "xclip", "exec sleep 1000")
        monkeypatch.setattr("tui.bridge.clipboard.PATIENCE_SECONDS", 0.5)
        monkeypatch.setattr("tui.actions.copying.MOST_BY_TERMINAL", 1_000)
        await shown.press("ctrl+a", "y")
        await shown.press("escape")
        assert shown.pane(slot).view.selection.text == ""
        await shown.until(lambda: any("xclip has not taken it" in toast for toast in shown.said))


@pytest.mark.parametrize(
    ("env", "there", "names"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, {"wl-copy", "xclip"}, ["wl-copy"]),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, {"xsel"}, ["xsel"]),
        ({"DISPLAY": ":0", "TMUX": "/tmp/x,1,0"}, {"xclip", "tmux"}, ["xclip", "tmux"]),
        ({}, {"xclip", "tmux"}, []),
        ({}, {"pbcopy"}, ["pbcopy"]),
        ({"WSL_DISTRO_NAME": "Debian"}, {"clip.exe"}, ["clip.exe"]),
    ],
)
def test_the_program_fits_the_desktop(env: dict[str, str], there: set[str], names: list[str]) -> None:
    found = takers(env, lambda name: name if name in there else None)
    assert [taker.words[0] for taker in found] == names
