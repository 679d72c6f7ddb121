"""What a judge's answer means (spec 2.7)."""

import math
from typing import Any, NamedTuple

import msgspec

from engine.spec import WaitSpec

DONE, BLOCKED, CONTINUE, WAIT = "done", "blocked", "continue", "wait"
_KNOWN = (DONE, BLOCKED, CONTINUE, WAIT)
_REASON_CHARS = 2_000
_LONGEST_WAIT = 366 * 86_400.0


class UnreadableAnswer(ValueError):
    """The judge answered, and not with a verdict; the text shows how its answer begins."""


class Verdict(NamedTuple):
    """What the loop is to do; ``wait`` only comes with something to wait for."""

    verdict: str
    reason: str = ""
    wait: WaitSpec | None = None


def read_verdict(answer: bytes) -> Verdict:
    """The verdict in a judge's stdout: a JSON object, alone, on its last line, or with other text around it.

    An unknown verdict means continue; so does a wait for nothing.

    Raises:
        UnreadableAnswer: There is no such object, or it holds neither ``verdict`` nor ``done``.
    """
    found = _find_object(answer.decode("utf-8", "replace").strip())
    if found is None:
        raise UnreadableAnswer(f"its answer is no JSON object: {_beginning(answer)}")
    word = found.get("verdict")
    reason = _text(found.get("reason"))[:_REASON_CHARS]
    if isinstance(word, str) and word.strip():
        verdict = word.strip().lower()
    elif "done" in found:
        verdict = DONE if _is_true(found["done"]) else CONTINUE
    else:
        raise UnreadableAnswer(f"its answer has neither 'verdict' nor 'done': {_beginning(answer)}")
    if verdict == WAIT:
        wait = _wait_of(found, reason)
        return Verdict(WAIT, reason, wait) if wait is not None else Verdict(CONTINUE, reason)
    return Verdict(verdict if verdict in _KNOWN else CONTINUE, reason)


def _find_object(text: str) -> dict[str, Any] | None:
    lines = text.splitlines()
    candidates = [text, lines[-1] if lines else "", text[text.find("{") : text.rfind("}") + 1]]
    for candidate in candidates:
        try:
            found = msgspec.json.decode(candidate.encode())
        except (msgspec.DecodeError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None


def _wait_of(found: dict[str, Any], reason: str) -> WaitSpec | None:
    session = found.get("wait_on_session")
    if isinstance(session, str) and session.strip():
        return WaitSpec(session_id=session.strip(), on="any", reason=reason)
    pid = found.get("wait_on_pid")
    if isinstance(pid, str) and pid.strip().isascii() and pid.strip().isdigit():
        pid = int(pid.strip()[:20])
    if isinstance(pid, int) and not isinstance(pid, bool) and 0 < pid < 2**31:
        return WaitSpec(pid=pid, reason=reason)
    seconds = found.get("wait_for_seconds")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds < math.inf:
        return WaitSpec(seconds=min(float(seconds), _LONGEST_WAIT - 1), reason=reason)
    return None


def _is_true(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in ("true", "yes", "1", "done")
    return value is True or (isinstance(value, int | float) and value == 1)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _beginning(answer: bytes) -> str:
    return repr(answer[:80].decode("utf-8", "replace")) if answer.strip() else "nothing at all"
