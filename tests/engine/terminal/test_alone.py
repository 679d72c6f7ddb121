"""The emulator stands alone."""

import subprocess
import sys


def test_it_imports_nothing_else_of_the_engine() -> None:
    program = "import engine.terminal, sys; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "engine.terminal.screen" in out
    rooms = [name for name in out if name.split(".")[0] in {"engine", "tui", "textual", "rich"} and name != "engine"]
    assert [name for name in rooms if not name.startswith("engine.terminal")] == []
