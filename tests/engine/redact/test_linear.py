"""No text makes masking slow: its time grows with the length alone (spec 3.2)."""

import time

from engine.redact import redact_part
from tests.bench.redact import texts

_CHARS = 60_000
_SECONDS = 0.4
"""Of processor time; 20 times what it takes. A rule that read the same run over and over would take far more."""


def test_no_text_is_slow() -> None:
    slow = []
    for name, text in texts():
        began = time.thread_time()
        redact_part("", text[:_CHARS], assignments=True, live=True)
        spent = time.thread_time() - began
        if spent > _SECONDS:
            slow.append(f"{name}: {spent:.2f} s")
    assert not slow
