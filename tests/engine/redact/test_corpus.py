"""Every listed kind of secret is masked wherever it stands, and nothing that only looks like one (spec 3.2)."""

import pytest
from secret_shapes import INNOCENT, SHAPES, Shape

from engine.redact import redact
from engine.redact.masking import mask

_WINDOW = 8


def leaks(secret: str, text: str) -> bool:
    """Is more of the secret in the text than its mask shows?"""
    hidden = secret[6:-4] if len(secret) >= 18 else secret
    window = min(_WINDOW, len(hidden))
    return any(hidden[at : at + window] in text for at in range(len(hidden) - window + 1))


def every(number: int, secret: str, between: str) -> str:
    return between.join(secret[at : at + number] for at in range(0, len(secret), number))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_a_secret_is_masked(shape: Shape) -> None:
    shown = redact(f"before\n{shape.printed}\nafter\n")
    assert not leaks(shape.secret, shown), shown
    assert shown.startswith("before\n") and shown.endswith("\nafter\n")
    assert shown.count("\n") == f"before\n{shape.printed}\nafter\n".count("\n")
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "between", ["\x1b[1m", "\u200b", "\x1b[0;31m\x1b[K", "\ufeff\u2060", "\x1b]8;;x\x07"], ids=repr
)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_a_secret_that_is_cut_up_by_what_nobody_sees_is_masked(shape: Shape, between: str) -> None:
    cut = shape.text.replace("{}", every(5, shape.secret, between))
    shown = redact(f"before {cut} after\n").replace(between, "")
    assert not leaks(shape.secret, shown), shown


@pytest.mark.parametrize("text", INNOCENT, ids=lambda text: text[:30])
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text
    assert redact(f"12:00 \x1b[1m{text}\x1b[0m\n") == f"12:00 \x1b[1m{text}\x1b[0m\n"


def test_recall_and_false_alarms(capsys: pytest.CaptureFixture[str]) -> None:
    missed = [shape.kind for shape in SHAPES if leaks(shape.secret, redact(shape.printed))]
    alarms = [text[:60] for text in INNOCENT if redact(text) != text]
    with capsys.disabled():
        print(
            f"\nredaction: {len(SHAPES) - len(missed)} of {len(SHAPES)} secrets masked, "
            f"{len(alarms)} of {len(INNOCENT)} innocent texts"
        )
    assert len(SHAPES) >= 60 and len(INNOCENT) >= 60
    assert (missed, alarms) == ([], [])


def test_the_mask() -> None:
    assert mask("x" * 17) == "***"
    assert mask("abcdefgh0123456789") == "abcdef...6789"
