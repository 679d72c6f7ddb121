"""Private keys in their blocks of lines, whole ones and such whose beginning or end isn't there."""

import re

from engine.redact.masking import HIDDEN, is_masked
from engine.redact.span import Found, Rule, nothing

LONGEST_BLOCK = 16_384
"""Characters of a private key that are looked for its end; an RSA key of 4,096 bits has 3,300."""
_BEGIN = re.compile(r"(?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY(?: BLOCK)?-{4,5}", re.IGNORECASE)
_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY", re.IGNORECASE)
_END_REST = re.compile(r"(?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE|SECRET) KEY", re.IGNORECASE)
_KEY_LINE = re.compile(
    r"[^A-Za-z0-9+/=\n]{0,16}(?:[A-Za-z0-9+/=]{1,200}+(?:\\r)?(?:\\n)?){0,100}+[^A-Za-z0-9+/=\n]{0,8}"
    rf"|[^\n]{{0,12}}?(?:{re.escape(HIDDEN)}|[A-Za-z0-9+/=]{{6}}\.\.\.[A-Za-z0-9+/=\\]{{4}})"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n]*+"
)
_TAIL = re.compile(r"-{1,5}(?:E(?:N(?:D[A-Z0-9 ]{0,50})?)?)?-{0,5}\Z|\\\Z")
_BODY = re.compile(r"[A-Za-z0-9+/=]{20,}+")


def _key_lines(text: str, start: int, end: int) -> int:
    """Where the lines that look like a key's end, from ``start`` on."""
    at = start
    while at < end:
        line_end = text.find("\n", at, end)
        line_end = end if line_end < 0 else line_end
        if _KEY_LINE.fullmatch(text, at, line_end) is None:
            return at
        at = line_end + 1
    return end


def _before_tail(text: str, end: int) -> int:
    """Where what may be the beginning of the closing line begins, at the very end of a text."""
    tail = _TAIL.search(text, max(0, end - 60)) if end == len(text) else None
    return tail.start() if tail is not None else end


def _stripped(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span without blanks (and written-out line feeds) at its ends; None where it can't be a key."""
    while start < end and (text[start].isspace() or text[start] in "\"'+"):
        start += 1
    while start < end and text.startswith(("\\n", "\\r"), start):
        start += 2
    while end > start and text[end - 1].isspace():
        end -= 1
    if _BODY.search(text, start, end) is None and not is_masked(text[start:end]):
        return None
    return start, end


def _begun(text: str, _start: int, after: int) -> Found | None:
    begin = _BEGIN.match(text, after)
    if begin is None:
        return None
    limit = min(len(text), begin.end() + LONGEST_BLOCK)
    following = text.find("-----BEGIN ", begin.end(), limit)
    limit = following if following >= 0 else limit
    closing = _END.search(text, begin.end(), limit)
    end = closing.start() if closing is not None else _key_lines(text, begin.end(), _before_tail(text, limit))
    secret = _stripped(text, begin.end(), end)
    return Found(end, secret) if secret is not None else nothing(end if closing is None else begin.end())


def _ended(text: str, start: int, after: int) -> Found | None:
    """The lines before an end whose beginning isn't there."""
    if _END_REST.match(text, after) is None:
        return None
    at = start
    while at > 0 and start - at < LONGEST_BLOCK:
        line_end = at - 1 if text[at - 1] == "\n" else at
        line_start = text.rfind("\n", max(0, line_end - 2_000), line_end) + 1
        if not line_start and line_end > 2_000:
            break
        if line_start and text[line_start - 1] != "\n":
            break
        if _KEY_LINE.fullmatch(text, line_start, line_end) is None:
            break
        at = line_start
    secret = _stripped(text, at, start)
    return Found(after, secret)


def _putty(text: str, _start: int, after: int) -> Found | None:
    line_end = text.find("\n", after, after + 20)
    if line_end < 0:
        return None
    end = _key_lines(text, line_end + 1, min(len(text), line_end + LONGEST_BLOCK))
    return Found(end, _stripped(text, line_end + 1, end))


RULES: tuple[Rule, ...] = (
    Rule("-----begin ", _begun),
    Rule("---- begin ", _begun),
    Rule("-----end ", _ended),
    Rule("private-lines:", _putty),
)


def open_block(text: str) -> int | None:
    """Where the body of a private key begins whose end isn't there; None where there is none."""
    start = max(0, len(text) - LONGEST_BLOCK)
    begin = text.upper().rfind("-----BEGIN ", start) if text.isascii() else text.rfind("-----BEGIN ", start)
    if begin < 0:
        return None
    found = _BEGIN.match(text, begin + len("-----BEGIN "))
    if found is None or _END.search(text, found.end()) is not None:
        return None
    end = max(found.end(), _before_tail(text, len(text)))
    return found.end() if _key_lines(text, found.end(), end) == end else None
