"""Files of other programs, taken over and run: each job prints what its own program would have given it."""

from pathlib import Path

import pytest
from file_jobs import Run

from engine.config.importing.files import as_toml, read_foreign

SAYS = 'echo "$(basename "$PWD") $A $PORT $PC_REPLICA_NUM $(helper 2>/dev/null)"'

FILES = {
    "Procfile": (f"web: {SAYS}\nworker: {SAYS}\n", {"web": "project dot 5000  ", "worker": "project dot 5100  "}),
    "mprocs.yaml": (
        f"procs:\n  one:\n    shell: '{SAYS}'\n    cwd: <CONFIG_DIR>/sub\n"
        "    env: {A: own, PORT: null}\n    add_path: ../bin\n"
        "  two:\n    cmd: [printf, '%s,', 'a b', '$A']\n",
        {"one": "sub own   helped", "two": "a b,$A,"},
    ),
    "dekit.yaml": (
        "defaults: {env: {A: all}}\ntasks:\n  db:\n    cmd: [sh, -c, 'echo there; exec sleep 7421']\n"
        "    ready: {log: there}\n  once: {type: job, cmd: 'true'}\n"
        f"  api:\n    cmd: [sh, -c, '{SAYS}']\n    deps: [db, once]\n    autostart: true\n    add_path: [bin]\n"
        "    cwd: sub\n",
        {"db": "there", "api": "sub all   helped"},
    ),
    "process-compose.yaml": (
        f"environment: ['A=all']\nprocesses:\n  w:\n    command: '{SAYS.replace('$', '$$')}'\n    replicas: 2\n"
        f"    environment: ['PORT=7']\n  last:\n    command: echo $$A\n    depends_on:\n"
        "      w: {condition: process_completed_successfully}\n",
        {"w-0": "project all 7 0 ", "w-1": "project all 7 1 ", "last": "all"},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_what_runs_is_what_its_own_program_would_run(run: Run, folder: Path, name: str) -> None:
    (folder / "sub").mkdir()
    (folder / "bin").mkdir()
    (folder / "bin" / "helper").write_text("#!/bin/sh\necho helped\n")
    (folder / "bin" / "helper").chmod(0o755)
    if name == "Procfile":
        (folder / ".env").write_text("A=dot\n")
    text, expected = FILES[name]
    (folder / name).write_text(text)
    jobs = run(as_toml([read_foreign(folder / name)]))
    for job, line in expected.items():
        jobs.until(job, lambda row, line=line: row.last_line == line.strip())  # type: ignore[misc]
