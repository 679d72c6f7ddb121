"""The public suites: byte streams and the screens they must give, read where they lie."""

import base64
import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from engine.terminal import ByteStream, Screen

# reasons read better whole

CASES = Path(os.environ.get("JOBDECK_CASES", Path(__file__).parents[2] / "../shared/cases")).resolve()
FOLDER = CASES / "terminal" if (CASES / "terminal").is_dir() else CASES
SUITES = ("xtermjs", "vt100-rust", "libvterm", "alacritty")

SHARED_CURSOR = "xterm has one cursor for both screens with 47 (its own t0090 shows it), and 1049 leaves it where it is"
LINE_HOME = "IL and DL move the cursor to the left margin: DEC STD 070, xterm, xterm.js, pyte"
WRAP_ENDS = "a line feed ends a pending wrap: xterm (t0006, t0012), tmux"
DISAGREEMENTS = {
    "xtermjs/t0055-EL": "only its last row: EL under a pending wrap spares the character in the last column, as "
    "alacritty's erase_in_line, tmux, VTE and pyte have it; else `grep --color` loses text; xterm.js skips it too",
    "xtermjs/t0084-CBT": "CBT does nothing under a pending wrap, as in xterm.js, which skips this case for it",
    "alacritty/saved_cursor_alt": "DECRC restores the last column, no pending wrap: xterm.js t0060, pyte",
    "alacritty/decaln_reset": "DECALN homes the cursor: DEC, xterm",
    "alacritty/grid_reset": "its history is 100 rows without a character, an artefact of how it stores the grid",
    "libvterm/90vttest_01-movement-1/0:Output": "the loops that print the frame are missing in the converted input",
    "vt100-rust/fixtures/alternate_buffer": SHARED_CURSOR,
    "vt100-rust/fixtures/ff/5": WRAP_ENDS,
    "vt100-rust/fixtures/lf/5": WRAP_ENDS,
    "vt100-rust/fixtures/wrap/21": WRAP_ENDS,
    "vt100-rust/fixtures/ich_dch_ech/15": "a wide character that an insertion cuts is blanked, both halves: xterm",
    "vt100-rust/fixtures/il_dl": LINE_HOME,
    "vt100-rust/fixtures/origin_mode/1": "DECSTBM homes the cursor to the screen's corner without origin mode: DEC",
    "vt100-rust/fixtures/origin_mode/7": "origin mode and margins are the terminal's, not each screen's: xterm",
}


def cases() -> list[Any]:
    found = []
    for suite in SUITES:
        path = FOLDER / f"{suite}.json"
        if path.is_file():
            for case in json.loads(path.read_text())["cases"]:
                found.append(pytest.param(suite, case, id=f"{suite}/{case['name']}"))
    return found


def reason(name: str) -> str:
    return next((why for key, why in DISAGREEMENTS.items() if name == key or name.startswith(key + "/")), "")


def canonical(text: str) -> str:
    # pyte composes marks (NFC), other terminals keep them apart: canonically the same text.
    return unicodedata.normalize("NFC", text).rstrip()


def differences(case: dict[str, Any], size: int = 0) -> list[str]:
    screen = Screen(case["cols"], case["rows"])
    stream = ByteStream(screen)
    data = base64.b64decode(case["input"])
    if case["onlcr"]:
        data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    for at in range(0, len(data), size or len(data) or 1):
        stream.feed(data[at : at + (size or len(data))])
    rows = [canonical(row) for row in screen.display]
    wanted = dict(enumerate(case.get("expect", [])))
    if wanted:
        wanted |= {y: "" for y in range(len(wanted), case["rows"])}
    wanted |= {int(y): text for y, text in case.get("expect_rows", {}).items()}
    out = [f"row {y}: {rows[y]!r} for {text!r}" for y, text in wanted.items() if rows[y] != canonical(text)]
    if case.get("cursor"):
        y, x = case["cursor"]
        last = case["cols"] - 1  # under a pending wrap some suites say the last column, some the one after
        got = (screen.cursor.y, min(screen.cursor.x, last))
        if got != (y, min(x, last)):
            out.append(f"cursor {got} for {(y, x)}")
    for place, look in case.get("cells", {}).items():
        out += cell_differences(screen, place, look)
    if case.get("expect_history"):
        back = screen.scrollback
        history = [canonical(back.text(n)) for n in range(back.first, back.total)]
        if history != [canonical(text) for text in case["expect_history"]]:
            out.append(f"history {history!r}")
    return out + list(screen.failures)


def cell_differences(screen: Screen, place: str, look: dict[str, Any]) -> list[str]:
    y, x = map(int, place.split(","))
    cell = screen.buffer[y][x]
    out = []
    for key, field in (
        ("bold", "bold"),
        ("italic", "italics"),
        ("underline", "underscore"),
        ("inverse", "reverse"),
    ):
        if key in look and bool(look[key]) != getattr(cell, field):
            out.append(f"{place} {key}: {getattr(cell, field)}")
    for key, color in (("fgcolor", cell.fg), ("bgcolor", cell.bg)):
        if key in look and color != wanted_color(look[key]):
            out.append(f"{place} {key}: {color} for {look[key]}")
    return out


def wanted_color(told: str | None) -> str:
    from engine.terminal.sgr import palette_color

    if told is None:
        return "default"
    return told[1:] if told.startswith("#") else palette_color(int(told)) or "?"


def test_the_cases_are_where_they_should_be() -> None:
    if not cases():
        pytest.skip(f"no cases in {FOLDER}; set JOBDECK_CASES to the folder that holds terminal/*.json")
    assert len(cases()) > 300


@pytest.mark.parametrize(("suite", "case"), cases())
def test_case_gives_the_screen_it_must(suite: str, case: dict[str, Any]) -> None:
    found = differences(case)
    why = reason(f"{suite}/{case['name']}")
    if why and found:
        pytest.xfail(why)
    assert not found


@pytest.mark.parametrize(("suite", "case"), cases())
def test_cutting_the_stream_changes_nothing(suite: str, case: dict[str, Any]) -> None:
    assert differences(case, 3) == differences(case)


def test_every_disagreement_is_one() -> None:
    names = {f"{case.values[0]}/{case.values[1]['name']}": case.values[1] for case in cases()}
    if not names:
        pytest.skip("no cases")
    for key in DISAGREEMENTS:
        matching = [case for name, case in names.items() if name == key or name.startswith(key + "/")]
        assert any(differences(case) for case in matching), f"{key} passes: take it off the list"
