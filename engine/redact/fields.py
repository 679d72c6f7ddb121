"""Values that are secret for the name beside them, in any output: headers, JSON fields, parameters of addresses."""

import re
from collections.abc import Callable

from engine.redact.span import Found, Rule, nothing, words
from engine.redact.value import is_likely, is_placeholder, is_strong

_QUOTE = r"\\{0,3}[\"']"
_BEFORE = rf"(?:{_QUOTE}[ \t]{{0,8}}[:=,]|[ \t]{{0,8}}[:=])[ \t]{{0,8}}\[?(?:b?{_QUOTE})?"
_VALUE = r"[^\s\"'<>,;\\&|)\]}]{1,4096}+"
_AUTHORIZATION = re.compile(
    rf"{_BEFORE}(?:(?P<scheme>Bearer|Basic|Token|Negotiate|NTLM|ApiKey|Api-Key|Key|Bot|Splunk|SSWS|GenieKey|OAuth|Digest"
    rf"|AWS4-HMAC-SHA256)(?:[ \t]{{1,8}}|%20|\+)(?:token=)?[\"']?)?(?P<value>{_VALUE})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?:[ \t]{1,4}|%20|\+)(?P<value>[A-Za-z0-9._~+/=:-]{1,4096}+)")
_HEADER = re.compile(rf"{_BEFORE}(?P<value>{_VALUE})")
_QUOTED = re.compile(rf"{_QUOTE}[ \t]{{0,8}}(?::|=>|,)[ \t]{{0,8}}b?{_QUOTE}(?P<value>{_VALUE})")
_PARAMETER = re.compile(r"=(?P<value>[^\s\"'<>,;&#\\|)\]}]{1,4096}+)")
_AWS = re.compile(rf"(?:{_QUOTE})?[ \t]{{0,8}}[:=|][ \t]{{0,8}}(?:{_QUOTE})?(?P<value>[A-Za-z0-9+/=]{{16,2048}}+)")
_NPM = re.compile(r"[ \t]{0,8}=[ \t]{0,8}[\"']?(?P<value>[A-Za-z0-9+/=_.-]{8,512}+)")
_UUID = re.compile(
    rf"(?:{_QUOTE})?[ \t]{{0,8}}[:=][ \t]{{0,8}}(?:{_QUOTE})?"
    r"(?P<value>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})(?![0-9A-Za-z-])"
)
_CONNECTION = re.compile(r"[ \t]{0,4}=[ \t]{0,4}(?P<value>[A-Za-z0-9+/%]{30,512}+={0,3})")
_PASSWORD = re.compile(r"[ \t]{0,4}=[ \t]{0,4}[\"']?(?P<value>[^\s;\"']{1,256}+)")
_COOKIE = re.compile(r"=(?P<value>[^\s;\"',]{16,4096}+)")
_HEX64 = re.compile(r"[ \t]{0,2}[=:][ \t]{0,2}[\"']?(?P<value>[0-9a-f]{64})(?![0-9A-Za-z])")

HEADERS = words(
    "x-api-key x-apikey api-key apikey x-auth-token x-auth-key x-access-token x-goog-api-key x-amz-security-token "
    "x-api-token x-app-secret x-client-secret x-secret-key x-token x-shopify-access-token x-figma-token "
    "x-gitlab-token private-token job-token x-vault-token x-functions-key x-rapidapi-key x-algolia-api-key "
    "x-subscription-token ocp-apim-subscription-key dd-api-key dd-application-key cf-access-client-secret "
    "x-honeycomb-team x-riot-token x-parse-rest-api-key x-parse-master-key x-insert-key x-newrelic-key fastly-key "
    "proxy-auth-token"
)
_FIELDS = words(
    "access_token accesstoken refresh_token refreshtoken id_token idtoken client_secret clientsecret api_key "
    "apikey api-key api_token apitoken auth_token authtoken secret_key secretkey private_token session_token "
    "sessiontoken secretaccesskey secret_access_key bearer_token access_key_secret app_secret appsecret "
    "webhook_secret signing_secret private_key_id oauth_token oauth_token_secret consumer_secret encryption_key "
    "master_key"
)
_PARAMETERS = words(
    "access_token refresh_token id_token client_secret api_key apikey api-key api_token auth_token authtoken "
    "token key sig signature x-amz-signature x-amz-security-token x-goog-signature password passwd pwd secret"
)
_SESSIONS = words(
    "sessionid session_id session sid connect.sid phpsessid jsessionid asp.net_sessionid laravel_session "
    "_session_id __session auth_token access_token remember_token __secure-next-auth.session-token "
    "next-auth.session-token"
)


def _by(pattern: re.Pattern[str], fits: Callable[[str], bool]) -> Callable[[str, int, int], Found | None]:
    def find(text: str, _start: int, after: int) -> Found | None:
        found = pattern.match(text, after)
        if found is None:
            return None
        value = found["value"]
        return Found(found.end(), found.span("value")) if fits(value) else None

    return find


def _authorization(text: str, _start: int, after: int) -> Found | None:
    found = _AUTHORIZATION.match(text, after)
    if found is None:
        return None
    value, scheme = found["value"], (found["scheme"] or "").lower()
    begin, end = found.span("value")
    if scheme in ("aws4-hmac-sha256", "digest"):
        line_end = text.find("\n", begin, begin + 4096)
        end = line_end if line_end >= 0 else min(len(text), begin + 4096)
        return Found(end, (begin, begin + len(text[begin:end].rstrip())))
    fits = not is_placeholder(value) and (is_likely(value) or (bool(scheme) and len(value) >= 6))
    return Found(end, (begin, end)) if fits and value.lower() != scheme else None


def _in_address(text: str, start: int, after: int) -> Found | None:
    """A parameter after ``?`` or ``&``; the anchor holds the sign."""
    found = _PARAMETER.match(text, after)
    if found is None:
        return None
    value = found["value"]
    named = text[start + 1 : after].lower()
    fits = is_strong(value) or (named in ("password", "passwd", "pwd", "secret") and is_likely(value))
    fits = fits or (len(value) >= 24 and "%" in value and not is_placeholder(value))
    return Found(found.end(), found.span("value")) if fits else None


def _in_cookie(text: str, start: int, after: int) -> Found | None:
    """A session's id, in a line that is a cookie header."""
    found = _COOKIE.match(text, after)
    if found is None or is_placeholder(found["value"]):
        return None
    before = text[max(0, start - 1000) : start]
    before = before[before.rfind("\n") + 1 :].lower()
    return Found(found.end(), found.span("value")) if "cookie:" in before else nothing(found.end())


def _aws(value: str) -> bool:
    return (len(value) == 40 or len(value) >= 200) and is_strong(value)


RULES: tuple[Rule, ...] = (
    *(Rule(name, _authorization) for name in ("authorization", "x-forwarded-authorization")),
    Rule("bearer", _by(_BEARER, is_strong)),
    *(Rule(name, _by(_HEADER, is_likely)) for name in HEADERS if name not in ("api-key", "apikey")),
    *(Rule(name, _by(re.compile(rf":[ \t]{{1,4}}(?P<value>{_VALUE})"), is_strong)) for name in ("api-key", "apikey")),
    *(Rule(name, _by(_QUOTED, is_strong)) for name in _FIELDS),
    *(Rule(sign + name, _in_address) for name in _PARAMETERS for sign in "?&"),
    *(Rule(name, _in_cookie) for name in _SESSIONS),
    *(Rule(name, _by(_AWS, _aws)) for name in ("aws_secret_access_key", "secretaccesskey", "aws_session_token")),
    *(Rule(name, _by(_AWS, _aws)) for name in ("aws_secret_key", "aws.secretkey", "secret_access_key", "aws secret")),
    Rule("_authtoken", _by(_NPM, lambda value: not is_placeholder(value))),
    Rule(":_auth", _by(_NPM, lambda value: not is_placeholder(value))),
    *(Rule(name, _by(_UUID, bool)) for name in ("heroku_api_key", "heroku_api_token", "heroku_secret")),
    *(
        Rule(name, _by(_CONNECTION, lambda value: not is_placeholder(value)))
        for name in ("accountkey", "sharedaccesskey", "sharedsecretvalue")
    ),
    *(
        Rule(f";{blank}{name}", _by(_PASSWORD, lambda value: not is_placeholder(value)))
        for name in ("password", "pwd")
        for blank in ("", " ")
    ),
    Rule("signature", _by(_HEX64, is_strong)),
)
