"""What masking costs: 200,000 characters of anything, milliseconds of processor time, best of five.

    python -m tests.bench.redact

Each text is meant to be the worst for one of the rules: every anchor over and over, runs without end, blocks that never
close, sequences between all characters.
"""

import itertools
import random
import time
from collections.abc import Iterator

from engine.redact.anchors import RULES
from engine.redact.passage import passage
from engine.redact.vendors import TOKENS

CHARS = 200_000


def texts() -> Iterator[tuple[str, str]]:
    """Name and text, each of `CHARS` characters."""
    chance = random.Random(1)
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    words = ["".join(chance.choices(alphabet, k=chance.randint(2, 9))) for _ in range(500)]
    log = "".join(f"2026-01-01 12:00:00 INFO {' '.join(chance.choices(words, k=9))}\n" for _ in range(4_000))
    yield "log lines", log
    yield "base64", "".join(chance.choices(alphabet + "+/", k=CHARS))
    yield "base64url", "".join(chance.choices(alphabet + "-_", k=CHARS))
    yield "printable", "".join(chance.choices([chr(code) for code in range(32, 127)], k=CHARS))
    yield "unicode", "".join(chance.choices("äöü中文字кИ😀 sk-", k=CHARS))
    yield "İ", "İ" * CHARS
    yield "spaces", " " * CHARS
    yield "dashes", "-" * CHARS
    yield "dots", "." * CHARS
    yield "almost discord", ".abcdef.abcdefghijklmnopqrstuvwxyz0" * (CHARS // 35)
    yield "escapes", "a\x1b[1m" * (CHARS // 5)
    yield "zero width", "a\u200b" * (CHARS // 2)
    yield "escapes in secrets", ("sk-test-aaaabbbb\x1b[0mccccddddeeeeffff0123 ") * (CHARS // 41)
    yield "moves", "a\x1b[1;1H" * (CHARS // 7)
    yield "unfinished strings", "\x1b]" * (CHARS // 2)
    yield "backspaces", "ab\x08" * (CHARS // 3)
    yield "blocks", "-----BEGIN RSA PRIVATE KEY-----\n" * (CHARS // 32)
    yield "blocks' ends", "-----END RSA PRIVATE KEY-----\n" * (CHARS // 30)
    yield "one block", "-----BEGIN RSA PRIVATE KEY-----\n" + ("A" * 64 + "\n") * (CHARS // 65)
    yield "key lines", ("A" * 64 + "\n") * (CHARS // 65) + "-----END RSA PRIVATE KEY-----\n"
    yield "blocks and ends", ("-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----\n") * (CHARS // 56)
    yield "addresses", "://a:" * (CHARS // 5)
    yield "addresses with @", "://a:b@" * (CHARS // 7)
    yield "ats", "://a:" + "b@" * (CHARS // 2)
    yield "equals", "a=" * (CHARS // 2)
    yield "secret names", "TOKEN=abc1234567 " * (CHARS // 17)
    yield "quotes", 'TOKEN="' * (CHARS // 7)
    yield "cookies", "cookie: session=" * (CHARS // 16)
    for anchor in sorted({rule.anchor for rule in RULES} | {token.prefix for token in TOKENS} | {"eyJ", ":AA", "8Q~"}):
        yield f"{anchor!r}", anchor * (CHARS // len(anchor))
        yield f"{anchor!r} a word", f"{anchor}a1 " * (CHARS // (len(anchor) + 3))
    yield "each anchor", "".join(itertools.islice(itertools.cycle(f"{rule.anchor}=" for rule in RULES), CHARS // 8))


def main() -> None:
    passage("", "sk-", live=True)
    slowest: list[tuple[float, str]] = []
    for name, whole in texts():
        text = whole[:CHARS]
        best = 1e9
        for _ in range(5):
            began = time.thread_time()
            passage("", text, assignments=True, live=True)
            best = min(best, (time.thread_time() - began) * 1_000)
        slowest.append((best, name))
    slowest.sort(reverse=True)
    for milliseconds, name in slowest[:15]:
        print(f"{milliseconds:8.1f} ms  {name}")
    logs = next(milliseconds for milliseconds, name in slowest if name == "log lines")
    print(f"{len(slowest)} texts of {CHARS:,} characters; lines of a log: {logs:.1f} ms")


if __name__ == "__main__":
    main()
