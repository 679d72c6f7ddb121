"""Nothing starts a child that could outlive us but what registers it: no other detached spawn is in the code."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARKER = re.compile(r"#\s*detached-spawn: ok, \S.*")
DETACHING_ARGUMENTS = {"start_new_session", "process_group", "setsid", "setpgroup", "preexec_fn", "creationflags"}
DETACHING_CALLS = {"setsid", "setpgid", "setpgrp", "fork", "forkpty", "daemon", "fork_exec"}
DETACHING_WORDS = re.compile(r"\b(setsid|nohup|disown|daemonize)\b")


def detached_spawns(source: str) -> list[int]:
    """The lines that detach a child without a marker that says why."""
    lines = source.splitlines()
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg in DETACHING_ARGUMENTS:
            off = isinstance(node.value, ast.Constant) and (node.value.value is False or node.value.value is None)
            detaches = not off
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            words = [word.value for word in ast.walk(node) if isinstance(word, ast.Constant)]
            spawns = re.search(r"Popen|spawn|run|system|exec", called) is not None
            detaches = called in DETACHING_CALLS or (
                spawns and any(isinstance(word, str) and DETACHING_WORDS.search(word) for word in words)
            )
        else:
            continue
        if detaches and not any(MARKER.search(line) for line in lines[max(0, node.lineno - 2) : node.lineno]):
            found.append(node.lineno)
    return sorted(set(found))


@pytest.mark.parametrize("room", ["engine", "tui"])
def test_every_detached_spawn_says_why_it_may(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for line in detached_spawns(path.read_text())
    ]
    assert found == [], "start it with spawn_owned, or mark the line: # detached-spawn: ok, REASON"


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ("subprocess.Popen(words, start_new_session=True)", True),
        ("subprocess.Popen(words, start_new_session=False)", False),
        ("subprocess.Popen(words, process_group=0)", True),
        ("os.posix_spawn(path, words, env, setsid=True)", True),
        ("os.posix_spawn(path, words, env, setsid=True)  # detached-spawn: ok, it registers itself", False),
        ("os.posix_spawn(path, words, env, setsid=True)  # detached-spawn: ok", True),
        ("os.setsid()", True),
        ("os.fork()", True),
        ("subprocess.run(['setsid', 'sleep', '9'])", True),
        ("subprocess.run('nohup sleep 9 &', shell=True)", True),
        ("subprocess.run(['sleep', '9'])", False),
    ],
)
def test_the_walk_sees_what_it_is_there_for(line: str, caught: bool) -> None:
    assert bool(detached_spawns(f"import os, subprocess\n{line}\n")) is caught
