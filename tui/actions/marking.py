"""Bookmarks in a pane."""

from tui.actions.registry import Action, Deck, has_pane
from tui.show.cleaning import clean_line


def mark(deck: Deck) -> None:
    """Mark the line that is meant, or take its mark away."""
    pane = deck.area.pane
    if pane is not None:
        pane.marks.bookmark(pane.view.current_line())


def next_mark(deck: Deck) -> None:
    """Go to the next marked line; which of how many is said."""
    pane = deck.area.pane
    line = pane.marks.next_bookmark() if pane is not None else None
    if pane is None or line is None:
        deck.say("No line is marked in this pane")
        return
    pane.go_to_line(line)
    marks = pane.marks.bookmarks
    if len(marks) > 1:
        number = line + pane.emulator.lines_gone
        place = marks.lines.index(number) + 1
        deck.say(f"Mark {place} of {len(marks)}: {clean_line(marks.text(number), 60)}")


def _has_marks(deck: Deck) -> bool:
    return deck.area.pane is not None and len(deck.area.pane.marks.bookmarks) > 0


ACTIONS = {
    "pane.mark": Action(mark, has_pane),
    "pane.next_mark": Action(next_mark, has_pane, offered=_has_marks),
}
