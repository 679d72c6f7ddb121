"""Secrets that are known by their build: passwords in addresses, JWTs, the tokens of bots, keys to web hooks."""

import re

from engine.redact.span import Found, Rule, nothing
from engine.redact.value import is_placeholder

_USER = re.compile(r"[^\s/?#@:\"'<>]{0,256}+:")
_PASSWORD = re.compile(r"[^\s/?#\"'<>]*+")
_JWT = re.compile(r"[A-Za-z0-9_-]*+(?P<rest>(?:\.[A-Za-z0-9_-]*+){0,4}+)")
_TELEGRAM = re.compile(r"[A-Za-z0-9_-]{30,40}+(?![A-Za-z0-9_-])")
_TELEGRAM_ID = re.compile(r"(?<![0-9A-Za-z])[0-9]{8,12}\Z|(?<=bot)[0-9]{8,12}\Z")
_DISCORD_ID = re.compile(r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{23,27}\Z")
_DISCORD = re.compile(r"[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}+(?![A-Za-z0-9_-])")
_HOOK = re.compile(r"[A-Za-z0-9_/-]{20,200}+")
_HOOK_KEY = re.compile(r"[A-Za-z0-9_./%=-]{8,300}+")
_MAILCHIMP = re.compile(r"[0-9]{1,2}(?![0-9A-Za-z-])")
_HEX32 = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{32}\Z")
_AZURE_ID = re.compile(r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\Z")
_AZURE = re.compile(r"[A-Za-z0-9_~.-]{31,34}+(?![A-Za-z0-9_~.-])")
_APA91 = re.compile(r"[A-Za-z0-9_-]{100,200}+")
_ATLAS = re.compile(r"[A-Za-z0-9_-]{60,70}")
_ATLAS_ID = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\Z")


def _password(text: str, _start: int, after: int) -> Found | None:
    user = _USER.match(text, after)
    if user is None:
        return None
    found = _PASSWORD.match(text, user.end())
    until = found.end() if found is not None else user.end()
    end = text.rfind("@", user.end(), until)
    if end < 0 or is_placeholder(text[user.end() : end]):
        return nothing(until)
    return Found(until, (user.end(), end))


def _jwt(text: str, start: int, after: int) -> Found | None:
    if text[start:after] != "eyJ" or (start and text[start - 1].isalnum()):
        return None
    found = _JWT.match(text, after)
    if found is None:
        return None
    parts = found["rest"].split(".")[1:]
    right = len(parts) >= 2 and found.start("rest") - after >= 8 and (len(parts[0]) >= 8 or len(parts) == 4)
    end = found.end()
    while right and text[end - 1] == "." and len(parts) > 2:
        end -= 1
    return Found(found.end(), (start, end)) if right else nothing(found.end())


def _telegram(text: str, start: int, after: int) -> Found | None:
    if text[start:after] != ":AA" or not text[start - 1 : start].isdigit():
        return None
    found = _TELEGRAM.match(text, start + 1)
    before = _TELEGRAM_ID.search(text, max(0, start - 16), start)
    if found is None or before is None:
        return None
    return Found(found.end(), (before.start(), found.end()))


def discord(text: str, dot: int) -> Found | None:
    """A bot's token by the first of its two dots."""
    before = _DISCORD_ID.search(text, max(0, dot - 32), dot)
    found = _DISCORD.match(text, dot + 1) if before is not None else None
    return None if found is None or before is None else Found(found.end(), (before.start(), found.end()))


def _slack_hook(text: str, _start: int, after: int) -> Found | None:
    found = _HOOK.match(text, after)
    return None if found is None else Found(found.end(), found.span())


def _hook_key(text: str, _start: int, after: int) -> Found | None:
    found = _HOOK_KEY.match(text, after)
    if found is None or is_placeholder(found[0]) or not any(character.isdigit() for character in found[0]):
        return None
    return Found(found.end(), found.span())


def _mailchimp(text: str, start: int, after: int) -> Found | None:
    found = _MAILCHIMP.match(text, after)
    before = _HEX32.search(text, max(0, start - 33), start)
    return None if found is None or before is None else Found(after, (before.start(), found.end()))


def _azure(text: str, start: int, after: int) -> Found | None:
    """A client secret of Azure AD: three characters, a version, ``Q~`` and the rest."""
    if not text[start - 1 : start].isdigit():
        return None
    found = _AZURE.match(text, after)
    before = _AZURE_ID.search(text, max(0, start - 5), start - 1)
    if found is None or before is None:
        return None
    return Found(found.end(), (before.start(), found.end()))


def _firebase(text: str, start: int, after: int) -> Found | None:
    found = _APA91.match(text, after)
    return None if found is None else Found(found.end(), (start + 1, found.end()))


def _atlas(text: str, start: int, after: int) -> Found | None:
    found = _ATLAS.match(text, after)
    before = _ATLAS_ID.search(text, max(0, start - 15), start)
    return None if found is None or before is None else Found(found.end(), (before.start(), found.end()))


RULES: tuple[Rule, ...] = (
    Rule("://", _password),
    Rule("eyj", _jwt),
    Rule(":aa", _telegram),
    Rule("hooks.slack.com/services/", _slack_hook),
    Rule("hooks.slack.com/workflows/", _slack_hook),
    Rule("discord.com/api/webhooks/", _slack_hook),
    Rule("discordapp.com/api/webhooks/", _slack_hook),
    Rule(".webhook.office.com/webhookb2/", _hook_key),
    Rule("hooks.zapier.com/hooks/catch/", _hook_key),
    Rule("-us", _mailchimp),
    Rule("q~", _azure),
    Rule(":apa91b", _firebase),
    Rule(".atlasv1.", _atlas),
)
