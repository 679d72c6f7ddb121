"""A part of a longer text, masked by what stands before and after it, and as one that may go on."""

from engine.redact.finding import find
from engine.redact.masking import HIDDEN, mask
from engine.redact.plain import SEQUENCE, Plain


def passage(
    before: str,
    part: str,
    after: str = "",
    *,
    assignments: bool = False,
    live: bool = False,
    hold: bool = False,
    keep_length: bool = False,
) -> tuple[str, int]:
    """See `redact_part`: the text, and how many characters of the part it stands for."""
    raw, start = f"{before}{part}{after}", len(before)
    plain = _read(raw, assignments)
    end = start + len(part)
    spans = find(plain, assignments=assignments)
    if live:
        from engine.redact.unfinished import unfinished

        within = [(plain.plain(span[0]), plain.plain(span[1])) for span in spans[-1:]]
        begun = unfinished(plain.text, within, assignments=assignments)
        if begun is not None:
            at = plain.span(begun, begun + 1)[0]
            if hold:
                end = max(start, min(end, at))
            else:
                at = min([at, *(span[0] for span in spans if span[1] > at)])
                spans = [*(span for span in spans if span[1] <= at), (at, len(raw))]
                return _masked(raw, spans, start, end, unfinished_at=at, keep_length=keep_length), end - start
    return _masked(raw, spans, start, end, keep_length=keep_length), end - start


def masked(text: str, *, assignments: bool = False, line: bool = False) -> str:
    """A whole text, masked."""
    return _masked(text, find(_read(text, assignments), assignments=assignments, line=line), 0, len(text))


def _read(raw: str, assignments: bool) -> Plain:
    # /proc/PID/environ and `env -0` end each assignment with a NUL.
    return Plain(raw.replace("\0", "\n") if assignments else raw)


def _masked(
    raw: str,
    spans: list[tuple[int, int]],
    start: int,
    end: int,
    *,
    unfinished_at: int | None = None,
    keep_length: bool = False,
) -> str:
    """The characters from ``start`` to ``end``; of a secret that began before, or grows yet, nothing is shown."""
    pieces, at = [], start
    for first, last in spans:
        if last <= at or first >= end:
            continue
        pieces.append(raw[at:first] if first > at else "")
        whole = first >= start and first != unfinished_at
        shown = mask(Plain(raw[first:last]).text.strip()) if whole else HIDDEN
        pieces.append(_in_place(raw[max(first, start) : min(last, end)], shown, keep_length=keep_length))
        at = min(last, end)
    pieces.append(raw[at:end])
    return "".join(pieces)


def _in_place(secret: str, shown: str, *, keep_length: bool) -> str:
    """The mask, with the sequences and line ends that stood in the secret: colours end where they did."""
    if not keep_length and "\n" not in secret and "\x1b" not in secret and "\x9b" not in secret:
        return shown
    lines: list[str] = []
    for line in secret.split("\n"):
        sequences = "".join(SEQUENCE.findall(line)) if "\x1b" in line or "\x9b" in line else ""
        kept = sequences + ("\r" if line.endswith("\r") else "")
        hidden = (shown if not lines else HIDDEN) if line.strip() else ""
        if keep_length:
            hidden = hidden[: len(line) - len(kept)].ljust(len(line) - len(kept), "\0")
        lines.append(hidden + kept)
    return "\n".join(lines)
