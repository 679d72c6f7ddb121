"""What the pages show is so: their examples run and print what stands there, their files are right, their links lead
somewhere."""

import json
import os
import re
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path

import click
import pytest
from command_line import serve
from guide import DOCS, PAGES, ROOT, blocks, calls, expected, is_like, printed, script
from waiting import PATIENCE

from engine.config.decoding import decode_layer
from engine.config.joining import join
from engine.config.settings import Settings
from tui import keymap
from tui.cli.main import jobdeck
from tui.cli.verbs import VERBS
from tui.outfit import wrong_colours
from tui.remapping import remapped
from tui.show.legend import SIGNS

RUN = [page for page in PAGES if any(block.kind.endswith(" run") for block in blocks(page))]
ALONE = {"run", "config", "--config", "init", "doctor", "completion", "goal"}
"""Verbs that need no engine beside their own."""
_LINK = re.compile(r"!?\[[^\]\[]*\]\(([^()\s]+)\)")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", RUN, ids=_name)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("JOBDECK_DOCS", str(DOCS))
    # Into files: what an example leaves running would hold a pipe open.
    with (
        serve() if _needs_a_host(page) else nullcontext(),
        (tmp_path / "out").open("w+") as out,
        (tmp_path / "err").open("w+") as err,
    ):
        words = ["bash", "-c", script(page)]
        # A page is many calls of jobdeck: each is a start of Python.
        longest = PATIENCE * 3
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False, timeout=longest)
        said = printed((tmp_path / "out").read_text())
        where = f"docs/{page.name}:{max(said, default=0)}"
        assert done.returncode == 0, f"{where} ended with {done.returncode}:\n{said}\n{(tmp_path / 'err').read_text()}"
        for line, text in expected(page):
            assert is_like(said[line], text), f"docs/{page.name}:{line} prints\n{said[line]}\nnot\n{text}"


def _needs_a_host(page: Path) -> bool:
    verbs = {words[0] for block in blocks(page) if block.kind == "sh run" for words in calls(block.text) if words}
    return not verbs <= ALONE


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_its_configuration_files_are_right(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.kind.split()[:1] != ["toml"]:
            continue
        where = f"{page.name}:{block.line}"
        assert decode_layer(block.text, where).problems == (), where
        file = tmp_path / "jobdeck.toml"
        file.write_text(block.text)
        held = join((file,), Settings())
        assert (*held.problems, *remapped(held).problems, *wrong_colours(held)) == (), where


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_its_commands_are_spelled_right(page: Path) -> None:
    for block in blocks(page):
        for words in calls(block.text) if block.kind.split()[:1] == ["sh"] else ():
            if words and words[0] in VERBS:
                _parse(words, f"{page.name}:{block.line}: jobdeck {' '.join(words)}")
            else:
                assert all(" " in word or word in ("--config", "--version", "--help") for word in words[:1]), words


def _parse(words: list[str], where: str) -> None:
    context = click.Context(jobdeck, info_name="jobdeck")
    command: click.Command | None = jobdeck
    while isinstance(command, click.Group) and words:
        command, words = command.get_command(context, words[0]), words[1:]
    assert command is not None, where
    try:
        command.make_context("", words, parent=context)
    except click.UsageError as error:
        pytest.fail(f"{where}: {error.format_message()}")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_its_json_is_json(page: Path) -> None:
    for block in blocks(page):
        if block.kind == "json":
            json.loads(block.text)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"], ids=_name)
def test_its_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in _LINK.findall(text):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        led = (page.parent / name).resolve() if name else page
        assert led.exists(), f"{page.name} links to {target}"
        assert led.is_relative_to(ROOT)
        if anchor:
            assert anchor in _anchors(led), f"{page.name} links to {target}; there are {sorted(_anchors(led))}"


def test_each_page_is_reached_from_the_index() -> None:
    index = (DOCS / "README.md").read_text() + (ROOT / "README.md").read_text()
    assert [page.name for page in PAGES if page.parent == DOCS and f"({page.name}" not in index] == ["README.md"]


def _anchors(page: Path) -> set[str]:
    """Headings as GitHub links to them."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


MADE = ("keys.md", "configuration.md", "commands.md", "tools.md")
_KEY = re.compile(r"(?:(?:Ctrl|Alt|Shift)\+)*(?:\S|F\d+|Enter|Esc|Tab|Space|PgUp|PgDn|Home|End)")


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in MADE], ids=_name)
def test_its_keys_and_signs_are_those_of_the_console(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    named = {word for word in re.findall(r"`([^`\n]+)`", text) if _KEY.fullmatch(word)}
    keys = {keymap.key_name(name) for key in keymap.DEFAULTS for name in key.keys}
    signs = {sign for shown, _meaning in SIGNS for sign in shown.split()}
    assert named - keys - signs - {"~"} == set()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_its_files_and_targets_are_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for word in re.findall(r"`([^`\n]+)`", page.read_text()):
        if re.fullmatch(r"(?:tests|docs|engine|tui)/[\w/.]+", word):
            assert (ROOT / word).exists(), f"{page.name} names {word}"
        if found := re.fullmatch(r"make ([a-z-]+)(?: .*)?", word):
            assert found[1] in targets, f"{page.name} names {word}"


def test_each_variable_of_the_environment_is_told() -> None:
    sources = [path for room in ("engine", "tui") for path in (ROOT / room).rglob("*.py")]
    used = {name for path in sources for name in re.findall(r"\bJOBDECK_[A-Z_]+", path.read_text())}
    told = (DOCS / "configuring.md").read_text()
    assert sorted(name for name in used if f"`{name}`" not in told) == []


def test_the_documentation_is_in_the_source_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert "docs" in included and all((ROOT / name).exists() for name in included)


def test_what_is_printed_is_compared_with_what_is_told() -> None:
    assert is_like("proc_12ab  api  running\nmore\n", "proc_…  api  running\nmore")
    assert is_like("head\none\ntwo\ntail", "head\n…\ntail") and is_like("head\ntail", "head\n…\ntail")
    assert not is_like("head\none\ntail", "head\ntail")
    assert list(calls("id=$(jobdeck start -- a 'b c') && jobdeck wait \"$id\" # jobdeck no\nsudo jobdeck x")) == [
        ["start", "--", "a", "b c"],
        ["wait", "$id"],
    ]
