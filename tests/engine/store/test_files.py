"""State on disk: whole or untouched, never silently empty, one holder of a lock (spec 3)."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from engine.store.files import read_whole, sweep, write_whole
from engine.store.lock import FileLock
from engine.store.writer import Writer


def test_a_file_is_private_and_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two" and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.parametrize("broken", ["write", "fsync", "replace"])
def test_a_failure_at_any_point_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    path = tmp_path / "state.json"
    write_whole(path, b"before")

    def full(*_args: object, **_kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if broken == "write":
            patch.setattr("builtins.open", _FullFile)
        else:
            patch.setattr(os if broken == "fsync" else Path, broken, full)
        with pytest.raises(OSError, match="No space left"):
            write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]


class _FullFile:
    def __init__(self, descriptor: int, _mode: str) -> None:
        self._descriptor = descriptor

    def __enter__(self) -> "_FullFile":
        return self

    def __exit__(self, *_exc: object) -> None:
        os.close(self._descriptor)

    def write(self, _data: bytes) -> None:
        raise OSError(28, "No space left on device")


def test_killed_at_any_moment_a_reader_sees_old_or_new(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    script = """
import sys, itertools
from pathlib import Path
from engine.store.files import write_whole
for n in itertools.count():
    write_whole(Path(sys.argv[1]), str(n % 10).encode() * 200_000)
"""
    for _round in range(10):
        writer = subprocess.Popen([sys.executable, "-c", script, str(path)])
        wait_until(path.exists)
        seen: set[bytes] = set()
        while len(seen) < 5:
            data = path.read_bytes()
            assert len(data) == 200_000 and len(set(data)) == 1
            seen.add(data[:1])
        writer.kill()
        writer.wait()
        data = path.read_bytes()
        assert len(data) == 200_000 and len(set(data)) == 1
    sweep(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]


def test_what_can_not_be_parsed_is_kept_aside_and_told(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    told: list[str] = []
    assert read_whole(path, int, told.append) is None and told == []
    for text in (b"12", b"rubbish", b"more rubbish"):
        path.write_bytes(text)
        assert read_whole(path, int, told.append) == (12 if text == b"12" else None)
    aside = sorted(tmp_path.glob("state.json.corrupt-*"), key=lambda one: one.read_bytes())
    assert [one.read_bytes() for one in aside] == [b"more rubbish", b"rubbish"]
    assert len(told) == 2 and all("corrupt-" in line for line in told) and not path.exists()


def test_a_lock_has_one_holder_and_its_death_frees_it(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    script = """
import sys, time
from pathlib import Path
from engine.store.lock import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(5), flush=True)
time.sleep(600)
"""
    holder = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdout.readline() == b"True\n"
    lock = FileLock(path)
    assert not lock.acquire()
    assert not lock.acquire(0.05)
    threading.Timer(0.1, holder.kill).start()
    assert lock.acquire(PATIENCE)
    holder.communicate()
    assert not FileLock(path).acquire()
    lock.release()
    lock.release()
    assert FileLock(path).acquire()


def test_the_writer_writes_the_latest_and_tells_when_it_is_there(tmp_path: Path) -> None:
    told: list[str] = []
    writer = Writer(lambda text, _error: told.append(text))
    path = tmp_path / "folder" / "state.json"
    futures = [writer.save(path, str(number).encode()) for number in range(500)]
    futures[-1].result()
    assert all(future.done() for future in futures) and path.read_bytes() == b"499"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    writer.save(path, None).result()
    assert not path.exists()
    assert writer.close(PATIENCE) and told == []


def test_what_can_not_be_written_is_kept_and_written_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.writer._AGAIN_SECONDS", 0.02)
    told: list[str] = []
    writer = Writer(lambda text, _error: told.append(text))
    blocked = tmp_path / "folder"
    blocked.write_text("a file where the folder should be")
    first = writer.save(blocked / "state.json", b"first")
    with pytest.raises(OSError):
        first.result()
    with pytest.raises(OSError):
        writer.save(blocked / "state.json", b"second").result()
    writer.save(tmp_path / "other.json", b"other").result()
    assert len(told) == 1 and "can't be saved" in told[0]
    blocked.unlink()
    assert writer.flush(PATIENCE) and (blocked / "state.json").read_bytes() == b"second"
    assert writer.close(PATIENCE)
    assert len(told) == 2 and "saved again" in told[1]


def test_that_nothing_had_to_be_written_shows_nothing_of_the_disk(tmp_path: Path) -> None:
    told: list[str] = []
    writer = Writer(lambda text, _error: told.append(text))

    def fails() -> None:
        raise OSError(28, "No space left on device")

    for _ in range(3):
        with pytest.raises(OSError, match="No space left"):
            writer.perform(tmp_path / "notices", fails).result()
        writer.perform(tmp_path / "notices", lambda: False).result()
    assert len(told) == 1, told
    writer.save(tmp_path / "state.json", b"{}").result()
    assert writer.close(PATIENCE)
    assert len(told) == 2 and "saved again" in told[1]
