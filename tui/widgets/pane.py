"""A pane: the read-only view of one job's output, with a line above and a line below."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from engine.events import JobView
from engine.results import JobUse
from engine.terminal import Spot
from tui.bridge.bridge import Bridge
from tui.keymap import BY_ID, short_name
from tui.show.states import LIVE, look
from tui.signals.patterns import matcher
from tui.widgets.emulator import Emulator
from tui.widgets.fitting import Fitting
from tui.widgets.gutter import Gutter
from tui.widgets.line import Line, Piece
from tui.widgets.pane_lines import StatusLine, Telling, note_pieces
from tui.widgets.repaint import Repaint
from tui.widgets.search_bar import SearchBar
from tui.widgets.terminal import TerminalView
from tui.widgets.time_column import TimeColumn

if TYPE_CHECKING:
    from tui.typist import Typist

CHROME_COLUMNS = 2
"""The marks at the left and the scroll bar at the right."""
CHROME_ROWS = 2
"""The lines above and below the view: always there, so that news in them never resize a terminal."""


class Pane(Vertical):
    """One slot's pane. It is attached while it is seen; a restarted job goes on in it."""

    class Noted(Message):
        """Whether the pane follows has changed."""

    def __init__(
        self, job: JobView, room: tuple[int, int], bridge: Bridge, resize: Callable[[JobView, int, int], None]
    ) -> None:
        super().__init__()
        self.job = job
        self.use: JobUse | None = None
        """What its tree used at the last look."""
        self._bridge = bridge
        self._typist: Typist | None = None
        self._refused = ""
        self._titled = False
        self._trouble = ""
        self._told_flood, self._told_title = "", ""
        self.wants_focus = False
        """Take the focus as soon as there is a view that can."""
        self.emulator = Emulator(
            *((job.cols, job.rows) if job.pty else room),
            pty=job.pty,
            scrollback=bridge.engine.settings.scrollback_lines,
        )
        self.view = TerminalView(self.emulator)
        self.marks = Gutter(self.view)
        self.times = TimeColumn(self.view)
        self.search = SearchBar(self.view)
        self.marks.mark(matcher(job.watch_patterns))
        self.stream = bridge.stream(self)
        self.fitting = Fitting(self, resize)
        self._repaint = Repaint(self, self.fitting.ask)
        self._note = Line(classes="pane--note")
        self._status = StatusLine()

    def compose(self) -> ComposeResult:
        """The view between its two lines."""
        yield self._note
        with Horizontal(classes="pane--body"):
            yield self.marks
            yield self.times
            yield self.view
        yield self._status
        yield self.search

    def on_mount(self) -> None:
        """Say what this is."""
        self.tell()
        if self.wants_focus:
            self.screen.set_focus(self.view, scroll_visible=False)

    # Being seen

    def set_seen(self, seen: bool) -> None:
        """Attach when the pane comes into sight, detach when it goes."""
        if not seen:
            self.stream.pause()
            return
        self.tell()
        if not self.job.has_run or self.stream.attached:
            return
        if self.stream.session_id:
            self.stream.resume()
            self.fitting.claim()
        else:
            self.stream.follow(self.job.session_id)
            self.fitting.claim()

    def stand(self, *, titled: bool, beside: bool, active: bool) -> None:
        """There are others in sight: say whose pane this is, and draw a line if one is left of it."""
        self.set_class(beside, "-beside")
        self.set_class(titled and active, "-active")
        if titled != self._titled:
            self._titled = titled
            self.tell()

    def show_job(self, job: JobView, use: JobUse | None, *, seen: bool) -> None:
        """News of the job in this slot, or another one in its place after a restart."""
        self.use = use
        restarted = job.session_id != self.job.session_id
        if job.watch_patterns != self.job.watch_patterns:
            self.marks.mark(matcher(job.watch_patterns))
        before, self.job = self.job, job
        if restarted:
            self.fitting.begin()
            self.emulator.pty = job.pty
            self.stream.forget()
            self.marks.bookmarks.clear()
            self.set_seen(seen)
        else:
            self.fitting.told(before, job)
        if seen:
            self.tell()  # of a hidden one nobody reads it: it is told when it comes into sight

    def take_in_anew(self) -> None:
        """The engine shows the job's output otherwise from now on: masked, or as it is."""
        self.stream.anew()
        self.tell()

    # What the stream asks of a terminal: the emulator takes it in, the view shows it

    def start_afresh(self, cols: int, rows: int, prelude: str) -> None:
        """Forget everything and begin with an empty screen of this size."""
        self.emulator.start_afresh(cols, rows, prelude)
        self._trouble = ""
        self.emulator.fit(*self.view.room)

    def take_text(self, text: str) -> None:
        """The job wrote this."""
        self.emulator.take_text(text)

    def take_times(self, times: Sequence[tuple[int, float]]) -> None:
        """Lines that come next, and when they came."""
        self.emulator.take_times(times)

    def take_size(self, cols: int, rows: int) -> None:
        """The job's terminal has this size from here on."""
        self.emulator.take_size(cols, rows)

    def gone_before(self, lines: int) -> None:
        """This many lines before the first are no longer kept."""
        self.emulator.gone_before(lines)

    def alternate(self) -> bool:
        """Is the alternate screen on?"""
        return self.emulator.alternate()

    def set_approximate(self, flag: bool) -> None:
        """Is what is shown a flood's newest picture?"""
        self.emulator.set_approximate(flag)

    def ended(self) -> None:
        """The job has ended and everything is shown."""
        self.emulator.ended()
        self.emulator.fit(*self.view.room)

    def show(self) -> None:
        """Paint what changed."""
        self.view.show_cursor = self.job.pty and look(self.job) in LIVE
        self.view.show()
        if self._typist is not None:
            self._typist.modes_shown()
        self.marks.renew()
        self.times.renew()
        self.search.shown()
        if not self.stream.waiting and not self.stream.rebuilding:
            self.marks.find_bookmarks_again()
        self._repaint.painted()
        if (self._told_flood, self._told_title) != (self._flood(), self.emulator.screen.title):
            self.tell()

    def on_terminal_view_published(self, event: TerminalView.Published) -> None:
        """It has been counted how many lines are gone, and how many are new."""
        event.stop()
        self.tell()
        if self.view.below:
            self.post_message(self.Noted())

    def go_to(self, rows: range) -> None:
        """Show these rows, a third down the view, and have them stand out."""
        self.view.move_to(rows.start - self.view.size.height // 3)
        self.view.flash(rows)
        self.view.put_caret(self.emulator.lines.spot(rows.start))
        self.marks.go(rows)

    def go_to_line(self, number: int) -> None:
        """Show a line, a third down the view, and have it stand out; keys mean it from now on."""
        rows = self.emulator.lines.rows(number)
        self.view.move_to(rows.start - self.view.size.height // 3)
        self.view.flash(rows)
        self.view.put_caret(Spot(number, 0))

    def being_read(self) -> bool:
        """Has somebody scrolled up?"""
        return not self.view.follow

    def held(self) -> None:
        """There is more, which waits until nobody reads what is shown."""
        self.view.mark_below()

    @property
    def caught_up(self) -> bool:
        """Has it taken in what was printed before it was opened, as far as it can be had?"""
        return self.stream.position is not None or bool(self._trouble)

    def refused(self, why: str) -> None:
        """The engine can't show this job's output."""
        self._trouble = why
        if self._typist is not None:
            self._typist.modes_shown()
        self.tell()

    # The size of the job's terminal

    def on_terminal_view_resized(self, event: TerminalView.Resized) -> None:
        """The view has another size: give it to the job's terminal when it has stood a moment."""
        event.stop()
        self.fitting.soon()

    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        """The size is the one's who is looked at."""
        self.fitting.claim()

    # Type mode

    def set_typing(self, typist: "Typist | None") -> None:
        """Every key goes to the job, by way of this typist; None: no longer."""
        self._typist = typist
        self._refused = ""
        self.set_class(typist is not None, "-typing")
        if typist is not None:
            self.view.move_to(self.emulator.end)
            self.fitting.claim()
        self.tell()

    def say_typing(self, trouble: str) -> None:
        """Why what was typed last didn't reach the job; empty when it did."""
        if self._typist is not None and trouble != self._refused:
            self._refused = trouble
            self.tell()

    # The two lines

    def on_terminal_view_scrolled(self, event: TerminalView.Scrolled) -> None:
        """Whether it follows is said in the line of tabs, or in the pane's own when there are several."""
        event.stop()
        if self._titled:
            self.tell()
        self.marks.renew()
        self.times.renew()
        self.stream.go_on()
        self.post_message(self.Noted())

    def following(self, *, short: bool) -> Piece:
        """How the pane follows, for the line of tabs."""
        key = short_name(BY_ID["pane.follow"].keys[0])
        if self.view.follow:
            return Piece("follow ▼", "$success" if look(self.job) in LIVE else "$quiet", "do:pane.follow")
        if self.view.below:
            lines = self.view.viewport.lines_below
            what = f"{lines:,} new line{'s' * (lines != 1)}" if lines else "new output"
            text = f"▼ {f'{lines:,}' if lines else 'new'} · {key}" if short else f"▼ {what} below · {key}"
            return Piece(text, "bold $warning", "do:pane.follow")
        return Piece(f"▲ {key} follows" if short else f"scrolled · {key} follows", "$warning", "do:pane.follow")

    def tell(self) -> None:
        """Say in the two lines how it stands."""
        self._told_flood, self._told_title = self._flood(), self.emulator.screen.title
        elsewhere = self.job.pty and look(self.job) in LIVE and not self.fitting.ours
        self.view.set_boxed(elsewhere)
        settings = self._bridge.engine.settings
        tell = Telling(
            grace=settings.term_grace_seconds,
            kept_chars=settings.max_output_chars,
            trouble=self._trouble,
            flood=self._told_flood,
            gone=self.emulator.lines_gone + self.emulator.lines.first,
            title=self._told_title,
            masked=self._bridge.redact_panes,
            titled=self._titled,
            size=self._size_words() if elsewhere else "",
            typing=self._typist is not None,
            refused=self._refused,
            use=self.use,
        )
        self._note.put(note_pieces(self.job, tell), self._title_end() if self._titled else ())
        self._status.tell(self.job, tell)

    def _size_words(self) -> str:
        """What is said of a size that another viewer has set."""
        room = self.view.room
        cut = self.job.cols > room.width or self.job.rows > room.height
        return "set elsewhere, cut here" if cut else "set elsewhere"

    def _title_end(self) -> list[Piece]:
        slot = self.job.slot
        following = self.following(short=True)
        return [following._replace(click=f"follow:{slot}"), Piece(" × ", "$quiet", f"unsplit:{slot}")]

    def _flood(self) -> str:
        """What becomes of a picture that isn't exact; empty for one that is."""
        if not self.emulator.approximate:
            return ""
        if self.stream.passed_over:
            return "exact again when the output is calm"
        return "more came than is kept: what it began on is a guess"
