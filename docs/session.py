"""Records a session of the real console, driven by keys on a terminal of its own, as an asciicast v2 and as a picture.

    make session        # or: python -m docs.session docs/session.cast && python -m docs.animate docs/session.cast \
                        #     docs/session.svg

Needs Linux, bash and jobdeck installed beside this Python (`make .venv/.dev`), nothing else. Each step waits for what
it expects on the screen, so a slow machine only makes it longer; pauses in which nothing happens are cut. The programs
in it are small scripts of these names, in a folder that is gone afterwards. It fails, and writes nothing, when what it
waits for doesn't come.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from docs.recorder import COLS, ROWS, Session

LONGEST = 1.6
"""No pause in the recording is longer, in seconds."""

CONFIGURATION = """\
[jobs.db]
command = "postgres -D data"
ready = { line = "ready to accept connections" }
persist = true

[jobs.api]
command = "uvicorn app:api --reload"
after = ["db"]
autostart = true
pty = true
watch_patterns = ["ERROR"]

[jobs.web]
command = "npm run dev"
autostart = true
pty = true
"""
PROGRAMS = {
    "postgres": r"""
echo 'LOG:  starting PostgreSQL 17.2'
sleep 2.5
echo 'LOG:  database system is ready to accept connections'
exec sleep 600""",
    "uvicorn": r"""
say() { printf '%b\n' "$1"; }
say '\033[32mINFO\033[0m   uvicorn running on \033[1mhttp://127.0.0.1:8000\033[0m'
i=0
while :; do
  i=$((i + 1))
  say "\033[32mINFO\033[0m   GET /items/$i \033[36m200\033[0m $((3 + i % 9))ms"
  [ $((i % 6)) = 4 ] && say "\033[33mWARN\033[0m   slow query $((500 + i * 7))ms: select * from items where …"
  [ $i = 9 ] && say '\033[31mERROR\033[0m  psycopg.OperationalError: too many clients already'
  [ $i -gt 12 ] && sleep 1
  sleep 0.4
done""",
    "npm": r"""
trap 'echo "npm: stopping the bundler …"; sleep 0.6; exit 0' TERM
printf '\033[32m✓\033[0m compiled in 412ms\n'
(trap '' TERM HUP; exec sleep 600) &
wait; wait""",
    "pytest": r"""
printf 'collected 212 items\n'
for i in 1 2 3 4 5 6; do printf '.....................'; sleep 0.15; done
printf '\n\033[31mFAILED\033[0m tests/test_cart.py::test_total - assert 41 == 42\n'
printf '\033[31m1 failed\033[0m, 211 passed in 0.9s\n'
exit 1""",
}


def start(s: Session) -> None:
    """The jobs of the file, each when those it waits for are ready."""
    s.shows("shop")
    s.rest(0.8)
    s.press(*"jobdeck\r")
    s.shows("waits for db", "compiled in 412ms")
    s.rest(1.2)
    s.shows("● api", "INFO")
    s.rest(0.8)
    s.press("j", "\r")
    s.shows("uvicorn running on")


def go_to_a_hit(s: Session) -> None:
    """A line that was watched for stands in the feed; Enter goes to it."""
    s.until(lambda text: text.count("psycopg") >= 2, "the line and its hit")
    s.rest(1.6)
    s.press("\t", "\t")
    s.rest(0.9)
    s.press("\r")
    s.rest(1.6)


def search(s: Session) -> None:
    """All matches are lit while one types."""
    s.press("/")
    s.rest(0.3)
    s.press(*"slow")
    s.until(lambda text: re.search(r"\d+/\d+ +Aa", text) is not None, "how many matches")
    s.rest(0.9)
    s.press("\r", "N")
    s.rest(1.4)
    s.press("\x1b")
    s.rest(0.5)
    s.press("f")
    s.rest(0.5)


def kill(s: Session) -> None:
    """A kill with grace, and one child that ignores TERM."""
    s.press("\x1b[Z")
    s.rest(0.4)
    s.press("j", "\r")
    s.rest(1.0)
    s.press("x")
    s.shows("stopping the bundler")
    s.shows("⊘ web")
    s.rest(1.8)


def add(s: Session) -> None:
    """A job of the moment."""
    s.press("a")
    s.rest(0.6)
    s.press(*"pytest -q")
    s.rest(0.4)
    s.press("\r")
    s.shows("211 passed in 0.9s")
    s.rest(2.0)


def leave(s: Session) -> None:
    """What can be kept is kept."""
    s.press("q")
    s.shows("can live on")
    s.rest(2.2)
    s.press("k")
    s.until(lambda text: text.rstrip().endswith("$") and "JOBS" not in text, "the shell")
    s.rest(1.2)


def come_back(s: Session) -> None:
    """The next jobdeck has it whole."""
    s.press(*"jobdeck\r")
    s.shows("● db", "while you were away")
    s.rest(2.0)
    s.press("\x1b[Z")
    s.rest(0.4)
    s.press("\x1b[H", "\r")
    s.shows("LOG:  starting PostgreSQL", "LOG:  database system is ready")
    s.rest(2.5)


STORY: tuple[tuple[str, Callable[[Session], None]], ...] = (
    ("jobs start, each when those it waits for are ready", start),
    ("a hit, and its line", go_to_a_hit),
    ("search", search),
    ("a kill, with proof", kill),
    ("a job of the moment", add),
    ("leave; what is to be kept is kept", leave),
    ("come back", come_back),
)
"""Its chapters, as players name them."""


def shortened(events: list[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """The events with no pause longer than `LONGEST`."""
    told, gone, before = [], 0.0, 0.0
    for at, kind, text in events:
        gone += max(0.0, at - before - LONGEST)
        before = at
        told.append((round(at - gone, 3), kind, text))
    return told


def main() -> None:
    """Record to the file that is named."""
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as outer:
        folder, home = Path(outer) / "shop", Path(outer) / "home"
        (folder / "bin").mkdir(parents=True)
        home.mkdir()
        (folder / "jobdeck.toml").write_text(CONFIGURATION)
        for name, program in PROGRAMS.items():
            (folder / "bin" / name).write_text(f"#!/bin/bash\n{program}\n")
            (folder / "bin" / name).chmod(0o755)
        session = Session(folder, home)
        try:
            for name, chapter in STORY:
                session.chapter(name)
                chapter(session)
        finally:
            _end(session, home)
    head = {"version": 2, "width": COLS, "height": ROWS, "title": "jobdeck", "env": {"TERM": "xterm-256color"}}
    lines = [json.dumps(head), *(json.dumps(event, ensure_ascii=False) for event in shortened(session.events))]
    target.write_text("\n".join(lines) + "\n")


def _end(session: Session, home: Path) -> None:
    """Nothing goes on after the recording, the kept job neither."""
    env = {**os.environ, "JOBDECK_HOME": str(home / "jobdeck")}
    verb = [sys.executable, "-m", "tui.cli.main"]
    listed = subprocess.run(
        [*verb, "list", "--operator", "--json"], env=env, capture_output=True, text=True, check=False
    )
    running = [row["session_id"] for row in json.loads(listed.stdout or "{}").get("processes", ())]
    for session_id in running:
        subprocess.run([*verb, "kill", "--now", "--operator", session_id], env=env, capture_output=True, check=False)
    session.close()


if __name__ == "__main__":
    main()
