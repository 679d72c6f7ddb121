"""``jobdeck`` on the command line: what is meant is guessed, what can't be is explained."""

import pytest
from click.testing import CliRunner

from engine import Configuration
from tui.cli.console import open_console
from tui.cli.main import jobdeck


def said(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(jobdeck, list(words), prog_name="jobdeck")
    return done.exit_code, done.output


@pytest.mark.parametrize("words", [("ls", "-l", "-a"), ("ls -l", "--help"), ("ls", "-h")])
def test_options_of_a_program_get_both_ways_to_run_it_and_no_hidden_verb(words: tuple[str, ...]) -> None:
    code, text = said(*words)
    assert code == 2
    assert "jobdeck run -- " in text and "jobdeck 'ls" in text.replace('"', "'")
    assert "console [" not in text and "Usage: jobdeck console" not in text and "Usage: jobdeck ls" not in text


def test_help_is_help() -> None:
    assert said("help") == said("--help")
    assert said("help")[0] == 0
    assert said("help", "run")[1] == said("run", "--help")[1]


@pytest.mark.parametrize("term", ["", "dumb", None])
def test_a_terminal_that_cannot_move_its_cursor_is_refused(
    term: str | None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import sys
    from types import SimpleNamespace

    if term is None:
        monkeypatch.delenv("TERM", raising=False)
    else:
        monkeypatch.setenv("TERM", term)
    said: list[str] = []
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, SimpleNamespace(isatty=lambda: True, write=said.append))
    code = open_console((), Configuration())
    monkeypatch.undo()
    assert code == 2
    assert "jobdeck run" in "".join(said) and "TERM" in "".join(said)
