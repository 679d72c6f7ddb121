"""jobdeck installed for real, as a wheel and in place, used from a folder that is not the checkout."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

_LOOK = """
import pathlib, engine, engine.ownership, tui
from tui.styles_path import styles_folder
print(pathlib.Path(engine.__file__).parent)
print(pathlib.Path(tui.__file__).parent)
print(styles_folder())
print(pathlib.Path(engine.ownership.__file__).with_name("supervisor.sh"))
"""


@pytest.mark.timeout(420)  # a fresh environment and its downloads, where nothing is cached yet
@pytest.mark.parametrize("editable", [False, True], ids=["wheel", "editable"])
def test_an_install_works_outside_the_checkout(tmp_path: Path, editable: bool) -> None:
    bin_ = _install(tmp_path / "venv", editable)
    cwd = _project_with_our_names(tmp_path / "project")

    version = _run(bin_ / "jobdeck", "--version", cwd=cwd)
    assert "0.1.0" in version

    engine, tui, styles, supervisor = map(Path, _run(bin_ / "python", "-P", "-c", _LOOK, cwd=cwd).splitlines())
    home = CHECKOUT if editable else next((tmp_path / "venv").glob("lib/python3*/site-packages"))
    assert engine == home / "engine"
    assert tui == home / "tui"
    assert styles == (home / "styles" if editable else home / "tui" / "styles")
    shipped = {path.relative_to(styles) for path in styles.rglob("*.tcss")}
    assert shipped == {path.relative_to(CHECKOUT / "styles") for path in (CHECKOUT / "styles").rglob("*.tcss")} != set()
    assert supervisor.read_text().startswith("#!/bin/sh")
    assert all((package / "py.typed").is_file() for package in (engine, tui))


def _install(venv: Path, editable: bool) -> Path:
    """Make the environment as `make run` does, and return its folder of programs."""
    _run(sys.executable, "-m", "venv", venv, cwd=venv.parent)
    what = ["--editable", CHECKOUT] if editable else [CHECKOUT]
    pip = ("-m", "pip", "--disable-pip-version-check", "--quiet", "install")
    _run(venv / "bin" / "python", *pip, *what, cwd=venv.parent)
    return venv / "bin"


def _project_with_our_names(folder: Path) -> Path:
    """A user's project whose own packages are called like ours, and fail when imported."""
    for name in ("tui", "engine"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("raise SystemExit('the project shadows jobdeck')\n")
    return folder


def _run(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout
