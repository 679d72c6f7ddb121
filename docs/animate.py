"""Draws a recorded session (asciicast v2) as an animated SVG, with jobdeck's own emulator for a terminal.

    python -m docs.animate docs/session.cast docs/session.svg

Each frame is what the terminal showed then. Rows that look the same are drawn once; the frames lie side by side like a
film, which CSS pulls past a window; where nothing moves, a frame of the middle is seen. Needs nothing beside jobdeck.
"""

import json
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from engine.terminal import ByteStream, Screen

WIDTH, HEIGHT = 8.4, 17.0
"""Of a cell."""
MARGIN = 8.0
APART = 0.12
"""Frames are at least so many seconds apart; what changes in between is seen in the next."""
LAST = 3.0
"""Seconds that the last frame stays."""
PAPER, INK = "#12141c", "#c8d0ee"
BASIC = {
    "black": "#2b3044", "red": "#f7768e", "green": "#9ece6a", "brown": "#e0af68", "blue": "#7aa2f7",
    "magenta": "#bb9af7", "cyan": "#7dcfff", "white": "#c0c8e6",
}  # fmt: skip
FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"


class Frame(NamedTuple):
    """What the terminal showed from a time on."""

    at: float
    rows: tuple[str, ...]


def frames(cast: Path) -> tuple[list[Frame], tuple[int, int]]:
    """The different pictures of a session, and the terminal's columns and rows."""
    head, *lines = cast.read_text().splitlines()
    size = json.loads(head)
    cols, rows = int(size["width"]), int(size["height"])
    screen = Screen(cols, rows)
    stream = ByteStream(screen)
    found: list[Frame] = []
    events = [json.loads(line) for line in lines]
    outputs = [(float(at), str(text)) for at, kind, text in events if kind == "o"]
    for number, (at, text) in enumerate(outputs):
        stream.feed(text.encode())
        later = outputs[number + 1][0] if number + 1 < len(outputs) else at + LAST
        if later - at < APART and found and at - found[-1].at < 2 * APART:
            continue  # more of the same change
        picture = tuple("".join(_row(screen, y)) for y in range(rows))
        if not found or picture != found[-1].rows:
            found.append(Frame(at, picture))
    return found, (cols, rows)


def _row(screen: Screen, y: int) -> Iterator[str]:
    """A row as SVG: grounds, then texts, each a run of cells that look alike."""
    cells = [screen.buffer[y][x] for x in range(screen.columns)]
    cursor = screen.cursor.x if screen.cursor.y == y and not screen.cursor.hidden else -1
    looks = []
    for x, cell in enumerate(cells):
        ink, paper = _colour(cell.fg, INK), _colour(cell.bg, PAPER)
        if cell.reverse != (x == cursor):
            ink, paper = paper, ink
        looks.append((ink, paper, cell.bold, cell.italics, cell.underscore))
    start = 0
    texts: list[str] = []
    for x in range(1, len(cells) + 1):
        if x < len(cells) and looks[x] == looks[start]:
            continue
        ink, paper, bold, italics, under = looks[start]
        left, wide = start * WIDTH, (x - start) * WIDTH
        if paper != PAPER:
            yield f'<rect x="{left:g}" width="{wide:g}" height="{HEIGHT:g}" fill="{paper}"/>'
        text = "".join(cell.data for cell in cells[start:x])
        kind = " b" * bold + " i" * italics + " u" * under
        texts += _texts(text, start, ink, kind.strip())
        start = x
    yield from texts


def _texts(text: str, start: int, ink: str, kind: str) -> Iterator[str]:
    """The words of a run, each at its own place: so no font's width moves what comes after."""
    begin = 0
    for piece in _pieces(text):
        word = piece.strip()
        if word:
            left = (start + begin + piece.index(word)) * WIDTH
            style = f' class="{kind}"' if kind else ""
            fit = f' textLength="{len(word) * WIDTH:g}"' if len(word) > 1 else ""
            yield f'<text x="{left:g}"{fit} fill="{ink}"{style}>{escape(word)}</text>'
        begin += len(piece)


def _pieces(text: str) -> list[str]:
    """Words that are two blanks or more apart."""
    found, rest = [], text
    while (cut := rest.lstrip().find("  ")) >= 0:
        cut += len(rest) - len(rest.lstrip())
        found.append(rest[:cut])
        rest = rest[cut:]
    return [*found, rest]


def _colour(name: str, usual: str) -> str:
    if name == "default":
        return usual
    return BASIC.get(name.removeprefix("bright"), f"#{name}")


def draw(found: list[Frame], size: tuple[int, int]) -> str:
    """The film."""
    cols, rows = size
    wide, high = cols * WIDTH + 2 * MARGIN, rows * HEIGHT + 2 * MARGIN
    takes = found[-1].at + LAST - found[0].at
    names: dict[str, int] = {}
    film, steps = [], []
    for number, frame in enumerate(found):
        uses = []
        for y, row in enumerate(frame.rows):
            if row:
                name = names.setdefault(row, len(names))
                uses.append(f'<use href="#r{name}" y="{y * HEIGHT:g}"/>')
        film.append(f'<svg x="{number * wide:g}">{"".join(uses)}</svg>')
        part = (frame.at - found[0].at) / takes * 100
        steps.append(f"{part:.3f}%{{transform:translateX({-number * wide:g}px)}}")
    steps.append(f"100%{{transform:translateX({-(len(found) - 1) * wide:g}px)}}")
    rows_drawn = "".join(f'<g id="r{name}">{row}</g>' for row, name in names.items())
    style = (
        f"text{{font-family:{FONT};font-size:14px;white-space:pre;dominant-baseline:central;transform:translateY"
        f"({HEIGHT / 2:g}px)}}.b{{font-weight:bold}}.i{{font-style:italic}}.u{{text-decoration:underline}}"
        f"#film{{animation:film {takes:.2f}s steps(1,end) infinite}}@keyframes film{{{''.join(steps)}}}"
        "@media (prefers-reduced-motion:reduce){#film{animation:none}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}">'
        f"<style>{style}</style><defs>{rows_drawn}</defs>"
        f'<rect width="{wide:g}" height="{high:g}" rx="8" fill="{PAPER}"/>'
        f'<svg x="{MARGIN:g}" y="{MARGIN:g}" width="{cols * WIDTH:g}" height="{rows * HEIGHT:g}">'
        f'<g id="film" transform="translate({-len(found) // 3 * wide:g})">{"".join(film)}</g></svg></svg>\n'
    )


def main() -> None:
    """From the cast that is named to the picture that is named."""
    cast, target = map(Path, sys.argv[1:])
    target.write_text(draw(*frames(cast)))


if __name__ == "__main__":
    main()
