"""A job's output as verbs show it: through the redaction seam, and cleaned."""

from typing import NamedTuple

from engine.output.cleaning import clean
from engine.redact import LOOK_AHEAD, LOOK_BACK, Passage, redact, redact_part
from engine.registry.job import Job

_RAW_PER_CLEAN = 3
"""Raw characters looked at for each that is shown: colour codes take room and are removed."""


class Shown(NamedTuple):
    """Output on its way out of the engine."""

    text: str
    end: int
    """The position up to which it goes."""


def shown(job: Job, start: int, end: int | None = None, *, raw: bool = False, hold: bool = False) -> Shown:
    """The output from ``start`` (at the oldest kept) to ``end``, masked by what stands around it.

    Args:
        job: Whose output.
        start: A position.
        end: A position; None: all there is.
        raw: Leave escape sequences and overwritten text in.
        hold: Leave out a secret that is still being printed; else it is hidden as far as it goes.
    """
    start = max(start, job.stream.buffer.start)
    part = _part(job, start, job.stream.buffer.end if end is None else end, hold=hold)
    # Once more when it is cleaned: a carriage return or a backspace may have brought together what stood apart.
    text = part.text if raw else redact(clean(part.text), assignments=job.reveals)
    return Shown(text, start + part.taken)


def shown_in_pane(job: Job, start: int, end: int) -> str:
    """Raw output between two kept positions, masked without a change of length; what is held back isn't there."""
    return _part(job, start, end, hold=True, keep_length=True).text


def _part(job: Job, start: int, end: int, *, hold: bool, keep_length: bool = False) -> Passage:
    buffer = job.stream.buffer
    return redact_part(
        buffer.text(max(0, start - LOOK_BACK), start),
        buffer.text(start, end),
        buffer.text(end, end + LOOK_AHEAD),
        assignments=job.reveals,
        live=end == buffer.end and not job.stream.ended,
        hold=hold,
        keep_length=keep_length,
    )


def tail(job: Job, chars: int) -> tuple[str, int]:
    """The last ``chars`` characters, and how many came before them (counted raw where they weren't looked at)."""
    buffer = job.stream.buffer
    start = max(buffer.start, buffer.end - chars * _RAW_PER_CLEAN)
    text = shown(job, start).text
    return text[max(0, len(text) - chars) :], start + max(0, len(text) - chars)


def line_tail(job: Job, chars: int) -> tuple[str, int]:
    """As `tail`, from the start of a line on; one line that is longer than ``chars`` is cut all the same."""
    buffer = job.stream.buffer
    before = max(buffer.start, buffer.end - chars * _RAW_PER_CLEAN)
    text = shown(job, before).text
    start = max(0, len(text) - chars)
    at_line_start = text[start - 1] == "\n" if start else not before or buffer.text(before - 1, before) == "\n"
    if not at_line_start:
        following = text.find("\n", start) + 1
        if 0 < following < len(text):
            start = following
    return text[start:], before + start
