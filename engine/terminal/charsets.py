"""Character sets: what SO, SI and ``ESC ( 0`` make of the letters that a job draws lines with."""

from typing import Final

from pyte import charsets as pyte_charsets

Map = dict[int, str] | None
"""Translation of the printable ASCII characters; None when they stand for themselves."""

_GRAPHICS: Final = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"

DEC_GRAPHICS: Final[dict[int, str]] = {0x5F: " ", **{0x60 + i: char for i, char in enumerate(_GRAPHICS)}}
"""DEC special graphics: line drawing."""

_NATIONAL: Final[dict[str, dict[int, str]]] = {
    code: {ord(plain): char for plain, char in zip(froms, tos, strict=True)}
    for code, froms, tos in (
        ("A", "#", "£"),
        ("4", "#@[\\]{|}~", "£¾ĳ½|¨ƒ¼´"),
        ("C", "[\\]^`{|}~", "ÄÖÅÜéäöåü"),
        ("5", "[\\]^`{|}~", "ÄÖÅÜéäöåü"),
        ("R", "#@[\\]{|}~", "£à°ç§éùè¨"),
        ("f", "#@[\\]{|}~", "£à°ç§éùè¨"),
        ("Q", "@[\\]^`{|}~", "àâçêîôéùèû"),
        ("9", "@[\\]^`{|}~", "àâçêîôéùèû"),
        ("K", "@[\\]{|}~", "§ÄÖÜäöüß"),
        ("Y", "#@[\\]`{|}~", "£§°çéùàòèì"),
        ("E", "@[\\]^`{|}~", "ÄÆØÅÜäæøåü"),
        ("6", "@[\\]^`{|}~", "ÄÆØÅÜäæøåü"),
        ("Z", "#@[\\]{|}", "£§¡Ñ¿°ñç"),
        ("H", "@[\\]^`{|}~", "ÉÄÖÅÜéäöåü"),
        ("7", "@[\\]^`{|}~", "ÉÄÖÅÜéäöåü"),
        ("=", "#@[\\]^_`{|}~", "ùàéçêîèôäöüû"),
    )
}


def charset(code: str) -> Map:
    """The map of a set's final character; ASCII and what is unknown map to None."""
    if code in {"0", "2"}:
        return DEC_GRAPHICS
    if code in _NATIONAL:
        return _NATIONAL[code]
    if code in {"U", "V"}:
        table = pyte_charsets.MAPS[code]
        return {i: table[i] for i in range(0x20, 0x7F) if table[i] != chr(i)} or None
    return None
