"""The pages that only repeat the code are as they would be made now, and say something of everything."""

import sys
from pathlib import Path

import msgspec
import pytest

from docs import generate
from engine.config.decoding import TABLES
from engine.config.entries import Ready
from engine.config.schema import said_of_fields
from engine.config.settings import Settings
from engine.wire.mcp.tools import TOOLS
from tui import keymap
from tui.cli.verbs import VERBS

STRUCTS = (Settings, Ready, *TABLES.values())


@pytest.mark.parametrize("page", generate.PAGES)
def test_a_page_is_as_the_code_has_it(page: str) -> None:
    committed = (generate.HERE / page).read_text()
    assert committed == generate.PAGES[page](), f"docs/{page} is stale: 'make docs' writes it"


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_each_field_of_the_configuration_says_what_it_means(struct: type[msgspec.Struct]) -> None:
    assert set(said_of_fields(struct)) == set(struct.__struct_fields__)
    page = (generate.HERE / "configuration.md").read_text()
    assert all(f"| `{name}` |" in page for name in struct.__struct_fields__)


def test_each_action_and_verb_has_its_row() -> None:
    keys, commands = ((generate.HERE / name).read_text() for name in ("keys.md", "commands.md"))
    told = [key.id for key in keymap.DEFAULTS if key.listed]
    assert [name for name in told if f"`{name}`" not in keys] == []
    assert [name for name in VERBS if f"### jobdeck {name}\n" not in commands] == []


def test_the_guide_names_every_tool_of_agents() -> None:
    agents, tools = ((generate.HERE / name).read_text() for name in ("agents.md", "tools.md"))
    assert [name for name in TOOLS if f"`{name}`" not in agents or f"## {name}\n" not in tools] == []


def test_a_changed_page_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "HERE", tmp_path)
    assert generate.stale() == list(generate.PAGES)
    monkeypatch.setattr(sys, "argv", ["generate.py"])
    assert generate.main() == 0
    assert generate.stale() == []
    (tmp_path / "keys.md").write_text("# Keys\n")
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert generate.main() == 1
