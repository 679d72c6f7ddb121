"""Random and mutated terminal streams, and a run of them that checks what must always hold.

    python -m tests.fuzz.streams --minutes 20 [--seed N]

Every failure is printed with its seed; the exit status is 1 when there was one.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time

from engine.terminal import ByteStream, Screen

WORDS = [
    "alpha",
    "beta ",
    "x",
    "error: ",
    "│",
    "é",
    "==========",
    "日本",
    "🚀",
    "⚠️",
    "👨‍💻",
    "🇫🇷",
    "e\u0301",
    "\u200b",
    "\t",
]
FINALS = "ABCDEFGHIJKLMPSTXZ`abcdefghlmnqrstux@^"
MODES = [1, 3, 5, 6, 7, 25, 45, 47, 66, 69, 1000, 1006, 1045, 1047, 1048, 1049, 2004, 2026, 4, 20]
ESCAPES = [*"78DEMHcNOZno=>69VW", "#3", "#4", "#5", "#6", "#8", "(0", "(B", ")0", "*A", "%G", " F"]
STRINGS = [
    "\x1b]0;title\x07",
    "\x1b]8;;http://x/\x1b\\",
    "\x1b]8;;\x1b\\",
    "\x1b]4;1;rgb:ff/00/00\x07",
    "\x1b]11;?\x07",
    "\x1bP$qm\x1b\\",
    "\x1b_Gabc\x1b\\",
    "\x1b]52;c;aGk=\x07",
]


def piece(r: random.Random) -> str:
    """One bit of a stream: text, a control, a sequence, or the ruin of one."""
    k = r.random()
    if k < 0.3:
        return r.choice(WORDS) * r.choice([1, 1, 1, 3, 40])
    if k < 0.4:
        return r.choice("\r\n\b\t\x0b\x0c\x0e\x0f\x07\x84\x85\x8d\x88")
    if k < 0.48:
        return "\r\n"
    if k < 0.72:
        params = ";".join(str(r.choice([0, 1, 2, 3, 5, 9, 40, 999, 99999999])) for _ in range(r.randint(0, 4)))
        return (
            "\x1b["
            + r.choice(["", "", "", "?", ">", "="])
            + params
            + r.choice(["", "", "", " ", "$", "!", "'"])
            + r.choice(FINALS)
        )
    if k < 0.8:
        return "\x1b[" + r.choice(["", "1", "31", "38;5;9", "38:2::1:2:3", "4:3", "58;5;1", "44", "0", "7;9"]) + "m"
    if k < 0.87:
        return f"\x1b[?{r.choice(MODES)}{r.choice('hl')}"
    if k < 0.92:
        return f"\x1b{r.choice(ESCAPES)}"
    if k < 0.96:
        return r.choice(STRINGS)
    if k < 0.98:
        return r.choice(
            [
                "\x1b[",
                "\x1b]0;abc",
                "\x1bP",
                "\x1b",
                "\x1b[1;",
                "\x18",
                "\x1a",
                "\x9b",
                "\x9d",
                "\ufeff",
                "\x1b[1\n2H",
            ]
        )
    return "".join(chr(r.choice([r.randint(0, 255), r.randint(0, 0x2FFFF)])) for _ in range(r.randint(1, 30)))


def stream(r: random.Random, pieces: int) -> bytes:
    """A random stream, sometimes with bytes flipped."""
    data = bytearray("".join(piece(r) for _ in range(pieces)).encode("utf-8", "replace"))
    if data and r.random() < 0.3:
        for _ in range(r.randint(1, 20)):
            data[r.randrange(len(data))] = r.randrange(256)
    return bytes(data)


def check(screen: Screen) -> None:
    """What holds of a screen at any time."""
    assert not screen.failures, list(screen.failures)
    assert len(screen.rows) == screen.lines
    assert 0 <= screen.cursor.y < screen.lines, screen.cursor.y
    assert 0 <= screen.cursor.x <= screen.columns, screen.cursor.x
    for y, row in enumerate(screen.rows):
        if row.chars is not None:
            assert len(row.chars) == len(row.pens) == screen.columns, (y, len(row.chars), len(row.pens))
            for x, char in enumerate(row.chars):
                assert char or (x and row.chars[x - 1]), (y, x, "half a wide character")
        else:
            assert len(row.text) <= screen.columns
            assert not row.spans or row.spans[-1][0] <= len(row.text)
        for text, _ in screen.runs(y):
            assert text
            assert not any(c < " " or "\x7f" <= c < "\xa0" for c in text), (y, text)
    scrollback = screen.scrollback
    assert scrollback.first <= scrollback.total
    for n in range(max(scrollback.first, scrollback.total - 5), scrollback.total):
        assert "".join(t for t, _ in scrollback.runs(n)).rstrip(" ") == scrollback.text(n)
    assert all(0 <= y < screen.lines for y in screen.dirty)


def one(seed: int) -> None:
    """One screen, fed and resized at random."""
    r = random.Random(seed)
    screen = Screen(r.choice([1, 2, 5, 20, 80, 120]), r.choice([1, 2, 5, 24, 40]), r.choice([0, 10, 1000]))
    feeder = ByteStream(screen)
    for _ in range(r.randint(1, 6)):
        data = stream(r, r.choice([5, 50, 400]))
        if r.random() < 0.2:
            data += f"log line of some length {seed}\r\n".encode() * 800 + stream(r, 20)
        while data:
            k = r.choice([1, 7, 100, 5000, 10**9]) if len(data) < 5000 else r.choice([100, 5000, 10**9])
            feeder.feed(data[:k])
            data = data[k:]
        check(screen)
        if r.random() < 0.5:
            screen.resize(r.choice([1, 3, 24, 50]), r.choice([1, 2, 10, 80, 200]))
            check(screen)


def main() -> int:
    """Run for as long as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    seed, failed, early = options.seed, 0, 0
    while time.monotonic() < end:
        try:
            one(seed)
        except Exception as error:  # noqa: BLE001  # the fuzzer reports whatever it finds
            failed += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
            if failed > 20:
                break
        seed += 1
        if seed - options.seed == 500:
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{seed - options.seed} streams, {failed} failures, peak {peak // 1024} MiB (after 500: {early // 1024} MiB)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
