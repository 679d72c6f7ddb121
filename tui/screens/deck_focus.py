"""Which part of the main screen has the focus, what keys act on there, and what the footer says of that."""

from textual import events
from textual.widget import Widget

from tui.screens.layout import DeckLayout
from tui.store import Slot
from tui.widgets.line import Piece
from tui.widgets.search_bar import SearchLine
from tui.widgets.stack_filter import FilterLine


class DeckFocus(DeckLayout, inherit_bindings=True):
    """One part has the focus; the others follow what it shows."""

    def offers(self, action_id: str) -> bool:
        """Is this action worth naming here and now?"""
        raise NotImplementedError

    def target(self) -> Slot | None:
        """The job that keys act on. None while waits or hits have the focus: those come and go under a finger."""
        if self.in_signals:
            return None
        if self.focused is self.drawer:
            return self.store.get(self.drawer.slot_id)
        in_stack = self.in_stack or self.area.active is None
        return self.store.get(self.stack.selected if in_stack else self.area.active)

    def targets(self) -> list[Slot]:
        """What verbs for many act on: the marked jobs that are shown, while the stack has the focus; else `target`."""
        marked = self.stack.marked if self.in_stack else []
        slots = [self.store.get(slot_id) for slot_id in marked] or [self.target()]
        return [slot for slot in slots if slot is not None]

    @property
    def in_stack(self) -> bool:
        """Has the stack the focus, or its filter?"""
        return self.focused in (self.stack, self.filter.line)

    def move_focus(self, by: int) -> None:
        """From the stack to the pane to the prompt, while they can be seen, and round."""
        places: list[Widget] = [
            self.stack,
            *self.area.views,
            *([] if self.area.views else [self.area.empty]),
            *([self.drawer] if self.drawer.display else []),
            *([self.prompt.line] if self.prompt.display else []),
            *self.signals.stops(),
        ]
        at = next((number for number, widget in enumerate(places) if widget is self.focused), 0)
        place = places[(at + by) % len(places)]
        if place is not None:
            self.set_zoomed(False)
            self.set_in_pane(place is not self.stack)
            self.set_focus(place, scroll_visible=False)
            self.fit()

    @property
    def in_signals(self) -> bool:
        """Do waits or hits have the focus?"""
        return self.focused in (self.signals.wait_panel, self.signals.hit_feed)

    def focus_signals(self, which: str) -> None:
        """To the waits (``barriers``) or the ``hits``, wherever they stand."""
        self.set_in_pane(True)
        rows = self.signals.wait_panel if which == "barriers" else self.signals.hit_feed
        self.set_focus(rows, scroll_visible=False)
        self.fit()

    def focus_pane(self) -> None:
        """Into the pane; back to the stack if there is none."""
        self.set_in_pane(self.area.pane is not None)
        if not self.area.focus_pane():
            self.set_zoomed(False)
            self.set_focus(self.stack, scroll_visible=False)

    def claim_size(self) -> None:
        """The host terminal has got the focus: what is focused here sets the size of its job's terminal."""
        if self.area.pane is not None:
            self.area.pane.fitting.claim()

    def focus_back(self, widget: Widget | None) -> None:
        """To the widget that had the focus before; into the pane if that one is gone."""
        if widget is self.stack:
            self.set_in_pane(False)
            self.set_focus(widget, scroll_visible=False)
        else:
            self.focus_pane()

    def show_details(self, slot: Slot) -> None:
        """Open the drawer for this job; where there is room for one thing at a time, it has the focus."""
        self.drawer.open(slot)
        if self.has_class("-single"):
            self.set_focus(self.drawer, scroll_visible=False)

    def show_selected(self) -> None:
        """If the job that is selected in the stack has a tab, show its pane."""
        if self.stack.selected is not None and self.area.pane_of(self.stack.selected) is not None:
            self.area.turn_to(self.stack.selected)

    def zoom(self) -> None:
        """The active pane alone, and back."""
        self.set_zoomed(not self.has_class("-zoomed"))
        if self.has_class("-zoomed"):
            self.focus_pane()

    def set_zoomed(self, zoomed: bool) -> None:
        """Has one pane the screen?"""
        self.set_class(zoomed, "-zoomed")
        self.area.set_alone(zoomed)

    def selected_text(self) -> str | None:
        """The text that is selected in a pane."""
        view = self.area.view
        return (view.selection.text if view is not None else "") or self.get_selected_text()

    # What is shown of it

    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        """Other keys work here."""
        if self.typist.pane is not None and self.focused is not self.typist.pane.view:
            self.typist.leave()
        self.set_in_pane(not self.in_stack)
        self.drawer.follow(self.target())
        self.show_footer()

    def on_rows_selected(self) -> None:
        """Other keys may work on this entry."""
        self.show_footer()

    def follow_pane(self) -> None:
        """Another pane is seen: the stack's selection goes along, and so do the keys."""
        self.stack.mark_shown(self.area.active)
        if self.area.active is not None:
            self.stack.select(self.area.active)
        if self.prompt.display and self.prompt.slot_id != self.area.active:
            self.prompt.close()
        if self.typist.pane is not None and self.typist.pane is not self.area.pane:
            self.typist.leave()
        self.drawer.follow(self.target())
        self.show_footer()

    def on_status_stack_selected(self) -> None:
        """Other keys may work on this job."""
        self.drawer.follow(self.target())
        self.show_footer()

    def on_status_stack_arranged(self) -> None:
        """Over the stack it is said how; other keys may work."""
        self.filter.tell()
        self.stack_title.tell(self.stack)
        self.show_footer()

    def on_status_stack_clicked(self) -> None:
        """As a key that selects."""
        self.show_selected()

    def show_counts(self) -> None:
        """Show how many jobs are in which state, and the keys."""
        self.header.count(self.store, len(self.signals.waits.parked()), self.signals.hits.hits)
        self.stack_title.count(self.store)
        self.stack_title.tell(self.stack)
        self.show_footer()

    def show_footer(self) -> None:
        """Show the keys that work here and now."""
        if self.typist.pane is not None:
            self.footer.show({"type"}, lambda _: True)
            return
        if self.prompt.is_mounted and self.prompt.display and self.focused is self.prompt.line:
            key, text = "bold $footer-key-foreground", "$quiet"
            self.footer.say(
                Piece(" enter", key), Piece(" send  ", text), Piece("↑ ↓", key), Piece(" sent before  ", text),
                Piece("esc", key), Piece(" back  ", text), Piece("^d", key), Piece(" end of input", text),
            )  # fmt: skip
            return
        if isinstance(self.focused, SearchLine):
            self.footer.show({"search"}, self.offers)
            return
        if isinstance(self.focused, FilterLine):
            self.footer.show({"filter"}, self.offers)
            return
        self.footer.show({"anywhere", "job", self._place()}, self.offers)

    def _place(self) -> str:
        if self.in_signals:
            return "barriers" if self.focused is self.signals.wait_panel else "hits"
        return "pane" if self.area.has_the_focus else "stack"
