"""Every verb of the table as a method, all said in one way: what a remote engine and a fleet of them have in common."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.api.call import Call
from engine.wire.verbs import Verb, verbs

if TYPE_CHECKING:
    from engine.api.local import LocalApi as _Verbs  # has them all, with their types
else:
    _Verbs = object


class Spoken(_Verbs):
    """The verbs of `EngineApi`, but for those that deliver streams."""

    def _say(self, verb: Verb, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call[Any]:
        """Make one call."""
        raise NotImplementedError


def _method(verb: Verb) -> Callable[..., Call[Any]]:
    def call(self: Spoken, *args: Any, **kwargs: Any) -> Call[Any]:
        return self._say(verb, args, kwargs)

    call.__name__ = verb.name
    call.__doc__ = "See `EngineApi`."
    return call


for _verb in verbs().values():
    setattr(Spoken, _verb.name, _method(_verb))
