"""Who comes back after its engine was killed is told all it missed, once (spec 2.2, 3.5, 4.3)."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from command_line import hosting
from waiting import PATIENCE, wait_until

from engine import JobSpec
from engine.events import Completion
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello


@contextmanager
def killed_host() -> Iterator[Path]:
    """``jobdeck serve``, killed at the end as a crash does; its socket."""
    with hosting() as (host, path):
        try:
            yield path
        finally:
            host.kill()
            host.wait()


def runs_on_disk(session_id: str) -> bool:
    """Does the checkpoint say that it runs?"""
    checkpoint = Path(os.environ["JOBDECK_HOME"]) / "processes.json"
    return checkpoint.exists() and session_id in checkpoint.read_text()


def letters_to(owner: str) -> list[object]:
    """What waits on the disk for this conversation."""
    found = []
    for file in (Path(os.environ["JOBDECK_HOME"]) / "notices").glob("*.json"):
        with suppress(FileNotFoundError):  # it was taken away meanwhile
            found += [one for one in json.loads(file.read_bytes())["letters"] if one["owner"] == owner]
    return found


def hello(**who: str) -> Hello:
    return Hello(version=1, **who)  # type: ignore[arg-type]


def test_by_its_token_and_by_continuing(tmp_path: Path) -> None:
    go = tmp_path / "go"
    with killed_host() as path, RemoteEngine(path, hello()) as first:
        token = first.token
        over = first.spawn(JobSpec(command="echo over", notify_on_complete=True, persist_on_release=False)).result()
        line = f"until [ -e '{go}' ]; do sleep 0.05; done; exit 3"
        goes_on = first.spawn(JobSpec(command=line, notify_on_complete=True)).result()
        wait_until(lambda: first.results().result().results, what="the receipt of the first")
        assert first.has_any_active().result().active
    go.touch()  # it ends under its holder, with no engine there
    with killed_host() as path, RemoteEngine(path, hello(token=token)) as back:
        feed = back.notices()
        told = [feed.next(PATIENCE), feed.next(PATIENCE)]
        ends = {one.session_id: one.exit_code for one in told if isinstance(one, Completion)}
        assert ends == {over.session_id: 0, goes_on.session_id: 3}
        # What was taken is off the disk before this engine dies: else it might rightly come again.
        wait_until(lambda: not runs_on_disk(goes_on.session_id), what="the checkpoint to forget it")
        wait_until(lambda: not letters_to(back.conversation), what="the acknowledgements to be on the disk")
        feed.close()
    with killed_host() as path, RemoteEngine(path, hello(token=token)) as missed:
        third = missed.spawn(JobSpec(command="exit 4", notify_on_complete=True, persist_on_release=False)).result()
        wait_until(lambda: len(missed.results().result().results) == 3, what="the receipt of the third")
    with killed_host() as path, RemoteEngine(path, hello(continues=token)) as heir:
        ids = {one.session_id for one in (over, goes_on, third)}
        assert {row.session_id for row in heir.results().result().results} == ids
        feed = heir.notices()
        own = heir.spawn(JobSpec(command="true", notify_on_complete=True, persist_on_release=False)).result()
        told = [feed.next(PATIENCE), feed.next(PATIENCE)]
        assert {one.session_id for one in told if isinstance(one, Completion)} == {third.session_id, own.session_id}
        assert feed.take() == []
