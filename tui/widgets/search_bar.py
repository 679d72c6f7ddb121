"""The bar of a search in a pane, over its status line: what is looked for, how, and which of the matches is shown."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from engine.terminal import Spot
from tui import keymap
from tui.keymap import BY_ID, short_name
from tui.reading.pattern import Wanted
from tui.reading.search import Search
from tui.widgets.line import Line, Piece, width_of
from tui.widgets.terminal import TerminalView

SLICE_SECONDS = 0.004
"""CPU time for one slice of looking through the scrollback."""
PAUSE_SECONDS = 0.012
"""Between two slices: the screen is painted, keys are heard."""
NEWS_SECONDS = 0.1
"""After new output, until it is counted."""
LEAST_INPUT = 12


class SearchLine(Input):
    """What is looked for."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("search")]


class SearchBar(Horizontal):
    """Searches while one types. Hidden as long as nothing is searched for."""

    def __init__(self, view: TerminalView) -> None:
        super().__init__(classes="search")
        self._view = view
        self.search = Search(lambda: view.emulator.lines)
        view.strips.found = self.search
        self.line = SearchLine(placeholder="a text in the output", classes="search--line", compact=True)
        self._mark = Line(classes="search--mark")
        self._said = Line(classes="search--said")
        self._came_from: int | None = None
        """The row at the top when the search began; None: it followed."""
        self._fresh = view.emulator.fresh
        self._waiting = False
        self._wide = 0
        """The cells of what it says."""
        self._to_choose = False
        """No match is the current one yet; one will be when more is looked through."""

    def compose(self) -> ComposeResult:
        """A sign, the text, and all else."""
        yield self._mark
        yield self.line
        yield self._said

    # Opening, closing

    def open(self) -> None:
        """Begin, or go on typing."""
        if not self.display:
            self._came_from = None if self._view.follow else self._view.top
            self.display = True
            self._mark.put([Piece(" / ", "bold $primary")])
        self.line.action_select_all()
        self.screen.set_focus(self.line, scroll_visible=False)
        self._seek(self.search.wanted._replace(text=self.line.value))
        self.renew()

    def close(self) -> None:
        """Search for nothing; what was typed is there the next time."""
        had_focus = self.screen.focused is self.line
        self.search.seek(self.search.wanted._replace(text=""))
        self.display = False
        self._wide = 0
        self._view.refresh()
        if had_focus:
            self._leave()

    def give_up(self) -> None:
        """Close, and back to where it began."""
        typing = self.screen.focused is self.line
        self.close()
        if typing:
            view = self._view
            view.move_to(view.emulator.end if self._came_from is None else self._came_from)

    def accept(self) -> None:
        """Leave the text; what is found stays lit."""
        if not self.line.value:
            self.close()
        else:
            self._came_from = None if self._view.follow else self._view.top
            self._leave()

    def _leave(self) -> None:
        # At once: the next key of a burst is the pane's.
        self.screen.set_focus(self._view, scroll_visible=False)
        self.renew()

    # What is looked for

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for this."""
        event.stop()
        if self.display:
            self._seek(self.search.wanted._replace(text=event.value))

    def toggle_regex(self) -> None:
        """A text as it is, or an expression."""
        self._seek(self.search.wanted._replace(regex=not self.search.wanted.regex))

    def toggle_case(self) -> None:
        """Whether upper and lower case differ."""
        self._seek(self.search.wanted._replace(case=not self.search.wanted.case))

    def _seek(self, wanted: Wanted) -> None:
        self.search.seek(wanted)
        self._to_choose = self.search.active
        self._choose()
        self._view.refresh()
        self.renew()
        self._go_on()

    def _choose(self) -> None:
        """The newest match in sight while the pane follows, else the next from its top on."""
        view = self._view
        lines = view.emulator.lines
        if not self._to_choose or not view.viewport.height:
            return
        bottom = min(view.top + view.viewport.height, view.emulator.end) - 1
        end = lines.spot(bottom)
        found = self.search.choose(
            lines.spot(view.top), end._replace(cell=end.cell + lines.columns), newest=view.follow
        )
        if found is not None:
            self._to_choose = False
            self._show(found)

    def _show(self, spot: Spot) -> None:
        view = self._view
        row = view.emulator.lines.row(spot)
        if not view.top <= row < view.top + view.viewport.height:
            view.move_to(row - view.viewport.height // 3)
        view.put_caret(spot)
        view.refresh()

    def go(self, by: int) -> None:
        """To the next match, or the one before."""
        found = self.search.go(by)
        if found is not None:
            self._to_choose = False
            self._view.stay()
            self._show(found)
        self.renew()

    def on_line_clicked(self, event: Line.Clicked) -> None:
        """What is clicked is this pane's, whichever is the active one."""
        event.stop()
        {
            "case": self.toggle_case,
            "regex": self.toggle_regex,
            "next": lambda: self.go(1),
            "previous": lambda: self.go(-1),
            "close": self.give_up,
        }[event.click]()

    # Looking through the rest

    def shown(self) -> None:
        """The pane has taken something in."""
        if self._fresh != self._view.emulator.fresh:
            self._fresh = self._view.emulator.fresh
            self.search.start_afresh()
            self._to_choose = self.search.active
        if not self.search.active:
            return
        self.search.changed()
        self._view.refresh()
        self._go_on(NEWS_SECONDS)

    def _go_on(self, after: float = PAUSE_SECONDS) -> None:
        if not self._waiting and self.search.active and self.is_attached:
            self._waiting = True
            self.set_timer(after, self._look)

    def _look(self) -> None:
        self._waiting = False
        if self.search.step(SLICE_SECONDS):
            self._go_on()
        elif self._to_choose:
            self._choose()
            self._to_choose = not self._view.viewport.height  # not laid out yet: what is in sight isn't known
            if self._to_choose:
                self._go_on(NEWS_SECONDS)
        self.renew()

    # What it says

    @property
    def said(self) -> str:
        """What it says at its right."""
        return self._said.plain

    def renew(self) -> None:
        """Say how many there are."""
        pieces = self._pieces()
        wide = width_of(pieces)
        if wide > self._wide:
            # It only grows: another width lays everything out anew, and the whole pane would be painted.
            self._wide = wide
            self._said.styles.width = wide
        self._said.put([Piece(" " * (self._wide - wide)), *pieces])

    def _pieces(self) -> list[Piece]:
        wanted = self.search.wanted
        typing = self.screen.focused is self.line
        pieces = [Piece(" "), *self._count(), Piece("  ")]
        for name, on, sign in (("case", wanted.case, "Aa"), ("regex", wanted.regex, ".*")):
            tick = "✓" if on else " "
            pieces.append(Piece(f"{tick}{sign} ", "bold $foreground on $selected" if on else "$quiet", name))
        for name, sign in (("previous", "▲"), ("next", "▼")):
            # A key as wide in both: nothing moves under the mouse.
            key = short_name(BY_ID[f"{'search' if typing else 'pane'}.{name}"].keys[0])
            pieces.append(Piece(f" {sign} {key}", "$primary", name))
        return [*pieces, Piece("  × ", "$quiet", "close")]

    def _count(self) -> list[Piece]:
        search = self.search
        if search.wrong:
            return [Piece(search.wrong, "$error")]
        if not search.active:
            return [Piece(" " * len("123,456/123,456+"))]
        total, place = search.total, search.place
        more = "+" if search.behind else ""
        if not total:
            return [Piece("searching…" if more else "nothing found", "$quiet" if more else "$warning")]
        round_ = "↻ " if search.wrapped else ""
        return [Piece(f"{round_}{place:,}/{total:,}{more}" if place else f"{total:,}{more} found", "bold $foreground")]
