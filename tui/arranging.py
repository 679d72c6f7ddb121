"""Which jobs the stack shows and in which order: filter, sort, grouping."""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from engine.events import JobView
from engine.ownership.conversations import by_shell
from tui.show.cleaning import clean_line
from tui.show.hosts import at_host
from tui.show.owners import short_owner
from tui.show.states import Look, look, state_words
from tui.store import Slot


class Sort(StrEnum):
    """By what the jobs of a group are sorted. The values are words for people, and what is remembered."""

    START = "start"
    STATE = "state"
    """What needs somebody first."""
    CPU = "cpu"
    MEMORY = "memory"
    NAME = "name"
    OUTPUT = "last output"


class Grouping(StrEnum):
    """What jobs under one head have in common."""

    OWNER = "owner"
    """Engine and conversation; a batch's children within."""
    TAG = "tag"
    """The first of their tags."""
    PLACE = "engine/host"
    STATE = "state"
    NONE = "none"


class Arrangement(NamedTuple):
    """How the stack is arranged."""

    words: str = ""
    """Shown is what contains each of these words; empty: everything."""
    sort: Sort = Sort.START
    group: Grouping = Grouping.OWNER


def arrangement_of(words: str, sort: str, group: str) -> Arrangement:
    """The arrangement of these names; what isn't known is as it is from the start."""
    usual = Arrangement()
    return Arrangement(
        words,
        Sort(sort) if sort in list(Sort) else usual.sort,
        Grouping(group) if group in list(Grouping) else usual.group,
    )


class Group(NamedTuple):
    """Jobs under one head; without words there is none."""

    head: str
    slots: list[Slot]


URGENCY: tuple[Look, ...] = (
    Look.ASKS, Look.FAILED, Look.LOST, Look.DETACHED, Look.STOPPED, Look.ENDING, Look.STARTING, Look.RUNNING,
    Look.WAITING, Look.KILLED, Look.DONE, Look.IDLE,
)  # fmt: skip
"""States as sorting and grouping by them have them: what needs somebody first."""
_URGENCY = {seen: place for place, seen in enumerate(URGENCY)}
_NUMBERS = re.compile(r"(\d+)")

E = TypeVar("E", bound=StrEnum)


def after(chosen: E) -> E:
    """The next one, and from the last to the first."""
    choices = list(type(chosen))
    return choices[(choices.index(chosen) + 1) % len(choices)]


class Filter:
    """Finds jobs by name, command, tags and the words of their state. What a job's text is, is kept while it stands."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[JobView, Look, str]] = {}

    def fitting(self, slots: Iterable[Slot], words: str) -> list[Slot]:
        """Those that contain each of the words, upper and lower case alike."""
        wanted = words.casefold().split()
        if not wanted:
            self._texts.clear()
            return list(slots)
        found, texts = [], {}
        for slot in slots:
            seen = look(slot.job, slot.use)
            known = self._texts.get(slot.id)
            if known is None or known[0] is not slot.job or known[1] is not seen:
                known = (slot.job, seen, _text(slot, seen))
            texts[slot.id] = known
            if all(word in known[2] for word in wanted):
                found.append(slot)
        self._texts = texts
        return found


def _text(slot: Slot, seen: Look) -> str:
    job = slot.job
    tags = (f"#{tag}" for tag in job.tags)
    # Apart by line ends, so that no word is found across two of them.
    return "\n".join([job.name, job.command, *tags, seen, state_words(job, slot.use), at_host(job)]).casefold()


def in_order(slots: Iterable[Slot], sort: Sort) -> list[Slot]:
    """The slots sorted; those that are alike stay in the order in which they were started."""
    key = _KEYS.get(sort)
    return list(slots) if key is None else sorted(slots, key=key)


def _by_name(slot: Slot) -> tuple[list[tuple[bool, int, str]], str]:
    """``task-9`` comes before ``task-10``."""
    name = (slot.job.name or slot.job.command).casefold()
    parts = _NUMBERS.split(name)
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts if part], name


def _by_cpu(slot: Slot) -> float:
    return -(slot.use.cpu or 0.0) if slot.live and slot.use is not None else 1.0


def _by_memory(slot: Slot) -> float:
    return -float(slot.use.rss) if slot.live and slot.use is not None else 1.0


_KEYS: dict[Sort, Callable[[Slot], Any]] = {
    Sort.STATE: lambda slot: _URGENCY[look(slot.job, slot.use)],
    Sort.CPU: _by_cpu,
    Sort.MEMORY: _by_memory,
    Sort.NAME: _by_name,
    Sort.OUTPUT: lambda slot: -slot.said_at,
}


def grouped(slots: Sequence[Slot], grouping: Grouping) -> list[Group]:
    """The slots by groups. Where a group stands doesn't hang on how its jobs are sorted."""
    if grouping is Grouping.NONE:
        return [Group("", list(slots))] if slots else []
    key, head, place = _GROUPINGS[grouping]
    groups: dict[object, list[Slot]] = {}
    for slot in slots:
        groups.setdefault(key(slot), []).append(slot)
    return [Group(head(jobs[0]), jobs) for jobs in sorted(groups.values(), key=lambda jobs: place(jobs[0]))]


def owner_head(slot: Slot) -> str:
    """Whose jobs follow: ``operator``, ``shell``, ``agent · conv 7f3a``, ``mcp · 4711 · conv 7f3a``."""
    engine, owner = slot.job.engine, slot.job.owner
    parts = [clean_line(engine, 40)] if engine else [] if not owner or by_shell(owner) else ["agent"]
    if owner:
        parts.append(short_owner(owner))
    return " · ".join(parts) or "operator"


def _place_head(slot: Slot) -> str:
    engine = clean_line(slot.job.engine, 40) if slot.job.engine else "this console"
    return engine + at_host(slot.job)


def _tag_head(slot: Slot) -> str:
    return f"#{clean_line(slot.job.tags[0], 40)}" if slot.job.tags else "no tag"


def _tag(slot: Slot) -> str:
    return slot.job.tags[0] if slot.job.tags else ""


def _look(slot: Slot) -> Look:
    return look(slot.job, slot.use)


class _Grouping(NamedTuple):
    key: Callable[[Slot], object]
    """The same for jobs of one group."""
    head: Callable[[Slot], str]
    place: Callable[[Slot], Any]
    """By this groups are sorted; those that are alike come as their first jobs."""


_GROUPINGS: dict[Grouping, _Grouping] = {
    Grouping.OWNER: _Grouping(
        lambda slot: (slot.job.engine, slot.job.owner),
        owner_head,
        lambda slot: (bool(slot.job.engine or slot.job.owner), not by_shell(slot.job.owner)),
    ),
    Grouping.TAG: _Grouping(_tag, _tag_head, lambda slot: (not _tag(slot), _tag(slot).casefold())),
    Grouping.PLACE: _Grouping(
        lambda slot: (slot.job.engine, slot.job.host),
        _place_head,
        lambda slot: bool(slot.job.engine or slot.job.host),
    ),
    Grouping.STATE: _Grouping(_look, lambda slot: str(_look(slot)), lambda slot: _URGENCY[_look(slot)]),
}
