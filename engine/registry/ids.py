"""Which job an id means (spec 1.6)."""

from collections.abc import Sequence

_PREFIX = "proc_"
_BACKGROUND = "bg_"
_FEWEST = 4


def find_id(wanted: str, known: Sequence[str], kind: str = _PREFIX) -> str | None:
    """The known id that ``wanted`` names: exact, else a unique prefix of at least 4 characters after its kind
    (``proc_``, and ``bg_`` of background agents).

    Ambiguous or short is None, never a guess. A number is taken as text.
    """
    text = str(wanted).strip()
    if text in known:
        return text
    if kind == _PREFIX and text.startswith(_BACKGROUND):
        kind = _BACKGROUND
    digits = text.removeprefix(kind)
    if len(digits) < _FEWEST:
        return None
    found = [session_id for session_id in known if session_id.startswith(kind + digits)]
    return found[0] if len(found) == 1 else None
