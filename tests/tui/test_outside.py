"""Who looks elsewhere is told: in one, not too often, by the ways that are open, in words that no terminal obeys."""

import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from engine.config import Settings
from engine.events import BarrierReleased, Completion, Event, WatchHit
from engine.waiting import BarrierView, Release
from tui.announcer import Announcer
from tui.news import Mode
from tui.outside.outside import Outside
from tui.outside.terminal import chosen, sequence
from tui.outside.wording import BODY_CHARS, TITLE_CHARS, Gathered, Message

LOUD = Settings(notifications_terminal="osc9", bell_on_hit=True)


def end(name: str, code: int = 0, *, owner: str = "", output: str = "", ago: float = 0.0) -> Completion:
    at = time.time() - ago
    return Completion(
        sequence=1, at=at, session_id=f"proc_{name}", name=name, command=name, owner=owner, exit_code=code,
        completion_reason="exited", termination_source="", output=output, started_at=at - 72, exited_at=at,
    )  # fmt: skip


def hit(text: str, *, owner: str = "", delivered: bool = True) -> WatchHit:
    return WatchHit(
        sequence=1, at=time.time(), session_id="proc_a", pattern="ERROR", text=text, position=0, line=0, owner=owner,
        delivered=delivered,
    )  # fmt: skip


class Console:
    """What comes out of a console, and what it is to do later."""

    def __init__(self, settings: Settings, mode: Mode = Mode.CONCISE) -> None:
        self.written: list[str] = []
        self.rings = 0
        self.due: list[tuple[float, Callable[[], None]]] = []
        self.outside = Outside(self)
        self.outside.ways.take(settings)
        self.announcer = Announcer(self, mode, 0.1, lambda _: "api", self.outside)

    def ring(self) -> None:
        self.rings += 1

    def toast(self, toast: object) -> None:
        """Shown here, which is tested elsewhere."""

    def write_to_terminal(self, text: str) -> None:
        self.written.append(text)

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        self.due.append((seconds, do))

    def beside(self, doing: Coroutine[Any, Any, None]) -> None:
        doing.close()

    def say(self, text: str, *, severity: str = "information") -> None:
        pytest.fail(f"{severity}: {text}")

    def pass_time(self) -> list[float]:
        """All that is due is done, in order; after how long each was."""
        waits = []
        while self.due:
            seconds, do = self.due.pop(0)
            waits.append(seconds)
            do()
        return waits


@pytest.fixture(autouse=True)
def _no_tmux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)


def test_an_end_and_a_hit_are_told_by_the_terminal() -> None:
    console = Console(LOUD)
    console.announcer.take([end("build", 2, output="compiling\nno such file\n")])
    console.pass_time()
    console.announcer.take([hit("ERROR in [b]line[/b]\nmore")])
    console.pass_time()
    assert console.written == [
        "\x1b]9;jobdeck: ✗ build failed (exit 2) · after 1m12s · no such file\x07",
        "\x1b]9;jobdeck: ⚑ api: ERROR · ERROR in [b]line[/b]\x07",
    ]
    assert console.rings == 1


def test_who_looks_here_is_not_told_outside_unless_he_wants() -> None:
    console = Console(LOUD)
    console.outside.reports_focus()
    console.announcer.take([end("one"), hit("ERROR")])
    console.pass_time()
    assert (console.written, console.rings) == ([], 1)  # the bell is heard wherever one looks
    console.outside.focus(False)
    console.outside.reports_focus()  # told once more after a suspension: it doesn't say who has the focus
    console.announcer.take([end("two")])
    console.pass_time()
    assert len(console.written) == 1
    console.announcer.take([end("three")])
    console.due.pop()[1]()
    console.outside.focus(True)  # he has come back before it was told
    console.pass_time()
    assert len(console.written) == 1
    console.outside.ways.focused = True
    console.announcer.take([end("four")])
    console.pass_time()
    assert len(console.written) == 2


def test_bursts_are_told_in_one_and_not_too_often() -> None:
    console = Console(LOUD)
    console.announcer.take([*(end(f"ok{number}") for number in range(6)), end("bad", 3), hit("ERROR one")])
    assert max(console.pass_time()) == pytest.approx(0.1)
    for number in range(5):
        console.announcer.take([end(f"late{number}")])
        console.due.pop()[1]()
    ((seconds, tell),) = console.due
    assert 0.1 < seconds <= 5.0
    tell()
    assert console.written == [
        "\x1b]9;jobdeck: 7 jobs ended (1 failed), 1 hit · ✗ bad failed (exit 3) · ✓ ok0 finished · ✓ ok1 finished"
        " and 5 more\x07",
        "\x1b]9;jobdeck: 5 jobs ended · ✓ late0 finished · ✓ late1 finished · ✓ late2 finished and 2 more\x07",
    ]


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        (Mode.CONCISE, {"good", "bad", "own hit"}),
        (Mode.ALL, {"good", "bad", "own hit", "agent's hit"}),
        (Mode.RESULT, {"good", "bad", "own hit"}),
        (Mode.ERROR, {"bad"}),
        (Mode.OFF, set()),
    ],
)
def test_the_mode_says_what_is_told(mode: Mode, told: set[str]) -> None:
    events: dict[str, Event] = {
        "good": end("good"),
        "bad": end("bad", 1),
        "own hit": hit("ERROR"),
        "agent's hit": hit("ERROR", owner="conv_1"),
        "held back": hit("ERROR", delivered=False),
    }
    heard = set()
    for name, event in events.items():
        console = Console(LOUD, mode)
        console.announcer.take([event])
        console.pass_time()
        heard |= {name} if console.written else set()
    assert heard == told


def test_nothing_is_told_by_ways_that_are_closed_nor_what_is_old() -> None:
    closed, late = Console(Settings()), Console(LOUD)
    closed.announcer.take([end("a"), hit("ERROR")])
    late.announcer.take([end("kept while nobody was there", ago=3_600)])
    closed.pass_time()
    late.pass_time()
    assert (closed.written, closed.rings, late.written) == ([], 0, [])


def test_no_text_of_a_job_is_obeyed_or_too_long() -> None:
    nasty = "\x1b]9;no\x07\x9d9;no\x9c\u202e;x\n" * 40
    console = Console(LOUD)
    console.announcer.take([end(nasty, 1, output=nasty)])
    console.pass_time()
    console.announcer.take([hit(nasty)])
    console.pass_time()
    for told in console.written:
        inner = told.removeprefix("\x1b]9;").removesuffix("\x07")
        assert all(sign.isprintable() for sign in inner)
        assert len(inner) <= len("jobdeck:  · ") + TITLE_CHARS + BODY_CHARS


def test_a_title_and_a_text_stay_apart() -> None:
    message = Message("✓ a;b finished", "after 2 s; c", urgent=False)
    assert sequence("osc777", message, in_tmux=False) == "\x1b]777;notify;jobdeck: ✓ a,b finished;after 2 s, c\x07"
    wrapped = "\x1bPtmux;\x1b\x1b]9;jobdeck: ✓ a;b finished · after 2 s; c\x07\x1b\\"
    assert sequence("osc9", message, in_tmux=True) == wrapped


@pytest.mark.parametrize(
    ("env", "way"),
    [
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM": "xterm-kitty"}, "osc9"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "osc9"),
        ({"TERM": "foot"}, "osc777"),
        ({"TERM": "rxvt-unicode-256color"}, "osc777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "osc777"),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "240800"}, "osc777"),
        ({"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "LC_TERMINAL": "iTerm2"}, "osc9"),
        ({"TERM": "linux"}, ""),
        ({"TERM": "alacritty"}, ""),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, ""),
        ({"TERM": "xterm-256color", "WT_SESSION": "1"}, ""),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, ""),
    ],
)
def test_the_sequence_is_the_one_that_a_terminal_knows(env: dict[str, str], way: str) -> None:
    assert chosen("auto", env) == way
    assert [chosen(asked, env) for asked in ("osc9", "osc777", "off")] == ["osc9", "osc777", ""]


def test_a_wait_that_is_over_is_told_and_one_that_was_lifted_is_not() -> None:
    console = Console(LOUD)
    barrier = BarrierView(barrier_id="wait_1", kind="time", reason="tea", then="make deploy")
    over = Release(outcome="time", happened=True, text="", then_session_id="proc_1")
    console.announcer.take([BarrierReleased(1, time.time(), barrier, over)])
    console.pass_time()
    console.announcer.take(
        [BarrierReleased(2, time.time(), barrier, Release(outcome="lifted", happened=False, text=""))]
    )
    console.pass_time()
    (told,) = console.written
    assert "✓ tea: wait" in told
    assert "make deploy runs" in told


def test_waits_goals_and_batches_are_counted_beside_jobs() -> None:
    gathered = Gathered()
    gathered.ends, gathered.others = [end("a")], [("✓ goal “x” is done after 2 turns", False)]
    assert gathered.message() == Message("1 job ended, 1 more done", "✓ a finished · ✓ goal “x” is done after 2 turns")
