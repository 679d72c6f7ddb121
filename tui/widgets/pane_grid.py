"""The panes that are seen, each in its place: one alone, or several side by side."""

from collections.abc import Callable, Sequence

from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget

from tui.widgets.open_tabs import OpenTabs
from tui.widgets.pane import Pane
from tui.widgets.tiling import Tiling, tiling


class PaneGrid(Container):
    """Holds all panes; those that aren't seen are hidden, and detached."""

    def __init__(self) -> None:
        super().__init__(id="panes")
        self.seen: list[str] = []
        """The slots whose panes stand in the room there is, from the left."""

    def show(
        self,
        panes: OpenTabs,
        seen: Sequence[str],
        active: str | None,
        room: Size,
        *,
        shown: bool,
        focus: Callable[[], object] | None = None,
    ) -> None:
        """Have these seen.

        Args:
            panes: All there are.
            seen: The slots of those that are to be seen, from the left.
            active: Whose gets the keys.
            room: For all of them together.
            shown: Can any be seen at all?
            focus: Moves the focus into the active one: called before the one that has it is hidden and Textual looks
                for another.
        """
        before, self.seen = self.seen, [*seen]
        grid = tiling(len(seen), *room) or Tiling(1, 1)
        self.styles.grid_size_columns, self.styles.grid_size_rows = grid
        tall = grid.tall(len(seen))
        for at, name in enumerate(seen):
            pane = panes[name]
            pane.display = True
            pane.styles.row_span = grid.rows if tall and at == 0 else 1
            beside = at > 0 if tall else at % grid.columns > 0
            pane.stand(titled=len(seen) > 1, beside=beside, active=name == active)
            pane.set_seen(shown)
        if focus is not None:
            focus()
        for name in set(panes.order).difference(seen):
            panes[name].display = False
            panes[name].set_seen(False)
        if before != self.seen and len(seen) > 1:
            self.sort_children(key=self._place_of)

    def _place_of(self, widget: Widget) -> int:
        name = widget.job.slot if isinstance(widget, Pane) else ""
        return self.seen.index(name) if name in self.seen else len(self.seen)
