"""What is said outside: few words, from what the engine has masked, with nothing in them that a terminal would obey."""

from typing import NamedTuple

from engine.events import Completion, WatchHit
from tui import news
from tui.show.ages import span
from tui.show.cleaning import clean_line

TITLE_CHARS, BODY_CHARS = 80, 200
_NAME_CHARS, _LISTED = 30, 3


class Message(NamedTuple):
    """One notification; both are single lines of printable text."""

    title: str
    body: str
    urgent: bool = False
    """Something has failed."""


class Gathered:
    """What happened since the last notification."""

    def __init__(self) -> None:
        self.ends: list[Completion] = []
        self.hits: list[tuple[str, WatchHit]] = []
        """With the job's name."""
        self.others: list[tuple[str, bool]] = []
        """In words; has it failed?"""

    def __bool__(self) -> bool:
        return bool(self.ends or self.hits or self.others)

    def message(self) -> Message:
        """All of it in one."""
        told = [*map(_end, self.ends), *(_hit(name, hit) for name, hit in self.hits)]
        told += [Message(text, "", failed) for text, failed in self.others]
        title, body, urgent = told[0]
        if len(told) > 1:
            title = self._count()
            urgent = any(one.urgent for one in told)
            first = sorted(told, key=lambda one: not one.urgent)[:_LISTED]
            more = f" and {len(told) - _LISTED} more" if len(told) > _LISTED else ""
            body = " · ".join(one.title for one in first) + more
        return Message(clean_line(title, TITLE_CHARS), clean_line(body, BODY_CHARS), urgent)

    def _count(self) -> str:
        failed = sum(one.failed for one in self.ends)
        ends = f"{_many(len(self.ends), 'job')} ended" + (f" ({failed} failed)" if failed else "")
        counted = [
            (self.ends, ends),
            (self.hits, _many(len(self.hits), "hit")),
            (self.others, f"{len(self.others)} more done"),
        ]
        return ", ".join(text for what, text in counted if what)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _end(end: Completion) -> Message:
    glyph, words = news.glyph_and_words(end)
    said = (end.start_error or end.output) if end.failed else ""
    lines = [line.strip() for line in said.split("\n") if line.strip()]
    took = f"after {span(end.exited_at - end.started_at)}" if end.completion_reason != "failed_start" else ""
    body = " · ".join(part for part in (took, *lines[-1:]) if part)
    return Message(f"{glyph} {clean_line(end.name or end.command, _NAME_CHARS)} {words}", body, end.failed)


def _hit(name: str, hit: WatchHit) -> Message:
    return Message(
        f"⚑ {clean_line(name, _NAME_CHARS)}: {clean_line(hit.pattern, _NAME_CHARS)}", hit.text.split("\n")[0]
    )
