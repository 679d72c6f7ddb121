"""Scrolling a pane, and selecting in it."""

from collections.abc import Callable

from tui.actions.registry import Action, Deck, has_pane
from tui.widgets.terminal import TerminalView

SIDEWAYS = 8
"""Columns that a key scrolls to the side."""


def _on_view(act: Callable[[TerminalView], None]) -> Action:
    def run(deck: Deck) -> None:
        view = deck.area.view
        if view is not None:
            act(view)

    return Action(run, has_pane)


def _page(view: TerminalView) -> int:
    return max(1, view.size.height - 1)


def _redact(deck: Deck) -> None:
    on = not deck.bridge.redact_panes
    deck.area.redact(on)
    deck.say("Secrets in panes are masked" if on else "Secrets in panes are shown as jobs print them")


def _by_rows(count: Callable[[TerminalView], int]) -> Action:
    return _on_view(lambda view: view.extend(view.by_rows(count(view))))


def times(deck: Deck) -> None:
    """Show or hide when each line came."""
    if deck.area.pane is not None:
        deck.area.pane.times.toggle()


ACTIONS = {
    "pane.times": Action(times, has_pane),
    "view.redact": Action(_redact),
    "pane.follow": _on_view(lambda view: view.move_to(view.emulator.end)),
    "pane.down": _on_view(lambda view: view.move_by(1)),
    "pane.up": _on_view(lambda view: view.move_by(-1)),
    "pane.left": _on_view(lambda view: view.move_across(-SIDEWAYS)),
    "pane.right": _on_view(lambda view: view.move_across(SIDEWAYS)),
    "pane.page_down": _on_view(lambda view: view.move_by(_page(view))),
    "pane.page_up": _on_view(lambda view: view.move_by(-_page(view))),
    "pane.top": _on_view(lambda view: view.move_to(view.emulator.first)),
    "pane.bottom": _on_view(lambda view: view.move_to(view.emulator.end)),
    "pane.select_down": _by_rows(lambda _view: 1),
    "pane.select_up": _by_rows(lambda _view: -1),
    "pane.select_page_down": _by_rows(_page),
    "pane.select_page_up": _by_rows(lambda view: -_page(view)),
    "pane.select_left": _on_view(lambda view: view.extend(view.by_characters(-1))),
    "pane.select_right": _on_view(lambda view: view.extend(view.by_characters(1))),
    "pane.select_home": _on_view(lambda view: view.extend(view.to_edge(end=False))),
    "pane.select_end": _on_view(lambda view: view.extend(view.to_edge(end=True))),
    "pane.select_all": _on_view(lambda view: view.select_all()),
}
