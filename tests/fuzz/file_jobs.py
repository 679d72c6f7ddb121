"""Random deeds on the jobs of a file that changes all the time: ``python -m tests.fuzz.file_jobs --minutes 5``.

Restarts, kills, deaths from outside, saved sources, edits (also broken ones) and halts, in any order; at no time may a
job have two runs, no call may stay unanswered, and in the end each job that is asked for runs once. A round that fails
is told by its seed; chance has its part in the order of things, so the same seed may go well the next time.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from engine import Call, Engine, Settings
from engine.config.loading import load
from engine.services.standing import Standing

_NAMES = ("a", "b", "c", "d", "e")
_SECONDS = {name: 7470 + number for number, name in enumerate(_NAMES)}
_HEAD = "[settings]\nrestart_backoff_most_seconds = 0.3\n"
_ANSWER_SECONDS = 60.0


class Round:
    """One folder with one engine, for some seconds."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._chance = random.Random(seed)
        self._folder = folder
        self._calls: list[Call[Any]] = []
        self.wrong: list[str] = []
        (folder / "src").mkdir()
        self._edit(self._jobs())

    def run(self, seconds: float) -> None:
        """Do what comes to mind for so long, then see that all is well."""
        os.chdir(self._folder)
        configuration = load(base=Settings(term_grace_seconds=0.2))
        with Engine(configuration=configuration, follows=True, runs_jobs=True) as engine:
            ends = time.monotonic() + seconds
            while time.monotonic() < ends:
                self._deed(engine)
                time.sleep(self._chance.choice((0, 0, 0.01, 0.05, 0.3)))
                self._look(engine)
            for call in self._calls:
                try:
                    call.result(_ANSWER_SECONDS)
                except TimeoutError:
                    self.wrong.append(f"{call} stays unanswered")
                except Exception:  # noqa: BLE001  a start may fail: that is an answer
                    continue
            self._settle(engine)

    def _deed(self, engine: Engine) -> None:
        rows, chance = engine.list().result(_ANSWER_SECONDS).processes, self._chance.random()
        row = self._chance.choice(rows) if rows else None
        if chance < 0.15:
            self._edit("[jobs\n" if self._chance.random() < 0.1 else self._jobs())
        elif chance < 0.25:
            (self._folder / "src" / f"{self._chance.randrange(5)}.py").touch()
        elif chance < 0.3:
            engine.stand_still(True).result(_ANSWER_SECONDS)
            engine.stand_still(False).result(_ANSWER_SECONDS)
        elif row is None:
            return
        elif chance < 0.65:
            self._calls.append(engine.restart(row.session_id))
        elif chance < 0.8:
            self._calls.append(engine.kill(row.session_id))
        elif chance < 0.9:
            self._calls.append(engine.wait(row.session_id, 0.2))
        elif row.pid is not None and row.status == "running":
            with suppress(psutil.Error):
                process = psutil.Process(row.pid)
                if process.ppid() == os.getpid():  # its number may be a stranger's by now
                    process.kill()

    def _look(self, engine: Engine) -> None:
        def places() -> list[str]:
            return [job.slot for job in engine.registry.jobs.values() if not job.finished]

        running = engine.call("places", places).result(_ANSWER_SECONDS)
        self.wrong += [f"two runs of {slot}" for slot in set(running) if running.count(slot) > 1]

    def _settle(self, engine: Engine) -> None:
        jobs = (f'[jobs.{name}]\ncommand = "exec sleep {_SECONDS[name]}"\nautostart = true\n' for name in _NAMES)
        self._edit(_HEAD + "".join(jobs))
        ends = time.monotonic() + _ANSWER_SECONDS
        while not all(self._plain(engine, name) for name in _NAMES) and time.monotonic() < ends:
            time.sleep(0.05)
        services = engine._rooms._services
        assert services is not None
        for name in _NAMES:
            service = services._by_name[name]
            engine.restart(service.job.session_id if service.job is not None else service.id).result(_ANSWER_SECONDS)
        self.wrong += [f"{name} doesn't run" for name in _NAMES if services._by_name[name].standing != Standing.RUNNING]
        self._look(engine)

    def _plain(self, engine: Engine, name: str) -> bool:
        entry = engine.configuration.jobs.get(name)
        return entry is not None and entry.command == f"exec sleep {_SECONDS[name]}" and not entry.after

    def _jobs(self) -> str:
        text = _HEAD
        for number, name in enumerate(_NAMES):
            if self._chance.random() < 0.12:
                continue
            stays = f"sleep {_SECONDS[name]}"
            command, ready = self._chance.choice(
                (
                    (f"exec {stays}", ""),
                    ("exit 0", "ready = { exit = 0 }\n"),
                    ("sleep 0.05; exit 1", ""),
                    (f"echo up; exec {stays}", 'ready = { line = "up" }\n'),
                    (f"trap '' TERM; {stays}; {stays}", ""),
                )
            )
            after = [other for other in _NAMES[:number] if self._chance.random() < 0.3]
            text += f'[jobs.{name}]\ncommand = """{command}"""\n{ready}after = {after}\n'
            text += f'restart = "{self._chance.choice(("never", "on-failure", "always"))}"\n'
            text += f"backoff = {self._chance.choice((0, 0.05, 0.2))}\n"
            text += "autostart = true\n" if self._chance.random() < 0.7 else ""
            text += 'restart_on_change = ["src/**/*.py"]\n' if self._chance.random() < 0.4 else ""
        return text

    def _edit(self, text: str) -> None:
        (self._folder / "new").write_text(text)
        (self._folder / "new").rename(self._folder / "jobdeck.toml")


def main() -> int:
    """Round after round, each with a seed of its own; 1 at the first that fails."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=2.0)
    options.add_argument("--seed", type=int, default=int(time.time()))
    given = options.parse_args()
    seed, ends = given.seed, time.monotonic() + given.minutes * 60
    while time.monotonic() < ends:
        with tempfile.TemporaryDirectory(prefix="jobdeck-fuzz-") as home:
            (Path(home) / "project").mkdir()
            os.environ.update(JOBDECK_HOME=f"{home}/home", XDG_CONFIG_HOME=f"{home}/user")
            one = Round(seed, Path(home) / "project")
            one.run(10.0)
            os.chdir("/")
        sys.stdout.write(f"seed {seed}: {'well' if not one.wrong else '; '.join(one.wrong[:5])}\n")
        if one.wrong:
            return 1
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
