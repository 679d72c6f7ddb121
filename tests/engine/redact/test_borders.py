"""A secret that is cut by a border, whichever way it is looked at, shows nothing that its mask doesn't (spec 3.2)."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from secret_shapes import INNOCENT, SHAPES, Shape

from engine.redact import redact, redact_part
from engine.redact.passage import passage

_PREFIX = 16
"""What tells the kind of a secret isn't secret; none of it is longer."""
_TOLD_LATE = ("Discord", "Terraform", "Mailchimp", "Azure client")
"""Known by their middle or end: before that is there, nobody can tell."""
shapes = st.sampled_from(SHAPES)
begun = st.sampled_from([shape for shape in SHAPES if shape.kind not in _TOLD_LATE])
LINES = [f"{text}\n" for text in INNOCENT[:20]]
fillers = st.sampled_from(["", "$ run\n", "\x1b[32mok\x1b[0m ", "x" * 300 + "\n", "eyJ sk- ghp_ ://a:\n", *LINES])


def leaked(secret: str, text: str, most: int = 8) -> str:
    """A part of what the mask hides, ``most`` characters long, that is in the text."""
    hidden = secret[6:-4] if len(secret) >= 18 else secret
    size = min(most, len(hidden))
    return next((hidden[at : at + size] for at in range(len(hidden) - size + 1) if hidden[at : at + size] in text), "")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(begun, fillers, fillers, st.data())
def test_polls_that_cut_a_secret_anywhere_show_it_masked_once_and_never_in_part(
    shape: Shape, before: str, after: str, data: st.DataObject
) -> None:
    whole = f"{before}{shape.printed}\n{after}\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    position, shown = 0, []
    for end in [*cuts, len(whole)]:
        live = end < len(whole)
        if position < end:
            part = redact_part(whole[:position], whole[position:end], live=live, hold=True)
            shown.append(part.text)
            position += part.taken
    assert position == len(whole)
    assert not leaked(shape.secret, "".join(shown)), shown


@settings(max_examples=300, deadline=None, derandomize=True)
@given(shapes, fillers, fillers, st.data())
def test_a_window_that_begins_or_ends_in_a_secret_shows_nothing_of_its_rest(
    shape: Shape, before: str, after: str, data: st.DataObject
) -> None:
    whole = f"{before}{shape.printed}\n{after}\n"
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    part = redact_part(whole[:start], whole[start:end], whole[end:])
    assert part.taken == end - start
    assert not leaked(shape.secret, part.text), part.text


@settings(max_examples=300, deadline=None, derandomize=True)
@given(begun, fillers, st.data())
@example(SHAPES[0], "", None)
def test_the_preview_of_a_secret_that_is_being_printed_never_shows_more_than_its_kind(
    shape: Shape, before: str, data: st.DataObject | None
) -> None:
    whole = f"{before}{shape.printed}"
    end = data.draw(st.integers(0, len(whole))) if data is not None else len(whole)
    text = redact_part("", whole[:end], live=True).text
    secret = shape.secret
    at = whole.find(secret)
    if end - at >= 10 and at + 10 < len(whole):
        seen = secret[_PREFIX : max(_PREFIX, end - at)]
        window = 8
        assert all(seen[i : i + window] not in text for i in range(len(seen) - window + 1)), text


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.text(
        alphabet=st.sampled_from("sk-ghp_eyJ.:/@=\"' \n\x1b[0m;31\u200babcXYZ0189-BEGIN PRIVATE KEY"), max_size=200
    ),
    st.data(),
)
def test_any_text_may_be_cut_anywhere(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    first = redact_part("", text[:cut], text[cut:], assignments=True)
    second = redact_part(text[:cut], text[cut:], assignments=True)
    assert first.taken + second.taken == len(text)
    live = redact_part(text[:cut], text[cut:], live=True, hold=True)
    assert 0 <= live.taken <= len(text) - cut
    assert passage("", text) == (redact(text), len(text))


def test_lines_stay_lines_where_a_block_of_a_key_is_masked() -> None:
    for shape in SHAPES:
        if shape.kind.startswith("block ") and "JSON" not in shape.kind:
            assert redact(shape.printed).count("\n") == shape.printed.count("\n")


def test_colours_end_where_they_did() -> None:
    secret = SHAPES[0].secret
    assert (
        redact(f"\x1b[1m{secret[:20]}\x1b[0;31m{secret[20:]}\x1b[0m.") == f"\x1b[1m{redact(secret)}\x1b[0;31m\x1b[0m."
    )
