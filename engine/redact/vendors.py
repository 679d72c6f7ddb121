"""Tokens that are known by how they begin: a row a kind, told apart from look-alikes by length and make-up."""

import re
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple


class Body(Enum):
    """What characters a token has after its prefix."""

    ALNUM = re.compile(r"[A-Za-z0-9]*+")
    WORD = re.compile(r"[A-Za-z0-9_-]*+")
    DOTTED = re.compile(r"[A-Za-z0-9_.-]*+")
    HEX = re.compile(r"[0-9a-fA-F]*+")
    UPPER = re.compile(r"[A-Z0-9]*+")
    BASE64 = re.compile(r"[A-Za-z0-9+/=_-]*+")


_DIGIT = re.compile(r"[0-9]")
_PIECE = re.compile(r"[A-Za-z0-9]{16,}")
_LONG = re.compile(r"[A-Za-z0-9]{12}")
_HUMP = re.compile(r"[a-z][A-Z]")


def has_digit(body: str) -> bool:
    """Words rarely have one, what was drawn at random nearly always."""
    return _DIGIT.search(body) is not None


def has_random_piece(body: str) -> bool:
    """A piece without dashes that is too long and too mixed for a word."""
    return any(has_digit(piece) or _HUMP.search(piece) is not None for piece in _PIECE.findall(body))


def has_long_piece(body: str) -> bool:
    """A piece without dashes of 12 characters: after a prefix that tells much already."""
    return _LONG.search(body) is not None


class Token(NamedTuple):
    """One kind of token."""

    prefix: str
    body: Body
    least: int
    """Characters after the prefix."""
    most: int = 0
    """More are no such token; 0: any number."""
    check: Callable[[str], bool] | None = None
    glued: bool = False
    """So telling a prefix that a letter may stand before it."""

    def end(self, text: str, after: int) -> tuple[int, bool]:
        """Where what may be its body ends, and is it one?"""
        found = self.body.value.match(text, after)
        end = found.end() if found is not None else after
        length = end - after
        right = length >= self.least and (not self.most or length <= self.most)
        if right and self.most and text[end : end + 1].isalnum():
            right = False
        if right and self.check is not None:
            right = self.check(text[after:end])
        while right and self.body is Body.DOTTED and text[end - 1] == ".":
            end -= 1
        return end, right


def _many(prefixes: str, body: Body, least: int, *, glued: bool = True) -> list[Token]:
    return [Token(prefix, body, least, check=has_digit, glued=glued) for prefix in prefixes.split()]


TOKENS: tuple[Token, ...] = (
    # OpenAI, Anthropic, OpenRouter and those who took over their form
    *_many("sk-proj- sk-ant- sk-or-v1- sk-svcacct- sk-admin- sk-lf- sk-None-", Body.WORD, 16, glued=False),
    *(Token(prefix, Body.WORD, 12, check=has_long_piece) for prefix in ("sk-test-", "sk-live-", "sk-prod-")),
    Token("sk-", Body.WORD, 16, check=has_random_piece),
    *_many("gsk_ xai- pplx- r8_ fw_ hf_ api_org_", Body.ALNUM, 24, glued=False),
    *(Token(prefix, Body.WORD, 24, check=has_random_piece) for prefix in ("nvapi-", "jina_", "tgp_v1_")),
    # code hosts and registries
    *_many("ghp_ gho_ ghu_ ghs_ ghr_", Body.ALNUM, 20),
    *_many("github_pat_", Body.WORD, 22),
    *_many("glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- GR1348941", Body.DOTTED, 16),
    *_many("npm_", Body.ALNUM, 30, glued=False),
    Token("pypi-", Body.WORD, 30, check=has_random_piece),
    *_many("rubygems_", Body.HEX, 32),
    *_many("dckr_pat_ dckr_oat_ CLOJARS_", Body.WORD, 20),
    *_many("cio", Body.ALNUM, 32, glued=False),
    *_many("oy2", Body.ALNUM, 43, glued=False),
    *_many("ATATT3xFfGF0 ATCTT3xFfGF0 ATBB", Body.BASE64, 24, glued=False),
    # clouds
    *(Token(prefix, Body.UPPER, 16, 16) for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")),
    Token("AIza", Body.WORD, 35, 39, check=has_digit),
    *_many("ya29. GOCSPX- 1//0", Body.DOTTED, 20, glued=False),
    *_many("dop_v1_ doo_v1_ dor_v1_", Body.HEX, 32),
    *_many("HRKU-", Body.WORD, 30),
    *_many("fm2_ fo1_", Body.BASE64, 40, glued=False),
    *_many("hvs. hvb. hvr.", Body.WORD, 20, glued=False),
    *_many("dapi dose dkea", Body.HEX, 32, glued=False),
    *_many("pscale_tkn_ pscale_pw_ pscale_oauth_ sb_secret_", Body.DOTTED, 30, glued=False),
    *_many("sbp_ pul-", Body.HEX, 40, glued=False),
    *_many("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", Body.DOTTED, 36, glued=False),
    *_many("tskey-", Body.WORD, 20, glued=False),
    # talk
    *_many("xoxb- xoxp- xoxa- xoxe- xoxe. xoxr- xoxs- xoxo- xoxd- xoxc- xapp-", Body.DOTTED, 10),
    *(Token(prefix, Body.HEX, 32, 32, check=has_digit) for prefix in ("AC", "SK")),
    Token("SG.", Body.DOTTED, 50, check=has_digit),
    Token("mfa.", Body.WORD, 60),
    *_many("key-", Body.HEX, 32, glued=False),
    # money and shops
    *_many("sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", Body.ALNUM, 10),
    *_many("whsec_", Body.BASE64, 20),
    *_many("shpat_ shpca_ shppa_ shpss_", Body.HEX, 32),
    *_many("sq0atp- sq0csp- sq0idp-", Body.WORD, 20),
    *_many("access_token$production$ access_token$sandbox$", Body.DOTTED, 30),
    # tools
    *_many("lin_api_ lin_oauth_ ntn_ figd_ figu_ glc_ glsa_ sntrys_ sntryu_", Body.BASE64, 30, glued=False),
    *_many("NRAK- NRII- PMAK- PMAT-", Body.WORD, 24, glued=False),
    *_many("EZAK EZTK", Body.ALNUM, 54, glued=False),
    *_many("AKCp", Body.ALNUM, 60, glued=False),
    *_many("EAACEdEose0cBA", Body.ALNUM, 20, glued=False),
    *_many("AGE-SECRET-KEY-1", Body.UPPER, 40),
    *_many("ops_ey", Body.BASE64, 60, glued=False),
    *_many("phx_ bkua_ cfut_ cfat_ secret_", Body.ALNUM, 40, glued=False),
    *_many("dt0c01. tfp_", Body.DOTTED, 50, glued=False),
)
"""Longer prefixes need no place before shorter ones: what overlaps is masked as one."""
