"""What a changed file means for its jobs: which are new, gone, changed, or called otherwise."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.config.entries import JobEntry

Jobs = Mapping[str, JobEntry]


class Edit(NamedTuple):
    """From the jobs of a file to those of its next version, by names."""

    renamed: dict[str, str]
    """New names by old ones."""
    gone: tuple[str, ...]
    changed: tuple[str, ...]
    """Under their new names."""
    new: tuple[str, ...]
    begin: tuple[str, ...]
    """Of those that were there: the file says only now that they start with jobdeck."""


def edit(before: Jobs, after: Jobs) -> Edit:
    """A job is renamed if it runs the same as one that is gone, and no other does."""
    gone = [name for name in before if name not in after]
    new = [name for name in after if name not in before]
    renamed = {}
    for old in gone:
        alike = [name for name in new if _what(after[name]) == _what(before[old])]
        if len(alike) == 1 and sum(_what(before[other]) == _what(before[old]) for other in gone) == 1:
            renamed[old] = alike[0]
    stays = {name: name for name in before if name in after} | renamed
    return Edit(
        renamed,
        tuple(name for name in gone if name not in renamed),
        tuple(now for was, now in stays.items() if before[was] != after[now]),
        tuple(name for name in new if name not in renamed.values()),
        tuple(now for was, now in stays.items() if after[now].autostart and not before[was].autostart),
    )


def _what(entry: JobEntry) -> tuple[object, ...]:
    return entry.command, entry.argv, entry.cwd, entry.host
