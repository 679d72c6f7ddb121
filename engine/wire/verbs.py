"""The verbs that go over the wire, each with the struct of its parameters and its results: read off `EngineApi`.

So there is one place where a verb's name, its arguments and its answers stand, and the wire can't differ from it.
"""

import inspect
import types
from functools import cache
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from engine.api.protocol import EngineApi
from engine.spec import GoalSpec, JobSpec, WaitSpec

STREAMS = frozenset({"events", "notices", "attach"})
"""What delivers more than one answer, and is said in another way."""
OPERATOR_ONLY = frozenset({"stand_still"})
"""What concerns everybody's jobs."""


_STRICT = {
    kind: msgspec.defstruct(
        kind.__name__, (), bases=(kind,), forbid_unknown_fields=True, frozen=True, kw_only=True, module=__name__
    )
    for kind in (JobSpec, WaitSpec, GoalSpec)
}
"""Over the wire, a field that isn't known is a mistake of the sender's."""


class Verb(NamedTuple):
    """One method of `EngineApi`."""

    name: str
    signature: inspect.Signature
    params: type[msgspec.Struct]
    """Strict; a text that isn't UTF-8 may come as ``base64`` in place of ``data``."""
    results: dict[str, Any]
    """The types that it may answer with, by their names."""


@cache
def verbs() -> dict[str, Verb]:
    """All of them, by name."""
    found = {}
    for name, method in inspect.getmembers(EngineApi, inspect.isfunction):
        if not name.startswith("_") and name not in STREAMS:
            found[name] = _verb(name, method)
    return found


def _verb(name: str, method: types.FunctionType) -> Verb:
    signature, hints = inspect.signature(method), get_type_hints(method)
    fields: list[Any] = []
    for parameter in list(signature.parameters.values())[1:]:
        kind = _STRICT.get(hints[parameter.name], hints[parameter.name])
        default = parameter.default
        fields.append((parameter.name, kind) if default is parameter.empty else (parameter.name, kind, default))
    if "data" in hints:
        fields = [("data", str, "") if field[0] == "data" else field for field in fields]
        fields.append(("base64", str, ""))
    params = msgspec.defstruct(f"{name}_params", fields, forbid_unknown_fields=True, kw_only=True, frozen=True)
    (answer,) = get_args(hints["return"])
    kinds = get_args(answer) if get_origin(answer) in (Union, types.UnionType) else (answer,)
    return Verb(name, signature, params, {kind.__name__: kind for kind in kinds})
