"""``jobdeck log -f`` prints what comes as the log has it, however it is cut (spec 4.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.output.cleaning import clean
from tui.cli.following import Printer, _last_lines

TEXTS = ("a", "bc ", "ü", "\n", "\r\n")
PIECES = (*TEXTS, "\x1b[31m", "\x1b[0;1m", "\x1b]0;title\x07", "\x1b]8;;x\x1b\\", "\x1b(B", "\x1b7")
TEXT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def printed(parts: list[tuple[str, bool]], *, raw: bool = False) -> str:
    """What comes out of these parts, each followed by a quiet moment or not."""
    with pytest.MonkeyPatch.context() as patch:
        out: list[str] = []
        printer = Printer(raw=raw)
        patch.setattr(printer, "_write", out.append)
        for text, quiet in parts:
            printer.feed(text)
            if quiet:
                printer.quiet()
        printer.quiet()
    return "".join(out)


@given(TEXT, st.lists(st.integers(0, 90)), st.lists(st.booleans()))
def test_however_it_is_cut_it_is_what_the_log_says(text: str, cuts: list[int], quiet: list[bool]) -> None:
    ends = sorted({*(cut for cut in cuts if cut < len(text)), len(text)})
    parts = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    hushed = [*quiet, *[False] * len(parts)]
    assert printed(list(zip(parts, hushed, strict=False))) == clean(text)
    assert printed([(part, True) for part in parts], raw=True) == text


def test_a_prompt_is_seen_while_it_waits_and_progress_goes_on_below() -> None:
    assert printed([("Name? ", True), ("Bob\n", False)]) == "Name? Bob\n"
    assert printed([("10%\r", True), ("20%\r", True), ("done\n", False)]) == "10%\n20%\ndone\n"
    assert printed([("10%\r", False), ("20%\r", False), ("done\n", False)]) == "done\n"


def test_a_line_without_end_is_not_kept_back_for_ever() -> None:
    assert printed([("x" * 70_000, False), ("y\n", False)]).startswith("x" * 4_000)


@pytest.mark.parametrize(
    ("text", "count", "last"),
    [("a\nb\nc\n", 2, "b\nc\n"), ("a\nb\nc", 2, "b\nc"), ("a\n", 5, "a\n"), ("", 1, ""), ("\n\n", 1, "\n")],
)
def test_the_last_lines(text: str, count: int, last: str) -> None:
    assert _last_lines(text, count) == last
