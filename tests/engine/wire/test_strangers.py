"""Other users get nothing out of an engine, and nothing of theirs is taken for one (spec 4.2)."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hosting import Hosting
from waiting import PATIENCE

from engine import Engine
from engine.store.home import HomeError
from engine.wire.address import run_folder, sockets
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello
from engine.wire.server import Server
from engine.wire.short import Short

NOBODY = 65_534
BECOMES = f"""
import os, socket, sys
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
"""
"""It starts as we are, since others may not be able to reach this Python."""
CONNECTS = """
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(30)
try:
    connection.connect(sys.argv[1])
except OSError as error:
    sys.exit(f"no way in: {error.strerror}")
try:
    connection.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"version": 1, "operator": true}}\\n')
    print("heard", connection.recv(1000))
except ConnectionError:
    print("heard", b"")
"""
LISTENS = """
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
listening.listen()
print("listening", flush=True)
print("heard", listening.accept()[0].recv(1000))
"""


def open_to_all(folder: Path) -> bool:
    return all(above.stat().st_mode & 0o001 for above in (folder, *folder.parents))


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user too")
needs_open_paths = pytest.mark.skipif(
    not open_to_all(Path(tempfile.gettempdir())), reason="other users can't reach the folder for temporary files"
)


def as_nobody(script: str, path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", BECOMES + script, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs_root
@needs_open_paths
def test_another_user_does_not_come_in_even_through_open_folders(open_folder: Path, tmp_path: Path) -> None:
    # A home is closed to others again with each file that is written into it; its run folder is elsewhere here.
    env = {"JOBDECK_HOME": str(tmp_path / ("long" * 30)), "XDG_RUNTIME_DIR": str(open_folder)}
    with Hosting(env=env) as hosting, hosting.operator() as good:
        assert hosting.path.parent.parent == open_folder
        out, err = as_nobody(CONNECTS, hosting.path).communicate(timeout=PATIENCE)
        assert (out, err.strip()) == ("", "no way in: Permission denied")
        hosting.path.parent.chmod(0o755)
        hosting.path.chmod(0o666)
        strangers = [as_nobody(CONNECTS, hosting.path) for _ in range(3)]
        for stranger in strangers:
            assert stranger.communicate(timeout=PATIENCE) == ("heard b''\n", "")
        assert good.list().result().processes == ()
        with Short(hosting.path, {"operator": True}, PATIENCE) as another:
            assert another.ask("list", {})["processes"] == []


@needs_root
@needs_open_paths
@pytest.mark.parametrize(
    "connect",
    [lambda path: RemoteEngine(path, Hello(version=1, operator=True)), lambda path: Short(path, {"operator": True})],
)
def test_nothing_is_said_to_a_socket_of_another_user(connect: Callable[[Path], object], open_folder: Path) -> None:
    path = open_folder / "serve-1-abcd.sock"
    trap = as_nobody(LISTENS, path)
    assert trap.stdout is not None and trap.stdout.readline() == "listening\n"
    with pytest.raises(PermissionError, match="another user's"):
        connect(path)
    assert trap.communicate(timeout=PATIENCE) == ("heard b''\n", "")


def refused(engine: Engine, home: Path) -> None:
    """The run folder is used for nothing, in words, and nothing comes into being in it."""
    there = set(run_folder().iterdir())
    for use in (lambda: Server(engine, "test"), sockets):
        with pytest.raises(HomeError, match="link or not yours"):
            use()
    for verb in (["serve"], ["list"], ["start", "--", "true"]):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "tui.cli.main", *verb],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 1 and "link or not yours" in done.stderr, (verb, done)
    assert set(run_folder().iterdir()) == there


def test_a_run_folder_that_is_a_link_is_refused(engine: Engine, home: Path, tmp_path: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "run").symlink_to(tmp_path)
    refused(engine, home)


@needs_root
def test_a_run_folder_of_another_user_is_refused(engine: Engine, home: Path) -> None:
    (home / "run").mkdir(parents=True, mode=0o700)
    os.chown(home / "run", NOBODY, NOBODY)
    refused(engine, home)


def test_the_short_folder_of_a_long_home_is_looked_at_as_closely(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / ("long" * 30)
    monkeypatch.setenv("JOBDECK_HOME", str(home))
    runtime = Path(f"/tmp/jobdeck-test-{os.getpid()}")
    runtime.mkdir(mode=0o700)
    try:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        assert run_folder().parent == runtime
        (runtime / "elsewhere").mkdir()
        run_folder().symlink_to(runtime / "elsewhere")
        refused(engine, home)
        run_folder().unlink()
        with Server(engine, "test") as server:
            assert server.path.parent == run_folder() and sockets() == [server.path]
    finally:
        subprocess.run(["rm", "-r", str(runtime)], check=True)


def test_a_run_folder_that_others_could_enter_is_closed_to_them(engine: Engine, home: Path) -> None:
    (home / "run").mkdir(parents=True)
    (home / "run").chmod(0o777)
    with Server(engine, "test") as server:
        assert server.path.parent.stat().st_mode & 0o777 == 0o700


@pytest.fixture
def home() -> Path:
    """This test's, which isn't made yet."""
    path = Path(os.environ["JOBDECK_HOME"])
    for entry in path.iterdir():
        entry.rename(path.with_name(f"{path.name}-{entry.name}"))
    path.rmdir()
    return path


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may use."""
    with tempfile.TemporaryDirectory(prefix="jobdeck-open-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)
