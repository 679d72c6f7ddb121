"""Makes the README's picture: the real console over a real engine with real jobs, drawn without a terminal.

    python docs/screenshot.py OUT.svg [COLS ROWS]

The programs in the picture are small scripts of these names, in a folder that is gone afterwards.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from engine import Engine, JobSpec
from tui.app import JobdeckApp

PROGRAMS = {
    "uvicorn": r"""
say() { printf '\033[2m[12:%02d:%02d]\033[0m %b\n' $((3 + n / 60)) $((n % 60)) "$1"; n=$((n + 1)); }
n=11
say '\033[32mINFO\033[0m  uvicorn running on http://127.0.0.1:8000'
say '\033[32mINFO\033[0m  Application startup complete'
for i in $(seq 1 38); do
  say "\033[32mINFO\033[0m  GET /items/$i \033[36m200\033[0m $((3 + i % 9))ms"
  [ $((i % 7)) = 4 ] && say "\033[33mWARN\033[0m  slow query $((500 + i * 7))ms: select * from items where …"
  [ $((i % 16)) = 12 ] && say '\033[31mERROR\033[0m psycopg.OperationalError: connection refused'
done
exec sleep 60""",
    "npm": "printf '\\033[32m✓\\033[0m compiled in 412ms\\n'; exec sleep 60",
    "alembic": "printf 'Apply 3 migrations? [y/N] '; read answer",
    "pytest": "echo '3 failed, 212 passed'; exit 1",
    "ninja": "echo '[ 61%] Linking CXX objects'; exec sleep 60",
    "mkdocs": "exec sleep 60",
}
JOBS = {
    "api": "uvicorn app:api --reload",
    "web": "npm run dev",
    "migrate": "alembic upgrade head",
    "tests": "pytest -f",
    "build": "ninja -C out",
    "docs": "mkdocs serve",
}
OPEN = ("j", "j", "j", "enter", "shift+tab", "k", "k", "enter", "shift+tab", "k", "enter")


async def draw(target: Path, folder: Path, size: tuple[int, int]) -> None:
    """Run the console for some seconds and save what it shows."""
    env: dict[str, str | None] = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    with Engine() as engine:
        for name, command in JOBS.items():
            await engine.spawn(JobSpec(command=command, name=name, pty=True, env=env, cwd=str(folder)))
        app = JobdeckApp(engine)
        async with app.run_test(size=size) as pilot:
            await pilot.pause(0.5)
            for key in OPEN:
                await pilot.press(key)
            docs = next(row for row in (await engine.list()).processes if row.name == "docs")
            await engine.kill(docs.session_id)
            await pilot.pause(2)
            target.write_text(app.export_screenshot(title="jobdeck"))


def main() -> None:
    """Draw to the file that was named."""
    cols, rows = [int(number) for number in sys.argv[2:4]] or [128, 33]
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "shop"
        folder.mkdir()
        for name, script in PROGRAMS.items():
            (folder / name).write_text(f"#!/bin/bash\n{script}\n")
            (folder / name).chmod(0o755)
        asyncio.run(draw(Path(sys.argv[1]), folder, (cols, rows)))


if __name__ == "__main__":
    main()
