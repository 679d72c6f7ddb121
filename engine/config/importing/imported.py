"""What one foreign file came to."""

from dataclasses import dataclass, field
from typing import Any


class NotUnderstood(ValueError):
    """The file isn't what it is called; the text says why."""


class Unreadable(NotUnderstood):
    """It has no such form at all, whatever kind of file it was meant to be."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@dataclass
class Imported:
    """Jobs by name, each with the keys of ``[jobs.NAME]``; and what is lost."""

    source: str
    """The file's name."""
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    """What is said of a job, by its name: it stands above it."""
    left: list[str] = field(default_factory=list)
    """What can't be carried over, a line each: where it stands, and what becomes of it."""

    def lose(self, where: str, why: str) -> None:
        """This isn't carried over."""
        line = f"{where}: {why}"
        if line not in self.left:
            self.left.append(line)

    def number(self, where: str, value: Any, usual: float) -> float:
        """A number as it is there, ``usual`` if it isn't said; what is none isn't carried over."""
        try:
            return usual if value is None else float(value)
        except (TypeError, ValueError):
            self.lose(where, f"{value!r} is no number; {usual:g} is taken")
            return usual

    def lose_unknown(
        self, where: str, table: dict[str, Any], known: frozenset[str], why: str = "not known here"
    ) -> None:
        """Every key but these isn't carried over."""
        for key in table:
            if key not in known:
                self.lose(f"{where}.{key}" if where else str(key), why)
