"""What the lines above and below a pane's view say."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from engine.events import JobView
from engine.results import JobUse
from tui.keymap import BY_ID, key_name, short_name
from tui.show.ages import span
from tui.show.cleaning import clean_line, exact
from tui.show.endings import waited_for
from tui.show.hosts import at_host, connecting, may_run_there
from tui.show.keeping import detached_words, kept_words, raw_log, receipt_words
from tui.show.results import read_back, read_back_words
from tui.show.states import GLYPHS, LIVE, Look, ending_words, look, state_words
from tui.widgets.line import Line, Piece, width_of
from tui.widgets.tab_bar import TONES


class Telling(NamedTuple):
    """What a pane knows beside its job."""

    grace: float
    """Seconds that a job is given to end."""
    kept_chars: int
    """Characters of output that a result on the disk has at most."""
    trouble: str = ""
    """Why the output can't be shown, else empty."""
    flood: str = ""
    """What becomes of a picture that isn't exact, else empty."""
    gone: int = 0
    """Lines before the first that are no longer kept."""
    title: str = ""
    """What the job calls its terminal."""
    masked: bool = False
    """Secrets are masked in it."""
    titled: bool = False
    """The line above begins with whose pane it is."""
    size: str = ""
    """What is said of a terminal whose size isn't the view's, else empty."""
    typing: bool = False
    """Every key goes to the job."""
    refused: str = ""
    """Why what was typed last didn't reach it, else empty."""
    use: JobUse | None = None
    """What its tree used at the last look, which tells whether it waits for input or stands still."""


def note_pieces(job: JobView, tell: Telling) -> list[Piece]:
    """The line above: what is out of the ordinary, else the command."""
    return [*(_title(job, tell) if tell.titled else ()), *_note(job, tell)]


def _note(job: JobView, tell: Telling) -> list[Piece]:
    if job.detached and look(job) in LIVE:
        return [Piece(f" ? {detached_words(key_name(BY_ID['job.kill'].keys[0]))}", "$warning")]
    if tell.trouble:
        return [Piece(f" ✗ {clean_line(tell.trouble)}", "$error")]
    if read_back(job):
        return [Piece(f" {read_back_words(job, tell.kept_chars)}", "$accent")]
    if tell.flood:
        return [Piece(" ≈ the newest picture of a flood", "$warning"), Piece(f" · {tell.flood}", "$quiet")]
    if tell.gone:
        gone = f" ↑ {tell.gone:,} earlier line{'s' * (tell.gone != 1)} no longer kept"
        log = raw_log(job)
        return [Piece(gone, "$quiet"), Piece(f" here · raw log {log}" if log else "", "$quiet")]
    if tell.titled and job.name in ("", job.command):
        return []  # its name is its command
    return [Piece(" $ ", "$quiet"), Piece(exact(job.command), "$quiet")]


def _title(job: JobView, tell: Telling) -> list[Piece]:
    seen = look(job, tell.use)
    name = clean_line(job.name or job.command, 24 if job.name else 200)
    return [Piece(f" {GLYPHS[seen]} ", TONES[seen]), Piece(f"{name} ", "bold $foreground")]


class StatusLine(Line):
    """The line below a pane's view. What it says of the keys gives way to what it says of the job."""

    def __init__(self) -> None:
        super().__init__(classes="pane--status")
        self._job: JobView | None = None
        self._tell: Telling | None = None

    def tell(self, job: JobView, tell: Telling) -> None:
        """Say how the job stands."""
        self._job, self._tell = job, tell
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """How the job stands, and at the right end what reaches it: in full if there is room for both."""
        if self._job is None or self._tell is None:
            return (), ()
        left, ways = status_pieces(self._job, self._tell)
        right = next((way for way in ways if width_of(left) + width_of(way) <= width), ways[-1] if ways else [])
        return left, right


def status_pieces(job: JobView, tell: Telling) -> tuple[list[Piece], list[list[Piece]]]:
    """How the job stands, and ways to say what reaches it, the longest first."""
    if tell.typing:
        return _typing(job, tell), [_leaving()]
    if look(job) in LIVE:
        return _running(job, tell), _input(job)
    return _ended(job, tell), []


def _typing(job: JobView, tell: Telling) -> list[Piece]:
    name = clean_line(job.name or job.command, 24)
    if tell.refused:
        how = tell.refused
    elif job.stdin_holder:
        how = f"{clean_line(job.stdin_holder, 40)} is writing to it too"
    else:
        how = "every key goes to it"
    return [Piece(" TYPING ", "bold"), Piece(f"into {name}", "bold"), Piece(f" · {how}")]


def _leaving() -> list[Piece]:
    first, second = (key_name(key) for key in BY_ID["type.leave"].keys[:2])
    return [Piece(f" {first} or {second} leaves ", "bold", "do:type.leave")]


def _ended(job: JobView, tell: Telling) -> list[Piece]:
    seen = look(job)
    ran = span((job.exited_at or time.time()) - job.started_at)
    again = short_name(BY_ID["job.restart"].keys[0])
    if seen is Look.IDLE:
        return [*_who(job, tell), Piece(f" · not started · {again} starts it", "$quiet")]
    return [
        *_who(job, tell),
        Piece(" · ", "$quiet"),
        Piece(state_words(job), f"bold {TONES[seen]}"),
        Piece(f" after {ran}", "$quiet"),
        Piece(f" · {key_name(BY_ID['job.kill'].keys[0])} ends it there" if may_run_there(job) else "", "$warning"),
        Piece(f" · {clean_line(job.start_error)}" if job.start_error else "", "$error"),
        Piece(f" · {_escaped(job)}" if job.escaped else "", "$warning"),
        Piece(f" · {pending}" if (pending := receipt_words(job)) else "", "$warning"),
        Piece(f" · {clean_line(job.waits)}" if job.waits else "", "$accent"),
        Piece(f" · {again} starts it again", "$quiet"),
        _masked(tell),
    ]


def _running(job: JobView, tell: Telling) -> list[Piece]:
    pieces = [] if tell.titled else _who(job, tell)
    if look(job) is Look.WAITING:
        stop = short_name(BY_ID["job.kill"].keys[0])
        return [*pieces, Piece(f" · {clean_line(job.waits)}", "$accent"), Piece(f" · {stop} calls it off", "$quiet")]
    title = clean_line(tell.title, 60)
    if title and title not in (job.name, clean_line(job.command, 60)):
        pieces.append(Piece(f" · {title}", "$foreground"))
    if look(job) is Look.ENDING:
        pieces.append(Piece(f" · {ending_words(job, tell.grace)}", "$warning"))
        who = waited_for(job)
        pieces.append(Piece(f" · {who}" if who else "", "$warning"))
    if (seen := look(job, tell.use)) in _IDLE:
        pieces.append(Piece(f" · {_IDLE[seen]}", TONES[seen]))
    kept = kept_words(job)
    writes = f" · {clean_line(job.stdin_holder, 40)} is writing to it" if job.stdin_holder else ""
    pieces += [_masked(tell), Piece(f" · {kept}" if kept else "", "$accent"), Piece(writes, "bold $warning")]
    if look(job) is Look.DETACHED:
        return [*pieces, Piece(f" · pid {job.pid or '?'} · {clean_line(job.cwd)}", "$quiet")]
    if connecting(job):
        return [*pieces, Piece(f" · connecting to {clean_line(job.host, 24)}; nothing of it runs yet", "$warning")]
    kind = f"pty {job.cols}×{job.rows}" if job.pty else "pipe"
    if tell.size:
        pieces.append(Piece(f" · {kind} {tell.size}", "$accent"))
    kind = "" if tell.size else f" · {kind}"
    pieces.append(Piece(f" · pid {job.pid or '?'}{kind} · {clean_line(job.cwd)}", "$quiet"))
    if tell.titled:  # the line above has said who it is
        first = next(at for at, piece in enumerate(pieces) if piece.text)
        pieces[first] = pieces[first]._replace(text=pieces[first].text.replace(" ·", "", 1))
    return pieces


def _who(job: JobView, tell: Telling) -> list[Piece]:
    seen = look(job, tell.use)
    return [
        Piece(f" {GLYPHS[seen]} ", TONES[seen]),
        Piece(clean_line(job.name or job.command, 40), "bold $foreground"),
        Piece(at_host(job), "$accent"),
    ]


_IDLE = {Look.ASKS: "perhaps waits for input", Look.STOPPED: "stands still"}
"""Of jobs that run and do nothing, why."""


def _masked(tell: Telling) -> Piece:
    return Piece(" · secrets masked" if tell.masked else "", "$accent")


def _input(job: JobView) -> list[list[Piece]]:
    """That the pane is read-only, and the keys that reach the job all the same."""
    if not job.accepts_input:
        return [[Piece(" · read-only, no input ", "$quiet")], [Piece(" · read-only ", "$quiet")]]
    types, line = (short_name(BY_ID[name].keys[0]) for name in ("job.type", "job.submit"))
    sends = Piece(f"{line} sends a line", "$quiet", "do:job.submit")
    ways = [Piece(" · read-only, ", "$quiet"), sends]
    if not job.pty:
        return [[*ways, Piece(" ")], [Piece(" · ", "$quiet"), sends, Piece(" ")]]
    typed = Piece(f"{types} types", "$quiet", "do:job.type")
    return [[*ways, Piece(", ", "$quiet"), typed, Piece(" ")], [Piece(" · ", "$quiet"), typed, Piece(" ")]]


def _escaped(job: JobView) -> str:
    names = ", ".join(f"{clean_line(left.command, 30)} ({left.pid})" for left in job.escaped[:3])
    return f"left behind: {names} · {short_name(BY_ID['job.end_escaped'].keys[0])} ends them"
