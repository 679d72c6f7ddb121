"""Can text of one colour be read on another? WCAG 2's contrast, and what is done where it is too small."""

from textual.color import Color

LEAST = 4.5
"""What WCAG AA asks of text."""
_STEPS = 20
_BLACK, _WHITE = Color(0, 0, 0), Color(255, 255, 255)


def luminance(color: Color) -> float:
    """Relative luminance, from 0 to 1."""
    parts = (part / 255 for part in color.rgb)
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """From 1, the same, to 21, black on white."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def readable(ink: Color, ground: Color) -> Color:
    """``ink``, or the nearest shade of it that can be read on ``ground``: towards white or black, where there is more
    room.
    """
    if contrast(ink, ground) >= LEAST:
        return ink
    far = max(_BLACK, _WHITE, key=lambda end: contrast(end, ground))
    shades = (ink.blend(far, step / _STEPS) for step in range(1, _STEPS))
    return next((shade for shade in shades if contrast(shade, ground) >= LEAST), far)
