"""What is wrong in a configuration file, and where."""

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One thing that can't be taken as it is written; all else of the file counts."""

    file: str
    line: int
    """Counted from 1; 0 where it is the whole file."""
    text: str
    """What is wrong, and what would be right."""
    path: tuple[str, ...] = ()
    """Of which key or table; empty: of the file."""

    def __str__(self) -> str:
        return self._at(self.file)

    @property
    def short(self) -> str:
        """With the file's name alone, for where there is little room."""
        return self._at(self.file.rpartition("/")[2])

    def _at(self, file: str) -> str:
        return f"{file}:{self.line}: {self.text}" if self.line else f"{file}: {self.text}"


def nearest(word: str, known: "tuple[str, ...] | list[str]") -> str:
    """What may have been meant: ``"; did you mean 'x'?"``, else the few there are, else nothing."""
    from difflib import get_close_matches  # most files have nothing wrong with them

    folded = {one.replace("-", "_").lower(): one for one in known}
    near = get_close_matches(word.replace("-", "_").lower(), list(folded), 1)
    if near:
        return f"; did you mean {folded[near[0]]!r}?"
    return f"; there are {', '.join(sorted(known))}" if 0 < len(known) <= 12 else ""
