"""Makes the pictures of the documentation: the real console over a real engine with real jobs, without a terminal.

    python docs/screenshot.py OUT.svg [SCENE [THEME [COLS ROWS]]]

Scenes: deck, reading, split, details, search, themes; themes: dark, light, contrast-dark, contrast-light, ansi-dark,
ansi-light.

The programs in the picture are small scripts of these names, in a folder that is gone afterwards.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from engine import Engine, GoalSpec, JobSpec, WaitSpec
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
sleep 1; say '\033[31mERROR\033[0m psycopg.OperationalError: too many clients already'
while :; do for i in $(seq 1 $((RANDOM * 3))); do :; done; sleep 0.7; done""",
    "npm": "echo 'warning: bundle exceeds 500 kB'; printf '\\033[32m✓\\033[0m compiled in 412ms\\n'; exec sleep 60",
    "alembic": "printf 'Apply 3 migrations? [y/N] '; read answer",
    "pytest": "echo '3 failed, 212 passed'; exit 1",
    "ninja": "echo '[ 61%] Linking CXX objects'; exec sleep 60",
    "mkdocs": "exec sleep 60",
    "lint": "echo '2 errors'; exit 1",
    "ask": 'echo \'{"verdict": "wait", "wait_on_session": "\'"$BUILD"\'", "reason": "the build has to finish first"}\'',
}
JOBS = {
    "api": "uvicorn app:api --reload",
    "web": "npm run dev",
    "migrate": "alembic upgrade head",
    "tests": "pytest -f",
    "build": "ninja -C out",
    "docs": "mkdocs serve",
}
WATCHED = {"api": ("ERROR", "/slow query \\d+/"), "web": ("/warn/i",)}
OPEN = ("j", "j", "j", "enter", "shift+tab", "k", "k", "enter", "shift+tab", "k", "enter")
SCENES: dict[str, tuple[str, ...]] = {
    "deck": (),
    "reading": ("t", "slash", *"slow", "enter", "N", "m", "shift+down"),
    "split": ("v", "v"),
    "details": ("d",),
    "search": ("ctrl+f", *"err", "up"),
    "themes": ("ctrl+p", *"choose", "enter", "down", "down", "up"),
}
"""What is pressed when all jobs run and three tabs are open, the last of them in sight."""
LOOKS_SECONDS = 40
"""Until there is something to see of what a job used."""


async def draw(target: Path, folder: Path, scene: str, theme: str, size: tuple[int, int]) -> None:
    """Run the console for some seconds and save what it shows."""
    env: dict[str, str | None] = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    with Engine() as engine:
        app = JobdeckApp(engine)
        async with app.run_test(size=size) as pilot:
            app.theme = f"jobdeck-{theme}"
            ids = {}
            for name, command in JOBS.items():
                watched = WATCHED.get(name, ())
                spec = JobSpec(
                    command=command, name=name, pty=True, env=env, cwd=str(folder), watch_patterns=watched,
                    cols=80, rows=20,
                )  # fmt: skip
                ids[name] = (await engine.spawn(spec)).session_id
                await pilot.pause(0.2)
            await engine.wait_for(WaitSpec(session_id=ids["build"], on="success", then="make deploy"))
            await engine.goal_start(
                GoalSpec(goal="green main", step="lint", judge="ask", env={**env, "BUILD": ids["build"]})
            )
            for key in OPEN:
                await pilot.press(key)
            await engine.kill(ids["docs"])
            await pilot.pause(3)
            await pilot.pause(LOOKS_SECONDS if scene == "details" else 0)
            for key in SCENES[scene]:
                await pilot.press(key)
                await pilot.pause(0.5 if scene == "themes" else 0.1)
            await pilot.pause(1)
            target.write_text(app.export_screenshot(title="jobdeck"))


def main() -> None:
    """Draw to the file that was named."""
    target, scene, theme, cols, rows = [*sys.argv[1:], *("deck", "dark", "128", "33")[len(sys.argv) - 2 :]]
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "shop"
        folder.mkdir()
        for name, script in PROGRAMS.items():
            (folder / name).write_text(f"#!/bin/bash\n{script}\n")
            (folder / name).chmod(0o755)
        asyncio.run(draw(Path(target), folder, scene, theme, (int(cols), int(rows))))


if __name__ == "__main__":
    main()
