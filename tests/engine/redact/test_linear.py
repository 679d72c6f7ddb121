"""No text makes masking slow: its time grows with the length alone (spec 3.2)."""

import time
from itertools import islice

import pytest

from engine.redact import redact_part
from tests.bench.redact import texts

_CHARS = 60_000
_SECONDS = 0.4
"""Of processor time; 20 times what it takes. A rule that read the same run over and over would take far more."""
_PARTS = 6
"""All of them at once could be too much for a test's time where the machine is busy."""


@pytest.mark.parametrize("part", range(_PARTS))
def test_no_text_is_slow(part: int) -> None:
    slow = []
    for name, text in islice(texts(), part, None, _PARTS):
        began = time.thread_time()
        redact_part("", text[:_CHARS], assignments=True, live=True)
        spent = time.thread_time() - began
        if spent > _SECONDS:
            slow.append(f"{name}: {spent:.2f} s")
    assert not slow
