"""Raw lines: output that scrolled off unseen, and how lines are made of it when somebody looks."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from pyte import modes as mo

from engine.terminal.lines import Line, make_line
from engine.terminal.pens import DEFAULT, Pen
from engine.terminal.tokens import NARROW, WIDE
from engine.terminal.unparsed import SGR, STUB, parse, unstubbed, widened

if TYPE_CHECKING:
    from engine.terminal.screen import Screen

EDITS: Final = re.compile(r"[\b\t]|\r(?!\n)|\x1b(?!\[[0-9;:]*+m)")
"""What does more to a line than to go on with it or to change its pen."""
_LONGEST: Final = 65536
_UNUSUAL: Final = re.compile(f"[^\\x00-\\x1f{NARROW}{WIDE}]")


Emulate: TypeAlias = Callable[["Raw", str], list[Line]]
"""Makes lines of raw text by running the emulator over it; the stream's part."""


class Raw:
    """Whole lines of output as they came, and what was in force at their beginning."""

    __slots__ = ("_emulate", "columns", "count", "end", "newline", "pen", "tabstops", "text")

    def __init__(self, text: str, count: int, screen: "Screen", pen: Pen, end: Pen, emulate: "Emulate") -> None:
        # UTF-8 takes less than a str whose widest character decides for all.
        self.text: str | bytes = text if text.isascii() else text.encode("utf-8", "surrogatepass")
        self.count = count
        self.columns = screen.columns
        self.newline = mo.LNM in screen.mode
        self.pen = pen
        self.end = end
        """The pen after the last line."""
        self.tabstops = screen.tabstops
        self._emulate = emulate

    def _string(self) -> str:
        return self.text if isinstance(self.text, str) else self.text.decode("utf-8", "surrogatepass")

    def extend(self, other: "Raw") -> bool:
        """Take the lines of ``other`` that follow, if they are of a kind and not too many."""
        if (
            self.end is not other.pen
            or (self.columns, self.newline) != (other.columns, other.newline)
            or self.tabstops is not other.tabstops
            or len(self.text) + len(other.text) > _LONGEST
        ):
            return False
        if isinstance(self.text, str) and isinstance(other.text, str):
            self.text += other.text
        else:
            self.text = _bytes(self.text) + _bytes(other.text)
        self.count += other.count
        self.end = other.end
        return True

    def rows(self, columns: int) -> int | None:
        """How many rows it makes at this width, if lengths alone tell."""
        text = self._string()
        if "\x1b" in text:
            if EDITS.search(text):
                return None
            text = SGR.sub("", text)
        elif "\b" in text or "\t" in text or not self._plain_returns(text):
            return None
        if not text.isascii():
            if _UNUSUAL.search(text):
                return None
            text = widened(text)
        sizes = list(map(len, split_lines(text, self.newline)))
        if max(sizes) <= columns:
            return self.count
        if columns != self.columns and (" \n" in text or " \r\n" in text):
            return None  # Blanks that were trimmed at the old width do not wrap at the new one.
        if STUB in text:
            return None
        return sum((size + columns - 1) // columns or 1 for size in sizes)

    def _plain_returns(self, text: str) -> bool:
        returns = text.count("\r")
        return returns == text.count("\r\n") or (returns == self.count and not self.newline)

    def lines(self) -> list[Line]:
        """Make the lines."""
        text = self._string()
        if not EDITS.search(text) and (text.isascii() or not _UNUSUAL.search(text)):
            made = self._parse(widened(text))
            if made is not None:
                return made
        return self._emulate(self, text)

    def _parse(self, text: str) -> list[Line] | None:
        """Lines of narrow text and SGR; None when a background reaches past its line."""
        pen = self.pen
        columns = self.columns
        out: list[Line] = []
        if pen.bg != "default":
            return None
        for line in split_lines(text, self.newline):
            if "\x1b" not in line and STUB not in line:
                if pen is DEFAULT:
                    size = len(line)
                    if size <= columns:
                        out.append(line.rstrip(" "))
                    else:
                        out.append(make_line(line, ((size, DEFAULT),), _kept(size, columns)))
                    continue
                out.append(make_line(line, ((len(line), pen),) if line else ()))
                continue
            cells, spans, pen = parse(line, pen)
            if pen.bg != "default" or (len(cells) > columns and any(p.bg != "default" for _, p in spans)):
                return None
            if STUB in cells:
                if len(cells) > columns:
                    return None
                out.append(make_line(unstubbed(cells), spans))
                continue
            out.append(make_line(cells, spans, _kept(len(cells), columns)))
        return out


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def split_lines(text: str, newline: bool) -> list[str]:
    """The lines of text that ends with one; in newline mode a bare LF ends a line as well."""
    if newline:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n" if newline else "\r\n")
    lines.pop()
    return lines


def _kept(size: int, columns: int) -> int:
    """Columns of a line to keep when its end is blank, so that it still has as many rows."""
    return (size - 1) // columns * columns + 1 if size > columns else 0
