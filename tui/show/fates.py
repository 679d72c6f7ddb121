"""What became of a job while nobody was there, in glyph, tone and words."""

from engine.events import Fate
from tui.signals.away import Away

GLYPHS = {"readopted": "●", "detached": "?", "lost": "?"}
"""Of one that finished, how it ended decides."""


def glyph(fate: Fate) -> str:
    """As in the stack."""
    return ("✓" if fate.exit_code == 0 else "✗") if fate.fate == "finished" else GLYPHS.get(fate.fate, "?")


def tone(fate: Fate) -> str:
    """A tone of lists."""
    return {"●": "good", "✓": "good", "✗": "bad"}.get(glyph(fate), "ended")


def words(fate: Fate) -> str:
    """In a word or two."""
    match fate.fate:
        case "readopted":
            return "runs on"
        case "finished":
            return "ended" if fate.exit_code is None else f"ended, exit {fate.exit_code}"
        case "detached":
            return "runs on, without its output"
    return fate.fate


def told(fate: Fate) -> str:
    """What happened and what can be done, without the words that stand before it anyway."""
    return fate.text.removeprefix(f"{words(fate)}: ").removeprefix(f"{fate.fate}: ")


def summary(away: Away, *, short: bool = False) -> list[tuple[str, str]]:
    """All of them in few words, or by glyph, and whether each wants attention (``bad``) or doesn't (``good``)."""
    lost, detached, ended, on = (away.count(kind) for kind in ("lost", "detached", "finished", "readopted"))
    by_glyph = [
        (lost + detached, f"? {lost + detached}", "bad"),
        (ended, f"✓ {ended}", "good"),
        (on, f"● {on}", "good"),
    ]
    in_words = [
        (lost, f"{lost} lost", "bad"),
        (detached, f"{detached} detached", "bad"),
        (ended, f"{ended} ended", "good"),
        (on, f"{on} {'runs' if on == 1 else 'run'} on", "good"),
    ]
    return [(text, how) for count, text, how in (by_glyph if short else in_words) if count]
