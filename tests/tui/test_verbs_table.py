"""The command line's table of verbs: what help and completion tell without loading them."""

import sys

import click
import pytest
from click.testing import CliRunner

from tui.cli.main import jobdeck
from tui.cli.verbs import SECTIONS, VERBS


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_is_where_the_table_says_and_has_help(name: str) -> None:
    command = jobdeck.get_command(click.Context(jobdeck), name)
    assert command is not None and command.name == name
    done = CliRunner().invoke(jobdeck, [name, "--help"], prog_name="jobdeck")
    assert done.exit_code == 0 and done.output.startswith(f"Usage: jobdeck {name} ")
    assert len(VERBS[name].about) <= 66 and VERBS[name].about[0].islower()
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help, f"{name} {parameter.opts} tells nothing"


def test_help_tells_every_verb_once_by_what_it_is_for() -> None:
    text = CliRunner().invoke(jobdeck, ["--help"]).output
    for title, verbs in SECTIONS.items():
        assert f"\n{title}:\n" in text
        for name, verb in verbs.items():
            assert text.count(f"\n  {name} ") == 1 and " ".join(verb.about.split()[:3]) in text
    assert "Exit codes" in text and "3 no such job" in text


def test_help_loads_no_verb() -> None:
    import subprocess

    script = (
        "import sys; from tui.cli.main import jobdeck; jobdeck.main(['--help'], standalone_mode=False); "
        "print(sorted(name for name in sys.modules if name.startswith(('engine', 'textual', 'tui.cli.jobs'))))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_columns_stand_below_each_other_in_any_script(capsys: pytest.CaptureFixture[str]) -> None:
    from wcwidth import wcswidth

    from tui.cli.saying import _cut, say_table

    say_table([("日本語", "x"), ("web", "y"), ("🚀 go", "z")], ("NAME", "LAST"))
    head, *rows = capsys.readouterr().out.splitlines()
    assert {wcswidth(row[: row.rindex(row[-1])]) for row in rows} == {head.index("LAST")}
    assert [_cut(text, 5) for text in ("日本語", "abcde", "abcdef", "日本")] == ["日本…", "abcde", "abcd…", "日本"]
