"""What importing the engine brings along, seen in a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def test_the_engine_imports_no_screens() -> None:
    loaded = _loaded_after("from engine import Engine")
    assert "engine.api.host" in loaded
    assert not loaded & {"textual", "rich", "tui"}


def test_the_engine_imports_no_emulator_until_one_is_needed() -> None:
    assert not _loaded_after("from engine import Engine") & {"pyte", "engine.terminal"}


def test_the_bare_package_is_cheap() -> None:
    loaded = _loaded_after("import engine")
    assert not loaded & {"asyncio", "psutil", "msgspec", "subprocess", "platformdirs"}
    assert {name for name in loaded if name.split(".")[0] == "engine"} == {"engine"}


def test_the_command_line_knows_its_verbs_without_the_engine() -> None:
    heavy = {"asyncio", "psutil", "msgspec", "textual", "engine.spec"}
    assert not _loaded_after("import tui.cli.main") & heavy
    every = (
        "from tui.cli.main import jobdeck; [jobdeck.get_command(None, name) for name in jobdeck.list_commands(None)]"
    )
    assert not _loaded_after(every) & heavy


def test_running_a_command_loads_no_other_verb() -> None:
    loaded = _loaded_after("from tui.cli.main import jobdeck; jobdeck.get_command(None, 'run')")
    assert not loaded & {"socket", "json", "tui.cli.jobs", "tui.cli.goal", "tui.cli.hosts", "tui.cli.mcp"}


def _loaded_after(line: str) -> set[str]:
    """The modules that ``line`` loads, beyond those of a Python that runs nothing."""
    code = f"import sys; before = set(sys.modules)\n{line}\nprint(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())
