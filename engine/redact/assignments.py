"""``NAME=value`` where the name tells a secret: for dumps of environments, secret files and command lines."""

import re
from functools import lru_cache

from engine.redact.span import words
from engine.redact.value import is_placeholder

NAME = re.compile(r"(?<![A-Za-z0-9_.-])(?P<name>_?[A-Za-z][A-Za-z0-9_.-]{0,200}+)\\?[\"']?[ \t]{0,8}[=:]>?[ \t]{0,8}")
_PROMPTED = re.compile(
    r"(?:\A|[\n\r\0])(?:[^\n=]{1,40}:|[\d:]{1,8}:)?[ \t+>\-]{0,12}"
    r"(?:(?:export|declare|typeset|local|readonly|setenv|set|ENV)"
    r"[ \t]+(?:-\w+[ \t]+)?)?[\"']?\Z"
)
_QUOTED = {
    '"': re.compile(r'(?:[^"\\\n]|\\.){0,4096}+'),
    "'": re.compile(r"[^'\n]{0,4096}+"),
}
_TO_LINE_END = re.compile(r"[^\n\r\0]{0,4096}+")
_ONE_WORD = re.compile(r"[^\s\"'`;&|,()<>\0]{0,4096}+")
_NETRC = re.compile(r"(?:^|[\s])password[ \t\n]+(?P<value>[^\s=:]{3,200}+)")
_PGPASS = re.compile(
    r"^[^\s:#]{1,200}:(?:\d{1,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?P<value>[^\s]{1,200})$", re.MULTILINE
)
_HASH = re.compile(r"(?<=:)\$[0-9a-z]{1,8}\$[A-Za-z0-9./$=,+-]{8,200}+")
_FLAG = re.compile(
    r"(?<![\w-])--?(?P<name>[A-Za-z][A-Za-z0-9-]{1,40}+)(?:=|[ \t]+)[\"']?"
    r"(?P<value>[^\s\"';&|<>()-][^\s\"';&|<>()]{0,500}+)"
)
_USER = re.compile(
    r"(?<![\w-])(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'$/]{1,100}:(?P<value>[^\s\"'/][^\s\"']{2,200}+)"
)
_SECRET_WORDS = frozenset(
    words(
        "KEY APIKEY TOKEN SECRET SECRETS PASSWORD PASSWD PASSWRD PASS PWD PASSPHRASE CREDENTIAL CREDENTIALS CREDS "
        "AUTH AUTHTOKEN PRIVATE PRIVATEKEY SECRETKEY ACCESSKEY ACCESSTOKEN COOKIE JWT BEARER DSN PAT PASSCODE PIN OTP "
        "SALT SIGNATURE CONNECTIONSTRING ACCOUNTKEY SHAREDACCESSKEY WEBHOOK"
    )
)
_SECRET_ENDS = (
    "PASSWORD",
    "PASSWD",
    "SECRET",
    "TOKEN",
    "APIKEY",
    "ACCESSKEY",
    "SECRETKEY",
    "PASSPHRASE",
    "CREDENTIALS",
)
_NOT_SECRET = frozenset(
    ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY", "TOKEN_TYPE", "PUBLIC_KEY", "AUTH_METHOD", "AUTH_TYPE"]
)
_HARMLESS_ENDS = (
    *("_FILE", "_PATH", "_DIR", "_SOCK", "_ID", "_NAME", "_TYPE", "_URL", "_URI", "_HOST", "_PORT", "_TTL", "_LENGTH"),
    *("_SIZE", "_LIMIT", "_COUNT", "_EXPIRY", "_EXPIRES_IN", "_ENABLED", "_ALGORITHM", "_METHOD", "_AGE", "_MODE"),
)
_HARMLESS = re.compile(r"-?\d{1,5}|(?i:true|false|yes|no|on|off|null|none|undefined)|(?:~|\.{1,2})?/[\w./@~-]*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(1024)
def is_secret_name(name: str) -> bool:
    """Does a variable or field of this name hold a secret? ``MAX_TOKENS`` doesn't."""
    upper = _HUMP.sub("_", name).upper().replace("-", "_").replace(".", "_").strip("_")
    if upper in _NOT_SECRET or upper.endswith(_HARMLESS_ENDS) or "PUBLIC" in upper:
        return False
    return upper.endswith(_SECRET_ENDS) or not _SECRET_WORDS.isdisjoint(upper.split("_"))


def assigned(text: str, *, line: bool = False) -> list[tuple[int, int]]:
    """Where the values of names that tell a secret stand.

    Args:
        text: Without escape sequences.
        line: It is a command line: values are words of it.
    """
    spans, at = [], 0
    while (found := NAME.search(text, at)) is not None:
        at = found.end()
        if not is_secret_name(found["name"]):
            continue
        start, end = _value(text, found, line)
        value = text[start:end]
        if not is_placeholder(value) and _HARMLESS.fullmatch(value) is None:
            spans.append((start, end))
            at = max(at, end)
    if line:
        spans += [found.span("value") for found in _USER.finditer(text)]
        spans += [
            found.span("value")
            for found in _FLAG.finditer(text)
            if is_secret_name(found["name"])
            and not is_placeholder(found["value"])
            and _HARMLESS.fullmatch(found["value"]) is None
        ]
    else:
        spans += [found.span("value") for rule in (_NETRC, _PGPASS) for found in rule.finditer(text)]
        spans += [found.span() for found in _HASH.finditer(text)]
    return spans


def _value(text: str, found: re.Match[str], line: bool) -> tuple[int, int]:
    start = found.end()
    if text.startswith("\\", start):
        start += 1
    quoted = _QUOTED.get(text[start : start + 1])
    if quoted is None and not line and text.startswith("$'", start):
        start, quoted = start + 1, _QUOTED["'"]
    if quoted is not None:
        rest = quoted.match(text, start + 1)
        end = rest.end() if rest is not None else start + 1
        if line and text[end : end + 1] != text[start]:
            return start, start  # the quote is the end of one that began before the name
        return start + 1, end
    begins_line = not line and _PROMPTED.search(text, max(0, found.start() - 60), found.start()) is not None
    rest = (_TO_LINE_END if begins_line else _ONE_WORD).match(text, start)
    end = rest.end() if rest is not None else start
    while end > start and text[end - 1] in " \t,":
        end -= 1
    return start, end
