"""Watch patterns, compiled together: which lines of a text match one, and which pattern it was.

Texts are searched as UTF-8 by google-re2, whose time grows with the text's length alone, whatever the expression; what
can't match is passed over ten times faster, by the texts that every match must hold.
"""

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from engine.spec import SpecError
from engine.watches.needle import required_text, spellings

if TYPE_CHECKING:
    import re2
    from ahocorasick_rs import BytesAhoCorasick

_WRITTEN_AS_EXPRESSION = re.compile(r"/(.+)/(i?)", re.DOTALL)
_MOST_PATTERNS = 100
_LONGEST_PATTERN = 1_000
_LARGEST_PROGRAM = 2_000
_MAY_SPAN_LINES = re.compile(r"\\[sDWPpnxvCQ0-9]|\[\^|\[:|\(\?[a-zA-Z-]*s")
"""What can match a line feed where nothing forbids it."""


class Pattern(NamedTuple):
    """One entry of ``watch_patterns``."""

    text: str
    """As it was written."""
    exact: str
    """As an expression for google-re2, to be searched line by line."""
    needle: str
    """What every match holds; empty where nothing is known."""
    ignores_case: bool
    is_expression: bool


def parse(text: str) -> Pattern:
    """Read one entry.

    Raises:
        SpecError: It can't be searched for; the text says what to change.
    """
    if not isinstance(text, str):
        raise SpecError(f"a watch pattern is text, not {text!r}")
    if not text:
        raise SpecError("an empty watch pattern would match every line: give a text that stands in the line")
    if len(text) > _LONGEST_PATTERN:
        raise SpecError(f"a watch pattern of {len(text):,} characters: {_LONGEST_PATTERN:,} is the most")
    if any(sign in text for sign in "\n\r\0\x1b"):
        raise SpecError(f"the watch pattern {text!r} can't match: lines are searched one by one, without sequences")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SpecError(f"the watch pattern {text!r} holds half of a surrogate pair") from error
    written = _WRITTEN_AS_EXPRESSION.fullmatch(text)
    if written is None:
        return Pattern(text, _quoted(text), text, False, False)
    body, ignores_case = written[1], bool(written[2])
    if re.search(r"\(\?[a-zA-Z]*m|\\[AzQC]", body.replace(r"\\", "")):
        raise SpecError(
            f"the watch pattern {text}: lines are searched one by one, ^ and $ are where a line begins and ends; "
            r"leave out the flag m, and \A, \z, \Q and \C"
        )
    try:
        program = _compile(f"(?m){'(?i)' if ignores_case else ''}{body}")
    except ValueError as error:
        raise SpecError(
            f"the watch pattern {text}: {error}. Expressions are those of RE2, without look-around and back "
            f"references; a text without the slashes is searched for as it is"
        ) from error
    if program.programsize > _LARGEST_PROGRAM:
        raise SpecError(f"the watch pattern {text} is too large: count less, such as {{1,20}} in place of {{1,1000}}")
    flags = "i" if ignores_case else ""
    return Pattern(text, f"(?{flags}:{body})", required_text(body), ignores_case, True)


def for_search(text: str, *, regex: bool, ignore_case: bool) -> "PatternSet":
    """What a person looks for: a text as it is, or an expression.

    Raises:
        SpecError: It can't be searched for; the text says what to change.
    """
    if regex:
        return PatternSet((parse(f"/{text}/{'i' * ignore_case}"),))
    found = parse(text)._replace(text=text, needle=text, is_expression=False, ignores_case=ignore_case)
    return PatternSet((found._replace(exact=f"(?{'i' * ignore_case}:{_quoted(text)})"),))


@functools.lru_cache(maxsize=64)
def compile_patterns(texts: tuple[str, ...]) -> "PatternSet":
    """The patterns together; those of jobs that are watched alike are one object.

    Raises:
        SpecError: One of them can't be searched for, or there are too many.
    """
    if len(texts) > _MOST_PATTERNS:
        raise SpecError(f"{len(texts)} watch patterns: {_MOST_PATTERNS} is the most a job can have")
    return PatternSet(tuple(parse(text) for text in dict.fromkeys(texts)))


class PatternSet:
    """Patterns in the order in which they were written; of those that match a line the first counts."""

    def __init__(self, patterns: tuple[Pattern, ...]) -> None:
        self.patterns = patterns
        self.texts = tuple(pattern.text for pattern in patterns)
        self._each = [_compile(f"(?m){pattern.exact}") for pattern in patterns]
        joined = "|".join(pattern.exact for pattern in patterns)
        self.any = _compile(f"(?m){joined}")
        """Finds the first match of any."""
        self.blank = self.any.search(b"") is not None
        """May an empty line match?"""
        self.run = self._compile_run(joined)
        """Finds whole lines that all match, as many as follow each other; None where that can't be said."""
        self.finder = self._make_finder()
        """Finds at once all places that may lie in a matching line; None where nothing is known of these lines."""
        self.through_sequences = self._through_sequences()
        """Finds the first such place in text with escape sequences."""

    def first(self, piece: bytes) -> int:
        """The number of the first pattern that matches; of the last where none does."""
        for number, expression in enumerate(self._each):
            if expression.search(piece) is not None:
                return number
        return len(self._each) - 1

    def without(self, text: str) -> "PatternSet | None":
        """The others; None if there are none."""
        left = tuple(pattern for pattern in self.patterns if pattern.text != text)
        return PatternSet(left) if left else None

    def _compile_run(self, joined: str) -> "re2._Regexp | None":
        if any(pattern.is_expression and _MAY_SPAN_LINES.search(pattern.exact) for pattern in self.patterns):
            return None
        try:
            return _compile(rf"(?m)(?:^[^\n]*(?:{joined})[^\n]*\n)+", lines=True)
        except ValueError:
            return None

    def _make_finder(self) -> "BytesAhoCorasick | None":
        from ahocorasick_rs import BytesAhoCorasick, MatchKind

        texts: list[str] = []
        for pattern in self.patterns:
            spelled = spellings(pattern.needle, ignores_case=pattern.ignores_case) if pattern.needle else []
            if not spelled:
                return None
            texts += spelled
        # Only this kind of match is searched for by vector instructions.
        return BytesAhoCorasick([text.encode() for text in texts], matchkind=MatchKind.LeftmostFirst)

    def _through_sequences(self) -> "re2._Regexp | None":
        from engine.watches.plain import SEQUENCE, STEP, UNSEEN

        if not all(pattern.needle for pattern in self.patterns):
            return None
        between = f"(?:{SEQUENCE}|{UNSEEN})*"
        alternatives = [
            _flagged(
                between.join(f"(?: |{STEP})" if sign == " " else _quoted(sign) for sign in pattern.needle[:32]),
                pattern.ignores_case,
            )
            for pattern in self.patterns
        ]
        try:
            return _compile("|".join(alternatives))
        except ValueError:
            return None


def _flagged(expression: str, ignores_case: bool) -> str:
    return f"(?i:{expression})" if ignores_case else expression


def _quoted(text: str) -> str:
    import re2

    quoted: str = re2.escape(text)
    return quoted


def _compile(expression: str, *, lines: bool = False) -> "re2._Regexp":
    """Raises ValueError for what google-re2 doesn't take. ``lines``: the expression itself speaks of line feeds."""
    import re2

    options = re2.Options()
    options.never_nl = not lines
    options.never_capture = True
    options.log_errors = False
    try:
        return re2.compile(expression.encode(), options)
    except re2.error as error:
        said = error.args[0]
        raise ValueError(said.decode(errors="replace") if isinstance(said, bytes) else said) from error
