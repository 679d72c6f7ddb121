"""The page of agents' tools, from their structs."""

import json
from typing import Any

from docs.markdown import made_from, paragraphs, table
from engine.wire.mcp.tools import TOOLS


def tools_page() -> str:
    """Every tool of ``jobdeck mcp``, as an agent is told of it."""
    lines = [
        "# Tools for agents (MCP)",
        "",
        made_from("`engine/wire/mcp`"),
        "What `jobdeck mcp` offers to a coding agent, in the words in which it is told. How it is set up stands in "
        "[Agents](agents.md).",
    ]
    for tool in TOOLS.values():
        lines += ["", f"## {tool.name}", "", *paragraphs(tool.description), ""]
        schema = tool.schema()
        needed = schema.get("required", ())
        rows = (
            (f"`{name}`", _json_kind(field), _json_default(field, needed=name in needed), field.get("description", ""))
            for name, field in schema["properties"].items()
        )
        lines += table(("name", "type", "default", "meaning"), rows)
    return "\n".join(lines) + "\n"


_JSON = {"string": "text", "integer": "whole number", "boolean": "true or false", "array": "list", "object": "table"}


def _json_kind(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_json_kind(one) for one in field["anyOf"] if one != {"type": "null"})
    return _JSON.get(str(field["type"]), str(field["type"]))


def _json_default(field: dict[str, Any], *, needed: bool) -> str:
    value = field.get("default")
    if needed:
        return "*needed*"
    return "none" if value in (None, [], {}, "") else f"`{json.dumps(value)}`"
