"""Whether jobs can be bounded in their memory here, and to how much (``jobdeck doctor``)."""

from engine.config import Settings
from engine.process.memory_bound import memory_bound
from engine.process.systemd import NoScopes, find_systemd
from tui.show.cleaning import clean_line

_WHY_CHARS = 200


def describe(settings: Settings) -> str:
    """Tries it out; takes as long as systemd does, 3 s at most."""
    try:
        systemd = find_systemd(settings)
    except NoScopes as no:
        why = clean_line(str(no), _WHY_CHARS)
        hint = " ('loginctl enable-linger' has one run without a login)" if "connect to bus" in why else ""
        return f"Memory bounds: none; jobs run without, because there are no systemd scopes here: {why}{hint}."
    bound = memory_bound(settings)
    off = "" if settings.memory_scopes else " 'jobdeck serve' does so; others have memory_scopes off."
    return (
        f"Memory bounds: systemd {systemd.version} can run each job in a scope of its own, "
        f"bounded to {bound} ({bound.why}).{off}"
    )
