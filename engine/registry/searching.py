"""The verb that looks for a text in all that jobs have printed: search (spec 5.2)."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from engine.process.aside import aside
from engine.redact import LOOK_AHEAD, LOOK_BACK, redact_part
from engine.registry.job import Job
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.results import Found, FoundLine, Refused
from engine.spec import Caller, SpecError
from engine.watches.patterns import PatternSet, for_search
from engine.watches.search import Match, Search

_BLOCK_CHARS = 131_072
"""So much of an output is searched in one go."""
_LONGEST_LINE = 1_000
_MOST_MATCHES = 5_000
"""Of one block that are looked at one by one; the others are counted."""


class _Piece(NamedTuple):
    """Whole lines of an output."""

    start: int
    line: int
    """The number of the first of them in the whole output."""
    text: str


async def search(
    registry: Registry, caller: Caller, text: str, *, regex: bool, ignore_case: bool, limit: int
) -> Found | Refused:
    """The newest matching lines of each of the caller's jobs, at most ``limit`` of each; all are counted.

    Lines are those of the output without escape sequences, secrets masked. Each job is searched on a thread, in time
    that grows with the output's length alone.
    """
    try:
        patterns = for_search(text, regex=regex, ignore_case=ignore_case)
    except SpecError as error:
        return refused("search", str(error))
    if limit < 1:
        return refused("search", f"limit is a number of lines from 1, not {limit}")
    found: list[FoundLine] = []
    total = chars = 0
    for session_id in registry.visible(caller):
        job = registry.jobs.get(session_id)
        if job is None:
            continue  # it left the shelf while others were searched
        pieces = _pieces(job)
        chars += sum(len(piece.text) for piece in pieces)
        lines, count = await aside("jobdeck-search", partial(_search, pieces, patterns, limit))
        total += count
        found += [_shown(job, position, line, match) for position, line, match in lines]
    return Found(status="ok", lines=tuple(found), total=total, searched_chars=chars)


def _pieces(job: Job) -> list[_Piece]:
    """What is kept of a job's output, oldest first. Nothing is copied but where a line crosses a border."""
    buffer = job.stream.buffer
    pieces: list[_Piece] = []
    position, line, waiting = buffer.start, buffer.dropped_lines, ""
    for text in _joined(buffer.pieces(buffer.start)):
        whole = waiting + text
        cut = whole.rfind("\n") + 1
        if cut:
            pieces.append(_Piece(position, line, whole[:cut]))
            position, line = position + cut, line + whole.count("\n", 0, cut)
        waiting = whole[cut:]
    return [*pieces, _Piece(position, line, waiting + "\n")] if waiting else pieces


def _joined(pieces: Iterator[str]) -> Iterator[str]:
    gathered: list[str] = []
    size = 0
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= _BLOCK_CHARS:
            yield "".join(gathered)
            gathered, size = [], 0
    if gathered:
        yield "".join(gathered)


def _search(pieces: list[_Piece], patterns: PatternSet, limit: int) -> tuple[list[tuple[int, int, Match]], int]:
    """The newest matches with their positions and lines, oldest first, and how many there are in all."""
    found: list[tuple[int, int, Match]] = []
    total = 0
    for piece in reversed(pieces):
        seen = Search(patterns, piece.text, _MOST_MATCHES if len(found) < limit else 0)
        total += seen.count
        newest = seen.matches[-(limit - len(found)) :] if len(found) < limit else []
        found[:0] = [(piece.start + match.at, piece.line + match.line, match) for match in newest]
    return found, total


def _shown(job: Job, position: int, line: int, match: Match) -> FoundLine:
    buffer = job.stream.buffer
    start = max(0, match.inside - _LONGEST_LINE // 2) if len(match.piece) > _LONGEST_LINE else 0
    text = redact_part(
        buffer.text(max(buffer.start, position - LOOK_BACK), position),
        match.piece[start : start + _LONGEST_LINE],
        match.piece[start + _LONGEST_LINE :][:LOOK_AHEAD],
        assignments=job.reveals,
        live=False,
    ).text
    return FoundLine(session_id=job.session_id, line=line, position=position, text=text)
