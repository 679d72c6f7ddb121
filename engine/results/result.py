"""What every result is, a refusal, and what says no more than that it was done."""

from typing import Any

import msgspec


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every verb's result is."""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON-able data, as the command line and the wire show it."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


class Refused(Result, frozen=True, kw_only=True, omit_defaults=True):
    """A verb that did nothing, and why: ``status`` is ``error`` or ``not_found``."""

    status: str
    error: str
    retry: bool = False
    """The same call may succeed later: the job isn't reading its input just now."""


class Done(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``signal``, ``resize`` and ``dismiss``."""

    status: str
    session_id: str
    cols: int | None = None
    rows: int | None = None
