"""Files of ``NAME=value`` lines."""

import re
from pathlib import Path

from engine.config.regular import read_regular
from engine.spec import SpecError

_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?([^\s=\0]+)[ \t]*=[ \t]*")
_IN_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
_IN_SINGLE = re.compile(r"'([^']*)'")
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "$": "$", "\\": "\\", "`": "`", "\n": ""}


def read_env_file(path: Path) -> dict[str, str]:
    """What a file sets: ``export`` before a name, quotes around a value, which may then have several lines, and ``#``
    comments are understood; nothing is expanded.

    Raises:
        SpecError: It can't be read, or a line of it is none; the text names it.
    """
    try:
        text = read_regular(path).decode("utf-8")
    except OSError as error:
        raise SpecError(f"the environment file {path} can't be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"the environment file {path} isn't UTF-8") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        ends = text.find("\n", at)
        line = text[at : ends if ends >= 0 else len(text)]
        name = _NAME.match(line)
        if name is not None and not line.lstrip().startswith("#"):
            found[name[1]], at = _value(text, at + name.end(), line[name.end() :])
        elif line.strip() and not line.lstrip().startswith("#"):
            raise SpecError(f"line {text.count(chr(10), 0, at) + 1} of {path} isn't NAME=value")
        else:
            at += len(line)
        at += 1
    if wrong := next((name for name, value in found.items() if "\0" in value), None):
        raise SpecError(f"{wrong} in {path} holds a NUL character, which no program can be given")
    return found


def _value(text: str, at: int, line: str) -> tuple[str, int]:
    """The value that begins there, and where its last line ends."""
    quoted = _IN_DOUBLE.match(text, at) or _IN_SINGLE.match(text, at)
    if quoted is None:  # also a quote that nothing closes is what it is
        return (line.partition(" #")[0] if not line.startswith("#") else "").strip(), at + len(line)
    ends = text.find("\n", quoted.end())
    inside = quoted[1]
    value = _ESCAPE.sub(lambda one: _ESCAPED.get(one[1], one[0]), inside) if text[at] == '"' else inside
    return value, ends if ends >= 0 else len(text)
