"""The end of a job's output as verbs show it: cleaned and through the redaction seam."""

from engine.output.cleaning import clean
from engine.redact import redact
from engine.registry.job import Job

_RAW_PER_CLEAN = 3
"""Raw characters looked at for each that is shown: colour codes take room and are removed."""


def shown(text: str, *, raw: bool = False) -> str:
    """Text on its way out of the engine."""
    return redact(text if raw else clean(text))


def tail(job: Job, chars: int) -> tuple[str, int]:
    """The last ``chars`` characters, and how many came before them (counted raw where they weren't looked at)."""
    buffer = job.stream.buffer
    raw = buffer.newest(chars * _RAW_PER_CLEAN)
    text = shown(raw)
    return text[-chars:], buffer.end - len(raw) + max(0, len(text) - chars)


def line_tail(job: Job, chars: int) -> tuple[str, int]:
    """As `tail`, from the start of a line on; one line that is longer than ``chars`` is cut all the same."""
    buffer = job.stream.buffer
    raw = buffer.newest(chars * _RAW_PER_CLEAN)
    before = buffer.end - len(raw)
    text = shown(raw)
    start = max(0, len(text) - chars)
    at_line_start = text[start - 1] == "\n" if start else not before or buffer.text(before - 1, before) == "\n"
    if not at_line_start:
        following = text.find("\n", start) + 1
        if 0 < following < len(text):
            start = following
    return text[start:], before + start
