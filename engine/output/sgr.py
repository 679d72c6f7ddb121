"""What the parameters of SGR assign, as the parameters that would assign it again."""

from functools import lru_cache

_FIELDS: dict[int, tuple[tuple[str, str], ...]] = {
    0: (("", ""),),
    1: (("bold", "1"),),
    2: (("faint", "2"),),
    3: (("italics", "3"),),
    4: (("underline", "4"),),
    5: (("blink", "5"),),
    6: (("blink", "6"),),
    7: (("reverse", "7"),),
    8: (("conceal", "8"),),
    9: (("strike", "9"),),
    21: (("underline", "21"),),
    22: (("bold", ""), ("faint", "")),
    23: (("italics", ""),),
    24: (("underline", ""),),
    25: (("blink", ""),),
    27: (("reverse", ""),),
    28: (("conceal", ""),),
    29: (("strike", ""),),
    39: (("38", ""),),
    49: (("48", ""),),
    53: (("overline", "53"),),
    55: (("overline", ""),),
    59: (("58", ""),),
    **{code: (("38", str(code)),) for code in (*range(30, 38), *range(90, 98))},
    **{code: (("48", str(code)),) for code in (*range(40, 48), *range(100, 108))},
}


@lru_cache(maxsize=4096)
def assignments(parameters: str) -> tuple[tuple[str, str], ...]:
    """What SGR with these parameters assigns: field and value, no value for off; no field clears all."""
    if len(parameters) > 1000:
        return ()
    out: list[tuple[str, str]] = []
    parts = parameters.split(";")[::-1]
    while parts:
        part = parts.pop()
        if ":" in part:
            code, *rest = part.split(":")
            if code == "4":
                style = int(rest[0] or 0)
                out.append(("underline", {0: "", 1: "4", 2: "21"}.get(style, f"4:{style}")))
            elif code in ("38", "48", "58"):
                # 38:2::r:g:b has a colour space before the colour, 38:2:r:g:b hasn't
                values = rest[2:5] if len(rest) > 4 else rest[1:]
                out += _colour(code, rest[0], values[: 1 if rest[0] == "5" else 3])
        elif int(part or 0) in (38, 48, 58):
            kind = parts.pop() if parts else ""
            values = [parts.pop() for _ in range(min({"5": 1, "2": 3}.get(kind, 0), len(parts)))]
            out += _colour(str(int(part)), kind, values)
        else:
            out += _FIELDS.get(int(part or 0), ())
    return tuple(out)


def _colour(code: str, kind: str, values: list[str]) -> list[tuple[str, str]]:
    numbers = [int(value or 0) for value in values if ":" not in value]
    if len(numbers) != {"5": 1, "2": 3}.get(kind) or (kind == "5" and numbers[0] > 255):
        return []
    return [(code, ";".join((code, kind, *(str(min(number, 255)) for number in numbers))))]
