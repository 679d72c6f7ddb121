"""In the stack: moving, opening, marking, and which jobs it shows in which order."""

from tui.actions.registry import Action, Deck, has_target
from tui.arranging import after

FAR = 1_000_000


def open_selected(deck: Deck) -> None:
    """Open the selected job's tab and go into its pane."""
    if deck.stack.selected is not None:
        deck.area.open(deck.stack.selected)
        deck.focus_pane()


def _move(by: int) -> Action:
    def run(deck: Deck) -> None:
        deck.stack.move(by)
        deck.show_selected()

    return Action(run, has_target)


def _page(direction: int) -> Action:
    def run(deck: Deck) -> None:
        deck.stack.move(direction * deck.stack.jobs_a_page)
        deck.show_selected()

    return Action(run, has_target)


def mark(deck: Deck) -> None:
    """Mark the selected job or mark it no more, and go on to the next: some in a row are marked with one key."""
    if deck.stack.selected is not None:
        deck.stack.mark(deck.stack.selected)
        deck.stack.move(1)
        deck.show_selected()


def edit_filter(deck: Deck) -> None:
    """Type what the jobs are to contain."""
    deck.focus_back(deck.stack)
    deck.filter.open()


def sort(deck: Deck) -> None:
    """Sort by the next thing."""
    deck.stack.rearrange(sort=after(deck.stack.arrangement.sort))


def group(deck: Deck) -> None:
    """Group by the next thing."""
    deck.stack.rearrange(group=after(deck.stack.arrangement.group))


def escape(deck: Deck) -> None:
    """Marks go first, then the filter."""
    if deck.stack.marks:
        deck.stack.clear_marks()
    else:
        deck.filter.clear()


def _has_jobs(deck: Deck) -> bool:
    return len(deck.store) > 0


def _filters(deck: Deck) -> bool:
    return bool(deck.stack.arrangement.words)


ACTIONS = {
    "stack.open": Action(open_selected, has_target),
    "stack.down": _move(1),
    "stack.up": _move(-1),
    "stack.first": _move(-FAR),
    "stack.last": _move(FAR),
    "stack.page_down": _page(1),
    "stack.page_up": _page(-1),
    "stack.mark": Action(mark, lambda deck: deck.stack.selected is not None),
    "stack.mark_all": Action(lambda deck: deck.stack.mark_all(), _has_jobs),
    "stack.filter": Action(edit_filter, _has_jobs),
    "stack.sort": Action(sort, _has_jobs),
    "stack.group": Action(group, _has_jobs),
    "stack.escape": Action(escape, lambda deck: bool(deck.stack.marks) or _filters(deck)),
    "stack.unfilter": Action(lambda deck: deck.filter.clear(), _filters),
    "filter.accept": Action(lambda deck: deck.filter.accept()),
    "filter.next": Action(lambda deck: deck.stack.move(1)),
    "filter.previous": Action(lambda deck: deck.stack.move(-1)),
    "filter.close": Action(lambda deck: deck.filter.clear()),
}
