"""Texts of process-compose as they are once it has read them: templates filled in, names of variables expanded."""

import re
from collections.abc import Mapping

from engine.config.importing.imported import Imported

_FILLED = re.compile(r"{{-?\s*\.([A-Za-z_][A-Za-z0-9_]*)\s*-?}}")
_LITERAL = re.compile(r'{{-?\s*"((?:[^"\\]|\\.)*)"\s*-?}}')
_TEMPLATE = re.compile(r"{{.*?}}", re.S)
_NAME = re.compile(r"(?<!\$)\$(?:{([A-Za-z_][A-Za-z0-9_]*)|([A-Za-z_][A-Za-z0-9_]*))")
_IN_SINGLE = re.compile(r"'([^']*)'")


class Texts:
    """Of one process, with its variables and environment."""

    def __init__(
        self, found: Imported, where: str, variables: Mapping[str, str], own: Mapping[str, object], *, expands: bool
    ) -> None:
        self._found, self._where = found, where
        self._variables, self._own, self._expands = variables, own, expands

    def line(self, key: str, text: str) -> str:
        """A shell line: names are expanded by the shell here, which knows the process's own environment too."""
        text = self._filled(key, text)
        if not self._expands:
            return text
        names = [one[1] or one[2] for one in _NAME.finditer(text)]
        if own := sorted({name for name in names if name in self._own}):
            self._found.lose(
                f"{self._where}.{key}",
                f"{_dollars(own)}: as its own environment says; process-compose takes what its shell has",
            )
        quoted = [one[1] or one[2] for part in _IN_SINGLE.finditer(text) for one in _NAME.finditer(part[1])]
        if quoted:
            self._found.lose(
                f"{self._where}.{key}", f"{_dollars(sorted(set(quoted)))}: not expanded within single quotes"
            )
        return text.replace("$$", "$")

    def value(self, key: str, text: str) -> str:
        """A text that no shell reads."""
        text = self._filled(key, text)
        if not self._expands:
            return text
        if names := sorted({one[1] or one[2] for one in _NAME.finditer(text)}):
            self._found.lose(f"{self._where}.{key}", f"{_dollars(names)}: nothing is expanded here, put in what it is")
        return text.replace("$$", "$")

    def _filled(self, key: str, text: str) -> str:
        def fill(one: "re.Match[str]") -> str:
            return self._variables.get(one[1], one[0])

        text = _LITERAL.sub(lambda one: one[1].replace('\\"', '"'), _FILLED.sub(fill, text))
        if left := _TEMPLATE.search(text):
            self._found.lose(f"{self._where}.{key}", f"this isn't filled in here: {left[0]}")
        return text


def _dollars(names: list[str]) -> str:
    return ", ".join(f"${name}" for name in names)
