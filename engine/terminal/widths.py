"""How many columns a character takes, and which characters join the cell before them.

Most output is text that is certainly one column (or two columns) a code point and never joins anything: the
tokenizer takes whole runs of those by the classes below. Everything else is looked at one by one.
"""

import unicodedata
from functools import lru_cache
from typing import Final

import wcwidth as _wcwidth

NARROW_RANGES: Final = (
    "a1-a8 aa-ac af-2ff 370-482 48a-590 5be 5c0 5c3 5c6 5ca-5ff 5d0-5ea 5ef-5f4 61e-64a 660-66f "
    "671-6d3 6f0-6f9 904-939 964-970 985-98c 993-9a8 9e6-9ef a13-a28 a93-aa8 b85-b8a bae-bb9 be6-bef "
    "c12-c28 d12-d3a e01-e30 e3f-e46 e4f-e5b 10d0-10fa 1200-1248 1e00-1fff 2010-2027 202f-203b "
    "203d-2048 204a-205f 2070-20cf 20f1-2121 2123-2138 213a-2193 219a-21a8 21ab-2319 231c-2327 "
    "232b-23ce 23d0-23e8 23f4-23f7 23fb-24c1 24c3-25a9 25ac-25b5 25b7-25bf 25c1-25fa 2605-260d "
    "260f-2610 2612-2613 2616-2617 2654-265e 2680-2689 2690-2691 26a2-26a6 2701 2703-2704 2706-2707 "
    "2710-2711 2713 2715 2717-271c 271e-2720 2722-2727 2729-2732 2735-2743 2745-2746 2748-274b 274d "
    "274f-2752 2758-2762 2765-2794 2798-27a0 27a2-27af 27b1-27be 27c0-2933 2936-2b04 2b08-2b1a "
    "2b1d-2b4f e000-f8ff fb00-fb06 fffd ff61-ff9f"
)
"""Code points of one column that neither widen with U+FE0F nor join (hexadecimal)."""

WIDE_RANGES: Final = (
    "2705 270a-270b 2728 274c 274e 2753-2755 2757 2795-2797 2b50 2b55 3000-3029 3030-303e 3041-3096 "
    "309b-30ff 3105-312f 3131-3163 3190-31e5 3220-3247 3250-9fff ac00-d7a3 f900-faff ff01-ff60 "
    "ffe0-ffe6 1f300-1f320 1f32d-1f335 1f337-1f37c 1f37e-1f393 1f3a0-1f3ca 1f3e0-1f3f0 1f400-1f43e "
    "1f442-1f4fc 1f4ff-1f53d 1f550-1f567 1f5fb-1f64f 1f680-1f6c5 1f7e0-1f7eb 1f910-1f93a 1f947-1f9ff "
    "20000-2a6df"
)
"""Code points of two columns (hexadecimal)."""

ZWJ: Final = "\u200d"
VS16: Final = "\ufe0f"
CLUSTER_LIMIT: Final = 32
"""Code points a cell holds at most; what a job stacks on top of them is dropped."""

_SEEN_FORMATS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Signs that enclose the digits after them: format characters by category, but with a picture."""
_KEPT_ZERO = {"\u200c", ZWJ, "\ufe0e", VS16}
_EMOJI_VS16 = frozenset(
    code
    for ranges in getattr(_wcwidth, "VS16_NARROW_TO_WIDE", {"": ((0x2600, 0x27BF),)}).values()
    for low, high in ranges
    for code in range(low, high + 1)
)


def parse_ranges(ranges: str) -> list[tuple[int, int]]:
    """The first and last code points of each range of a list such as ``"a1-a8 fffd"``."""
    pairs = []
    for part in ranges.split():
        low, _, high = part.partition("-")
        pairs.append((int(low, 16), int(high or low, 16)))
    return pairs


def char_class(ranges: str) -> str:
    """The inside of a regular expression's character class that matches the ranges."""
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in parse_ranges(ranges))


@lru_cache(maxsize=4096)
def width(char: str) -> int:
    """Columns of one code point on its own: 0, 1 or 2; controls count as 0."""
    return max(0, _wcwidth.wcwidth(char))


@lru_cache(maxsize=4096)
def is_kept_zero(char: str) -> bool:
    """Whether a code point without width belongs to the text of its cell.

    Marks, joiners, variation selectors and tags do. Zero-width spaces, byte order marks, bidirectional and other
    format controls do not: they show nothing and would reorder or break rows on the terminal that we draw on.
    """
    if char in _KEPT_ZERO or "\U000e0020" <= char <= "\U000e007f":
        return True
    return unicodedata.category(char) not in ("Cf", "Zl", "Zp") or char in _SEEN_FORMATS


def is_regional(char: str) -> bool:
    """Whether this is half of a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def joins(cell: str, char: str) -> bool:
    """Whether ``char``, of one or two columns itself, becomes part of the cluster ``cell`` before it."""
    if not cell:
        return False
    last = cell[-1]
    if last == ZWJ:
        return len(cell) > 1 and is_pictograph(cell[0]) and is_pictograph(char)
    if is_regional(char):
        return len(cell) == 1 and is_regional(cell)
    return "\U0001f3fb" <= char <= "\U0001f3ff" and is_pictograph(cell[0]) and not is_regional(cell[0])


def is_pictograph(char: str) -> bool:
    """Whether this may take part in an emoji sequence."""
    code = ord(char)
    return (code in _EMOJI_VS16 and code > 0x7F) or code >= 0x1F000 or (0x2190 <= code <= 0x2BFF and width(char) == 2)


def widens(cell: str) -> bool:
    """Whether U+FE0F after ``cell`` makes it an emoji of two columns."""
    return len(cell) == 1 and ord(cell) in _EMOJI_VS16
