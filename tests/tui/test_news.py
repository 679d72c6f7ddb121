"""Ends are told by the display mode, in one banner where they come together, and no failure is hidden in it."""

import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from engine.events import Completion, EngineNotice, Event, Heartbeat, WatchHit
from tui.announcer import Announcer
from tui.news import Mode, Toast, completions, mode_of, others
from tui.outside.outside import Outside


def end(name: str, code: int | None = 0, *, reason: str = "exited", output: str = "", **fields: Any) -> Completion:
    now = time.time()
    return Completion(
        sequence=1, at=now, session_id=fields.pop("session_id", f"proc_{name}"), name=name, command=name,
        owner=fields.pop("owner", ""), exit_code=code, completion_reason=reason,
        termination_source=fields.pop("source", "exited"), output=output, started_at=now - 72, exited_at=now, **fields,
    )  # fmt: skip


def texts(toasts: list[Toast]) -> list[str]:
    return [toast.text for toast in toasts]


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (end("web"), "✓ web finished after 1m12s"),
        (end("tests", 1, output="a\nb\n3 failed\n"), "✗ tests failed (exit 1) after 1m12s\nb\n3 failed"),
        (end("api", -15), "✗ api terminated (SIGTERM) after 1m12s"),
        (end("api", -9, reason="killed", source="kill"), "⊘ api terminated (SIGTERM) after 1m12s"),
        (end("gone", None, reason="lost"), "? gone lost after 1m12s"),
        (
            end("typo", 127, reason="failed_start", owner="claude", start_error="no such program"),
            "✗ typo failed to start\nno such program",
        ),
    ],
)  # fmt: skip
def test_each_end_has_its_sign_and_words(ended: Completion, text: str) -> None:
    (toast,) = completions([ended], Mode.CONCISE)
    assert ("r starts it again" in toast.text) == ended.failed
    assert toast.text.replace(" · r starts it again", "") == text


def test_a_start_of_ones_own_that_failed_is_told_where_it_was_asked_for() -> None:
    assert not completions([end("typo", 127, reason="failed_start")], Mode.ALL)


def test_several_ends_are_one_banner_and_failures_come_first() -> None:
    ended = [*(end(f"ok{number}") for number in range(6)), end("bad", 3), end("worse", -11)]
    (toast,) = completions(ended, Mode.CONCISE)
    first, second = toast.text.split("\n")
    assert first == "✗ 2 of 8 jobs failed: bad (exit 3), worse (SIGSEGV)"
    assert second == "✓ 6 jobs ended: ok0, ok1, ok2 and 3 more"
    assert toast.severity == "error"


def test_the_modes_tell_what_they_say() -> None:
    good, bad = end("good", output="one\ntwo\n"), end("bad", 1, output="one\ntwo\n")
    assert texts(completions([good], Mode.RESULT)) == ["✓ good finished after 1m12s\none\ntwo"]
    assert not completions([good], Mode.ERROR)
    assert len(completions([bad, good], Mode.ERROR)) == 1
    assert not completions([bad], Mode.OFF)
    beat = Heartbeat(sequence=1, at=0.0, session_id="proc_a", output="x\nstill here\n")
    hit = WatchHit(sequence=1, at=0.0, session_id="proc_a", pattern="E", text="E [b]", position=0, line=0)
    for event, text in ((beat, "♥ job · still here"), (hit, "⚑ job · E [b]")):
        said = {mode: others(event, mode, lambda _: "job") for mode in Mode}
        assert [mode for mode, toast in said.items() if toast is not None] == [Mode.ALL]
        assert texts([toast for toast in said.values() if toast is not None]) == [text]
    trouble = EngineNotice(1, 0.0, "the disk is full", "error")
    assert [mode for mode in Mode if others(trouble, mode, str)] == [mode for mode in Mode if mode is not Mode.OFF]


def test_the_environment_overrides_the_setting_and_a_wrong_word_is_told() -> None:
    assert mode_of("all", {}) == (Mode.ALL, "")
    assert mode_of("all", {"JOBDECK_NOTIFICATIONS": "Error"}) == (Mode.ERROR, "")
    mode, wrong = mode_of("all", {"JOBDECK_NOTIFICATIONS": "loud"})
    assert mode is Mode.CONCISE and "loud" in wrong


class Recorder:
    def __init__(self) -> None:
        self.toasts: list[str] = []
        self.rings = 0
        self.due: list[Callable[[], None]] = []

    def toast(self, toast: Toast) -> None:
        self.toasts.append(toast.text)

    def ring(self) -> None:
        self.rings += 1

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        assert seconds == 0.1
        self.due.append(do)

    def write_to_terminal(self, text: str) -> None:
        pytest.fail(f"{text!r} was not asked for")

    def beside(self, doing: Coroutine[Any, Any, None]) -> None:
        pytest.fail(f"{doing!r} was not asked for")

    def say(self, text: str, *, severity: str = "information") -> None:
        pytest.fail(f"{severity} {text!r} was not asked for")


def test_ends_within_the_batch_time_are_told_together_each_once_with_one_bell() -> None:
    told = Recorder()
    outside = Outside(told)
    outside.ways.bell_on_complete = True
    announcer = Announcer(told, Mode.CONCISE, 0.1, str, outside)
    first: list[Event] = [end("a"), end("a", session_id="proc_other"), end("a")]
    announcer.take(first)
    announcer.take([end("b", 2)])
    assert not told.toasts and len(told.due) == 1
    told.due.pop()()
    assert told.toasts == ["✗ 1 of 3 jobs failed: b (exit 2)\n✓ 2 jobs ended: a, a"]
    assert told.rings == 1
    announcer.take([end("c")])
    told.due.pop()()
    assert told.toasts[1:] == ["✓ c finished after 1m12s"]
