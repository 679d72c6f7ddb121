"""Conversations: who owns jobs, proved by tokens that every engine of a home can check (spec 4.3).

A conversation's id tells where it comes from, so that nothing need be looked up: ``conv_A.B`` continues ``conv_A``,
``conv_A/C`` works for ``conv_A``; ``shell_A`` is the home's own command line, where a person types. A token is the id
with a keyed hash of it; the key lies in the home. This keeps agents out of each other's work. It is no wall against a
hostile program of the same user, who can read the key.
"""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.store.files import read_file
from engine.store.home import home_folder, private_folder

_KEY_BYTES = 32
_PROOF_CHARS = 32
_LONGEST_ID = 2_000
KEY_FILE = "conversations.key"


class UnknownToken(ValueError):
    """It proves no conversation of this home; the text says what to do."""


class Conversation(msgspec.Struct, frozen=True):
    """One that was proved or begun."""

    id: str
    token: str


class Conversations:
    """Begins conversations and checks their tokens."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def begin(self, parent: str = "") -> Conversation:
        """A new one; ``parent`` is the token of the one that it works for.

        Raises:
            UnknownToken: ``parent`` proves nothing.
        """
        above = f"{self.prove(parent).id}/" if parent else "conv_"
        return self._with_token(f"{above}{os.urandom(6).hex()}")

    def begin_shell(self) -> Conversation:
        """A new one for the home's own command line."""
        return self._with_token(f"shell_{os.urandom(6).hex()}")

    def begin_for(self, owner: str) -> Conversation:
        """A new one that works for this conversation, which is known to have asked; empty: for the operator."""
        return self._with_token(f"{owner}/{os.urandom(6).hex()}" if owner else f"conv_{os.urandom(6).hex()}")

    def go_on(self, token: str) -> Conversation:
        """A new one that inherits all of the one that ``token`` proves.

        Raises:
            UnknownToken: It proves nothing.
        """
        before = self.prove(token).id
        if len(before) > _LONGEST_ID:
            raise UnknownToken("this conversation was continued too often: begin a new one")
        return self._with_token(f"{before}.{os.urandom(2).hex()}")

    def prove(self, token: str) -> Conversation:
        """The conversation of this token.

        Raises:
            UnknownToken: It proves nothing.
        """
        id, _, proof = token.rpartition("~")
        import hmac

        if not id or not hmac.compare_digest(proof.encode(), self._proof(id).encode()):
            raise UnknownToken("this token proves no conversation of this home: leave it out to begin a new one")
        return Conversation(id, token)

    def _with_token(self, id: str) -> Conversation:
        return Conversation(id, f"{id}~{self._proof(id)}")

    def _proof(self, id: str) -> str:
        import hashlib  # what a run in the foreground does without
        import hmac
        from base64 import urlsafe_b64encode

        digest = hmac.new(self._key, id.encode("utf-8", "replace"), hashlib.sha256).digest()
        return urlsafe_b64encode(digest).decode()[:_PROOF_CHARS]


def parent_of(owner: str) -> str:
    """The conversation that this one works for; empty where it works for none."""
    return owner.rpartition("/")[0]


def by_shell(owner: str) -> bool:
    """Is that conversation the home's own command line, and nobody who works for it?"""
    return owner.startswith("shell_") and "/" not in owner


def open_conversations() -> Conversations:
    """Those of this home; its key is made with the first.

    Raises:
        OSError: The key can't be read or made.
    """
    path = private_folder(home_folder()) / KEY_FILE
    key = _read(path)
    if key is None:
        new = path.with_name(f".{KEY_FILE}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(os.urandom(_KEY_BYTES))
                file.flush()
                os.fsync(descriptor)
            with suppress(FileExistsError):
                os.link(new, path)  # two that begin at once agree on one
        finally:
            new.unlink(missing_ok=True)
        key = _read(path)
    if key is None:
        raise OSError(f"{path} can't be made")
    return Conversations(key)


def _read(path: Path) -> bytes | None:
    try:
        key = read_file(path)
    except FileNotFoundError:
        return None
    if len(key) != _KEY_BYTES:
        raise OSError(f"{path} isn't a key of {_KEY_BYTES} bytes: remove it; tokens that were given out are void then")
    return key
