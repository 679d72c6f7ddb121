"""The JSON schema of the configuration file, for editors: made from the structs, with what is said of their fields."""

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

import msgspec

from engine.config.decoding import TABLES
from engine.config.settings import Settings

SHIPPED = Path(__file__).with_name("jobdeck.schema.json")
"""Where it lies ready for editors; a test keeps it as `schema` makes it."""


def schema() -> dict[str, Any]:
    """It, in JSON Schema's words of 2020-12."""
    structs: tuple[type[msgspec.Struct], ...] = (Settings, *TABLES.values())
    _refs, parts = msgspec.json.schema_components(structs, ref_template="#/$defs/{name}")
    for part in parts.values():
        part["additionalProperties"] = False
    for struct in (*structs, *_inner(structs)):
        part = parts[struct.__name__]
        if struct.__doc__:
            part["description"] = " ".join(struct.__doc__.split())
        for name, said in said_of_fields(struct).items():
            part["properties"][name]["description"] = said
    properties: dict[str, Any] = {"settings": {"$ref": "#/$defs/Settings"}}
    for name, struct in TABLES.items():
        properties[name] = {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{struct.__name__}"}}
    one_or_more = [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    properties["keys"] = {
        "type": "object",
        "description": "The keys of an action of the console, by its id.",
        "additionalProperties": {"anyOf": one_or_more},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "jobdeck.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "$defs": parts,
    }


def _inner(structs: tuple[type[msgspec.Struct], ...]) -> list[type[msgspec.Struct]]:
    found = []
    for struct in structs:
        for field in msgspec.structs.fields(struct):
            kinds = getattr(field.type, "__args__", (field.type,))
            found += [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    return found


def said_of_fields(struct: type[msgspec.Struct]) -> dict[str, str]:
    """The text under each field in the source."""
    (head,) = ast.parse(textwrap.dedent(inspect.getsource(struct))).body
    assert isinstance(head, ast.ClassDef)
    said = {}
    for field, text in zip(head.body, head.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            value = text.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                said[field.target.id] = " ".join(value.value.replace("``", "`").split())
    return said


def schema_text() -> str:
    """It as the shipped file has it."""
    import json

    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
