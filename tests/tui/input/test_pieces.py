"""The host's input is cut into keys, pastes and reports, however the reads cut it, and no byte of it is lost."""

from hypothesis import given
from hypothesis import strategies as st
from textual import events

from tui.input.host_events import HostEvents, HostKey
from tui.input.pieces import PASTE_END, PASTE_START, Cutter, Kind, Piece

KEYS = [
    "a", "é", "漢", "\r", "\t", "\x03", "\x7f", "\x1b[A", "\x1bOP", "\x1b[1;5C", "\x1b[3~", "\x1b[24;6~", "\x1b[Z",
    "\x1bb", "\x1b\r", "\x1b[97;5u", "\x1b[97;2;65u", "\x1b[0;;233u", "\x1b[[A", "\x1bOp", "\x1b[1;2R", "\x1b[57441;2u",
]  # fmt: skip
REPORTS = ["\x1b[<0;10;3M", "\x1b[<35;10;3m", "\x1b[I", "\x1b[O", "\x1b[?2026;2$y", "\x1b[12;40R", "\x1b[?62;22c"]
PASTES = ["", "two\rlines", "with \x1b[31mcolour\x1b[m", "[201~", "\x1b", "\x1b[201"]


def whole(kind: Kind, text: str) -> str:
    return f"{PASTE_START}{text}{PASTE_END}" if kind is Kind.PASTE else text


pieces = st.lists(
    st.one_of(
        st.sampled_from(KEYS).map(lambda text: Piece(Kind.KEY, text)),
        st.sampled_from(REPORTS).map(lambda text: Piece(Kind.REPORT, text)),
        st.sampled_from(PASTES).map(lambda text: Piece(Kind.PASTE, text)),
    ),
    max_size=12,
)


@given(pieces, st.lists(st.integers(1, 7), min_size=1, max_size=40))
def test_pieces_come_out_as_they_went_in_however_they_were_cut(sent: list[Piece], sizes: list[int]) -> None:
    text = "".join(whole(*piece) for piece in sent)
    cutter = Cutter()
    got: list[Piece] = []
    at = turn = 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        got += cutter.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    assert got + cutter.give_up() == sent


@given(st.lists(st.text(st.sampled_from("\x1b[O?<;0129uM~ab\x9b\u20ac")), max_size=20))
def test_whatever_comes_nothing_is_lost_or_repeated(reads: list[str]) -> None:
    cutter = Cutter()
    got = [piece for text in reads for piece in cutter.feed(text)] + cutter.give_up()
    assert "".join(piece.text for piece in got) == "".join(reads)


def test_escape_alone_waits_for_what_may_follow_and_is_a_key_when_nothing_does() -> None:
    cutter = Cutter()
    assert cutter.feed("\x1b") == [] and cutter.begun
    assert cutter.give_up() == [Piece(Kind.KEY, "\x1b")]
    assert not cutter.begun


def test_keys_keep_what_was_sent_for_them_beside_textuals_name() -> None:
    events_of = HostEvents()
    names = {}
    for raw in KEYS:
        first, *others = events_of.of([Piece(Kind.KEY, raw)])
        assert isinstance(first, HostKey) and first.raw == raw
        assert all(isinstance(other, HostKey) and other.raw == "" for other in others)
        names[raw] = first.key
    assert (names["\x1b[A"], names["\x1b[1;5C"], names["\x1b[97;5u"]) == ("up", "ctrl+right", "ctrl+a")
    assert HostKey.handler_name == events.Key.handler_name


def test_no_report_leaves_textuals_parser_amid_a_sequence() -> None:
    events_of = HostEvents()
    for report in REPORTS:
        list(events_of.of([Piece(Kind.REPORT, report)]))
        down = list(events_of.of([Piece(Kind.REPORT, "\x1b[<0;5;6M")]))
        assert [type(event) for event in down] == [events.MouseDown], report


def test_a_paste_is_one_event_with_all_that_was_in_it() -> None:
    (event,) = HostEvents().of([Piece(Kind.PASTE, "a\x1b[31mb\x00\rc")])
    assert isinstance(event, events.Paste) and event.text == "a\x1b[31mb\rc"
