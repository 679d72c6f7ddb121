"""A pane: the read-only view of one job's output, with a line above and a line below."""

import time
from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer

from engine.events import JobView
from engine.terminal import Spot
from tui.bridge.bridge import Bridge
from tui.keymap import BY_ID, key_name, short_name
from tui.show.ages import span
from tui.show.cleaning import clean_line, exact
from tui.show.endings import waited_for
from tui.show.keeping import detached_words, kept_words, receipt_words
from tui.show.results import read_back, read_back_words
from tui.show.states import GLYPHS, LIVE, Look, ending_words, look, state_words
from tui.signals.patterns import matcher
from tui.widgets.emulator import Emulator
from tui.widgets.gutter import Gutter
from tui.widgets.line import Line, Piece
from tui.widgets.repaint import Repaint
from tui.widgets.search_bar import SearchBar
from tui.widgets.tab_bar import TONES
from tui.widgets.terminal import TerminalView
from tui.widgets.time_column import TimeColumn

RESIZE_SECONDS = 0.05
"""How long the pane's size must stand before the job's terminal is given it."""
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
        self._resize = resize
        self._bridge = bridge
        self._grace = bridge.engine.settings.term_grace_seconds
        self._resize_timer: Timer | None = None
        self._asked = (0, 0)
        self._trouble = ""
        self._told_flood = ""
        self.wants_focus = False
        """Take the focus as soon as there is a view that can."""
        self.emulator = Emulator(*((job.cols, job.rows) if job.pty else room), pty=job.pty)
        self.view = TerminalView(self.emulator)
        self.marks = Gutter(self.view)
        self.times = TimeColumn(self.view)
        self.search = SearchBar(self.view)
        self.marks.mark(matcher(job.watch_patterns))
        self.stream = bridge.stream(self)
        self._repaint = Repaint(self, lambda cols, rows: self._resize(self.job, cols, rows))
        self._note = Line(classes="pane--note")
        self._status = Line(classes="pane--status")

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
        self._tell()
        if self.wants_focus:
            self.screen.set_focus(self.view, scroll_visible=False)

    # Being seen

    def set_seen(self, seen: bool) -> None:
        """Attach when the pane comes into sight, detach when it goes."""
        if not seen:
            self.stream.pause()
        elif self.stream.session_id:
            self.stream.resume()
            self._fit_soon()
        else:
            self.stream.follow(self.job.session_id)
            self._fit_soon()

    def show_job(self, job: JobView, *, seen: bool) -> None:
        """News of the job in this slot, or another one in its place after a restart."""
        restarted = job.session_id != self.job.session_id
        if job.watch_patterns != self.job.watch_patterns:
            self.marks.mark(matcher(job.watch_patterns))
        self.job = job
        if restarted:
            self._asked = (0, 0)
            self.emulator.pty = job.pty
            self.stream.forget()
            self.marks.bookmarks.clear()
            self.set_seen(seen)
        self._tell()

    def take_in_anew(self) -> None:
        """The engine shows the job's output otherwise from now on: masked, or as it is."""
        self.stream.anew()
        self._tell()

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

    def show(self) -> None:
        """Paint what changed."""
        self.view.show_cursor = self.job.pty and look(self.job) in LIVE
        self.view.show()
        self.marks.renew()
        self.times.renew()
        self.search.shown()
        if not self.stream.waiting and not self.stream.rebuilding:
            self.marks.find_bookmarks_again()
        self._repaint.painted()
        if self._told_flood != self._flood():
            self._tell()

    def on_terminal_view_published(self, event: TerminalView.Published) -> None:
        """It has been counted how many lines are gone, and how many are new."""
        event.stop()
        self._tell()
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

    def refused(self, why: str) -> None:
        """The engine can't show this job's output."""
        self._trouble = why
        self._tell()

    # The size of the job's terminal

    def on_terminal_view_resized(self, event: TerminalView.Resized) -> None:
        """The view has another size: give it to the job's terminal when it has stood a moment."""
        event.stop()
        self._fit_soon()

    def _fit_soon(self) -> None:
        if self._resize_timer is not None:
            self._resize_timer.stop()
        self._resize_timer = self.set_timer(RESIZE_SECONDS, self._fit)

    def _fit(self) -> None:
        cols, rows = self.view.room
        job = self.job
        if not (job.pty and look(job) in LIVE and not job.detached and self.stream.attached and cols > 0 and rows > 0):
            return
        if (cols, rows) not in ((job.cols, job.rows), self._asked):
            self._asked = (cols, rows)
            self._resize(job, cols, rows)

    # The two lines

    def on_terminal_view_scrolled(self, event: TerminalView.Scrolled) -> None:
        """Whether it follows is said in the line of tabs."""
        event.stop()
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

    def _tell(self) -> None:
        self._told_flood = self._flood()
        self._note.put(self._note_pieces())
        self._status.put(self._status_pieces())

    def _flood(self) -> str:
        """What becomes of a picture that isn't exact; empty for one that is."""
        if not self.emulator.approximate:
            return ""
        if self.stream.passed_over:
            return "exact again when the output is calm"
        return "more came than is kept: what it began on is a guess"

    def _note_pieces(self) -> list[Piece]:
        emulator = self.emulator
        if self.job.detached and look(self.job) in LIVE:
            return [Piece(f" ? {detached_words(key_name(BY_ID['job.kill'].keys[0]))}", "$warning")]
        if self._trouble:
            return [Piece(f" ✗ {clean_line(self._trouble)}", "$error")]
        if read_back(self.job):
            return [Piece(f" {read_back_words(self.job, self._bridge.engine.settings.max_output_chars)}", "$accent")]
        if flood := self._flood():
            return [Piece(" ≈ the newest picture of a flood", "$warning"), Piece(f" · {flood}", "$quiet")]
        gone = emulator.lines_gone + emulator.first
        if gone:
            return [Piece(f" ↑ {gone:,} earlier line{'s' * (gone != 1)} no longer kept", "$quiet")]
        return [Piece(" $ ", "$faint"), Piece(exact(self.job.command), "$quiet")]

    def _status_pieces(self) -> list[Piece]:
        job, seen = self.job, look(self.job)
        name = clean_line(job.name or job.command, 40)
        pieces = [Piece(f" {GLYPHS[seen]} ", TONES[seen]), Piece(name, "bold $foreground")]
        if seen not in LIVE:
            ran = span((job.exited_at or time.time()) - job.started_at)
            again = short_name(BY_ID["job.restart"].keys[0])
            pieces += [
                Piece(" · ", "$quiet"),
                Piece(state_words(job), f"bold {TONES[seen]}"),
                Piece(f" after {ran}", "$quiet"),
                Piece(f" · {clean_line(job.start_error)}" if job.start_error else "", "$error"),
                Piece(f" · {self._escaped()}" if job.escaped else "", "$warning"),
                Piece(f" · {pending}" if (pending := receipt_words(job)) else "", "$warning"),
                Piece(f" · {again} starts it again", "$quiet"),
                self._masked(),
            ]
            return pieces
        if seen is Look.ENDING:
            pieces.append(Piece(f" · {ending_words(job, self._grace)}", "$warning"))
            who = waited_for(job)
            pieces.append(Piece(f" · {who}" if who else "", "$warning"))
        kept = kept_words(job)
        writes = f" · {clean_line(job.stdin_holder, 40)} is writing to it" if job.stdin_holder else ""
        pieces += [self._masked(), Piece(f" · {kept}" if kept else "", "$accent"), Piece(writes, "bold $warning")]
        if seen is Look.DETACHED:
            return [*pieces, Piece(f" · pid {job.pid or '?'} · {clean_line(job.cwd)}", "$quiet")]
        kind = f"pty {job.cols}×{job.rows}" if job.pty else "pipe"
        reads = f"{short_name(BY_ID['job.submit'].keys[0])} sends a line" if job.accepts_input else "no input"
        pieces.append(Piece(f" · pid {job.pid or '?'} · {kind} · {clean_line(job.cwd)} · read-only, {reads}", "$quiet"))
        return pieces

    def _masked(self) -> Piece:
        return Piece(" · secrets masked" if self._bridge.redact_panes else "", "$accent")

    def _escaped(self) -> str:
        names = ", ".join(f"{clean_line(left.command, 30)} ({left.pid})" for left in self.job.escaped[:3])
        return f"left behind: {names} · {short_name(BY_ID['job.end_escaped'].keys[0])} ends them"
