"""Which job an id means (spec 1.6)."""

from collections.abc import Sequence

_PREFIX = "proc_"
_FEWEST = 4


def find_id(wanted: str, known: Sequence[str]) -> str | None:
    """The known id that ``wanted`` names: exact, else a unique prefix of at least 4 characters after ``proc_``.

    Ambiguous or short is None, never a guess. A number is taken as text.
    """
    text = str(wanted).strip()
    if text in known:
        return text
    digits = text.removeprefix(_PREFIX)
    if len(digits) < _FEWEST:
        return None
    found = [session_id for session_id in known if session_id.startswith(_PREFIX + digits)]
    return found[0] if len(found) == 1 else None
