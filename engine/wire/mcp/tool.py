"""A tool: what it takes, as a strict struct whose words teach the agent, and how it is done.

Nothing here knows of the protocol: a tool is a struct and a coroutine over `EngineApi`.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from engine.api.protocol import EngineApi
from engine.registry.start import StartError
from engine.spec import SpecError

Plain = dict[str, Any]


class Tool(NamedTuple):
    """One tool."""

    name: str
    params: type[msgspec.Struct]
    do: Callable[[EngineApi, Any], Awaitable[Plain]]

    @property
    def description(self) -> str:
        """What the agent reads."""
        import inspect

        return inspect.cleandoc(self.params.__doc__ or "")

    def schema(self) -> Plain:
        """The JSON schema of its parameters."""
        schema = msgspec.json.schema(self.params)
        found: Plain = schema["$defs"].pop(self.params.__name__)
        found.pop("description", None)
        others = {"$defs": schema["$defs"]} if schema["$defs"] else {}
        return {**{key: value for key, value in found.items() if key != "title"}, **others}


async def run(api: EngineApi, tool: Tool, arguments: Plain) -> Plain:
    """Do it; whatever is wrong is an answer in words."""
    try:
        params = msgspec.convert(arguments, tool.params)
        return await tool.do(api, params)
    except msgspec.ValidationError as error:
        return {"status": "error", "error": f"{tool.name}: {error}"}
    except SpecError as error:
        return {"status": "error", "error": f"{tool.name}: {error}"}
    except StartError as error:
        return {"status": "error", "error": str(error), "session_id": error.session_id}


def unknown(tool: str, action: str, known: str) -> Plain:
    """The answer to an action that there isn't."""
    return {"status": "error", "error": f"{tool}: unknown action {action!r}; one of: {known}"}
