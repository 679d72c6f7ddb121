"""Output as text for the results of verbs: what a person would read, without a terminal to show it."""

import re
import unicodedata

_ERASE = r"\[[012]?K|\[1?G"
_BODY = r"[^\x18\x1a\x1b\x80-\x9f]*+"
_LINE_BODY = r"[^\n\x18\x1a\x1b\x80-\x9f]*+"
# A terminal would swallow all that follows a string without end; here it takes the rest of its line at most.
_SEQUENCE = re.compile(
    rf"\x1b(?!{_ERASE})(?:"
    r"\[[0-?]*+[ -/]*+[@-~]?"
    rf"|\](?:[^\n\x07\x18\x1a\x1b\x80-\x9f]*+(?:\x07|\x1b\\|\x9c)?)"
    rf"|[PX^_](?:{_BODY}(?:\x1b\\|\x9c)|{_LINE_BODY})"
    r"|[ -/]*+[0-Z\\^-~]?"
    r")"
    r"|\x9b[0-?]*+[ -/]*+[@-~]?"
    r"|\x9d[^\n\x07\x18\x1a\x1b\x80-\x9f]*+(?:\x07|\x1b\\|\x9c)?"
    rf"|[\x90\x98\x9e\x9f](?:{_BODY}(?:\x1b\\|\x9c)|{_LINE_BODY})"
)
_STARTS = re.compile(r"[\x1b\x90\x98\x9b\x9d-\x9f]")
_UNSEEN = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]+")
_MOVES = re.compile(r"[\r\x08\x1b]")
_MOVE = re.compile(rf"(\r+|\x08+|\x1b(?:{_ERASE}))")


def clean(text: str, max_line: int = 4000) -> str:
    """The text as lines: overwritten text dropped, escape sequences and control characters stripped.

    Lines of more than ``max_line`` characters are cut, with a mark that says how many are missing.
    Nothing is guessed: the end of a sequence whose start was dropped before ``text`` stays.
    """
    if _STARTS.search(text):
        text = _SEQUENCE.sub("", text)
    text = _UNSEEN.sub("", text)
    if len(text) <= max_line and not _MOVES.search(text):
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join([line if line.isalnum() and len(line) <= max_line else _line(line, max_line) for line in lines])


def last_line(text: str, width: int = 200) -> str:
    """The last line that isn't blank, cut to ``width`` characters; empty if there is none."""
    for size in (4_000, 64_000, len(text)):
        start = text.find("\n", len(text) - size) + 1 if size < len(text) else 0
        if start == 0 and size < len(text):
            continue  # one line of more than this: what overwrote it may lie further back
        for line in reversed(clean(text[start:], max_line=len(text)).split("\n")):
            if line and not line.isspace():
                shown = line.rstrip()
                return shown if len(shown) <= width else shown[: max(0, width - 1)] + "…"
    return ""


def _line(line: str, max_line: int) -> str:
    line = line.rstrip("\r")
    if "\x1b" in line or "\x08" in line or ("\r" in line and not line.isascii()):
        line = _written(line)
    elif "\r" in line:
        line = _overwritten(line)
    if len(line) > max_line:
        return f"{line[:max_line]}… [{len(line) - max_line} more characters]"
    return line


def _overwritten(line: str) -> str:
    """What carriage returns alone leave: of each part what stands out beyond the later ones."""
    parts: list[str] = []
    width = 0
    for part in reversed(line.split("\r")):
        if len(part) > width:
            parts.append(part[width:])
            width = len(part)
    return "".join(parts).rstrip(" ")


def _written(line: str) -> str:
    """What a cursor leaves that writes, goes back and erases."""
    cells: list[str] = []
    at = 0
    touched = 0  # everything before is blank since the last erasure to the left: no need to blank it again
    for index, piece in enumerate(_MOVE.split(line)):
        if not piece:
            continue
        if index % 2 == 0:
            touched = min(touched, at)
            new = list(piece) if piece.isascii() else _columns(piece)
            if at < len(cells) and cells[at] == "":
                cells[at - 1] = " "
            cells[at : at + len(new)] = new
            at += len(new)
            if at < len(cells) and cells[at] == "":
                cells[at] = " "
        elif piece[0] == "\x08":
            at = max(0, at - len(piece))
        elif piece[0] == "\r" or piece[-1] == "G":
            at = 0
        else:
            how = piece[2]
            if how != "1":
                if at < len(cells) and cells[at] == "":
                    cells[at - 1] = " "  # half of a wide character doesn't stay
                del cells[at:]
            if how in "12":
                end = min(len(cells), at + 1)
                cells[touched:end] = [" "] * (end - touched)
                if end < len(cells) and cells[end] == "":
                    cells[end] = " "
                touched = max(touched, end)
    return "".join(cells).rstrip(" ")


def _columns(text: str) -> list[str]:
    """Text by columns: a wide character takes two, one without width none of its own."""
    columns: list[str] = []
    for char in text:
        if columns and char > "\u02ff" and unicodedata.category(char) in ("Mn", "Me", "Cf"):
            columns[-1 if columns[-1] else -2] += char
        else:
            columns.append(char)
            if unicodedata.east_asian_width(char) in "WF":
                columns.append("")
    return columns
