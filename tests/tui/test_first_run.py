"""A first run with nothing to show teaches: three keys, an example, and what could be had from the files here."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_a_first_run_teaches(
    console: "Opened", tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {"dev": "vite"}}')
    monkeypatch.chdir(tmp_path)
    async with console(size=size) as shown:
        words = ("a  starts one", "?  shows every key", "q  leaves jobdeck", "jobdeck 'npm run dev' 'pytest -f'")
        more = (
            "or have the jobs of package.json in rows here",
            "jobdeck init",
            "claude mcp add jobdeck -- jobdeck mcp",
        )
        await shown.until(lambda: [word for word in (*words, *more) if word not in shown.screen_text()] == [])
