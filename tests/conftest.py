"""For every test: a home of its own, and the proof that it leaves no process behind; and who can't be ended."""

import gc
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from freezing import Freezer, made
from hypothesis import HealthCheck, settings
from orphans import as_init, descendants, end_leftovers
from waiting import PATIENCE

# The same code gets the same answer: no example is new on the day of a landing, and none fails for a machine's slowness
# (`make fuzz` looks for new ones).
settings.register_profile("jobdeck", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("jobdeck")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No file, job or conversation of the developer's own jobdeck can leak into a test, or back."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("JOBDECK_")]:
            patch.delenv(name)
        patch.setenv("JOBDECK_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        for name in ("LC_ALL", "LC_CTYPE"):  # programs in panes are to print what a test says they print
            patch.delenv(name, raising=False)
        patch.delenv("PYTHONUNBUFFERED", raising=False)  # images for containers set it, people don't have it
        patch.setenv("LANG", "C.UTF-8")
        patch.setenv("SHELL", "/bin/bash")  # whose lines the tests' jobs are; where none is set they would be dash's
        patch.setenv("JOBDECK_ON_HANGUP", "kill")  # a test's terminals are ended with all that runs in them
        # A disk that is only slow, as those of busy machines are, isn't one that hangs; it would be told to consoles.
        patch.setattr("engine.registry.leasing._ANSWER_SECONDS", PATIENCE)
        yield


@pytest.fixture(autouse=True)
def _home_of_this_test(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test's jobs leave on the disk is nobody else's to find."""
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="session", autouse=True)
def _default_signals() -> Iterator[None]:
    """A shell starts what it puts in the background with Ctrl-C and Ctrl-\\ ignored, and children inherit that."""
    usual: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGQUIT: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _init_of_all_tests() -> Iterator[None]:
    """Orphans become our children, and fixtures wider than a test leave no process either."""
    before = descendants()
    with as_init():
        yield
        _fail_on(end_leftovers(before), "the session's fixtures")


@pytest.fixture(autouse=True)
def _no_process_left(_init_of_all_tests: None, request: pytest.FixtureRequest) -> Iterator[None]:
    """A test and its fixtures end what they started, down to the last detached grandchild."""
    before: set[psutil.Process] = descendants()
    yield
    _fail_on(end_leftovers(before), request.node.nodeid)


@pytest.fixture
def no_fd_leak() -> Iterator[None]:
    """Each descriptor opened after this fixture is closed again: name it before the fixtures it watches."""
    before = _descriptors()
    yield
    gc.collect()
    ends = time.monotonic() + PATIENCE
    while (left := _descriptors().items() - before.items()) and time.monotonic() < ends:
        time.sleep(0.02)
    if left:
        pytest.fail("descriptors left open: " + ", ".join(f"{fd} → {target}" for fd, target in sorted(left)))


def _fail_on(left: list[str], who: str) -> None:
    if left:
        pytest.fail(f"{who} left processes alive (ended now):\n" + "\n".join(f"  {line}" for line in left))


def _descriptors() -> dict[int, str]:
    found: dict[int, str] = {}
    for entry in os.listdir("/proc/self/fd"):
        try:
            found[int(entry)] = str(Path(f"/proc/self/fd/{entry}").readlink())
        except OSError:  # the descriptor that listed the folder
            continue
    return found


@pytest.fixture
def freezer() -> Iterator[Freezer]:
    """A cgroup whose processes don't even die of KILL while it is frozen."""
    with made() as there:
        if there is None:
            pytest.skip("no freezer that is ours to use")
        yield there
