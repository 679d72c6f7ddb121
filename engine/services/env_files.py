"""Files of ``NAME=value`` lines."""

from pathlib import Path

from engine.spec import SpecError


def read_env_file(path: Path) -> dict[str, str]:
    """What a file sets: ``export`` before a name, quotes around a value and ``#`` comments are understood; nothing is
    expanded.

    Raises:
        SpecError: It can't be read, or a line of it is none; the text names it.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise SpecError(f"the environment file {path} can't be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"the environment file {path} isn't UTF-8") from error
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip().removeprefix("export ").strip()
        if not said or said.startswith("#"):
            continue
        name, sign, value = said.partition("=")
        if not sign or not name.strip() or any(character.isspace() for character in name.strip()):
            raise SpecError(f"line {number} of {path} isn't NAME=value")
        found[name.strip()] = _value(value.strip())
    return found


def _value(said: str) -> str:
    if said[:1] in ("'", '"') and (end := _closing(said)) > 0:
        inside = said[1:end]
        return inside if said[0] == "'" else _unescaped(inside)
    return said.partition(" #")[0].rstrip()


def _closing(said: str) -> int:
    at = 1
    while at < len(said):
        if said[at] == "\\" and said[0] == '"':
            at += 1
        elif said[at] == said[0]:
            return at
        at += 1
    return -1


def _unescaped(inside: str) -> str:
    parts = inside.split("\\\\")
    return "\\".join(
        part.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\$", "$") for part in parts
    )
