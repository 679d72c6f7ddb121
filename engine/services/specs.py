"""From a job of the file to what is started."""

from pathlib import Path

from engine.config.entries import JobEntry
from engine.services.env_files import read_env_file
from engine.spec import JobSpec

_STARTED_AS = (
    "command", "argv", "cwd", "env", "env_file", "pty", "stdin", "watch_patterns", "heartbeat_seconds",
    "notify_on_complete", "tags", "persist", "kill_order", "host",
)  # fmt: skip
"""What of an entry a run is made of; all else says when it is started, and when again."""


def runs_otherwise(one: JobEntry, other: JobEntry) -> bool:
    """Would a run of one be started as something else than a run of the other?"""
    return any(getattr(one, name) != getattr(other, name) for name in _STARTED_AS)


def spec_of(name: str, entry: JobEntry, folder: Path) -> JobSpec:
    """What is to be started now. Its environment files are read, which may block.

    Raises:
        SpecError: An environment file can't be read.
    """
    env: dict[str, str | None] = {}
    for file in entry.env_files:
        env |= read_env_file(folder / Path(file).expanduser())
    env |= {key: None if value is False else str(value) for key, value in entry.env.items()}
    return JobSpec(
        command=entry.command or None,
        argv=entry.argv or None,
        name=name,
        tags=entry.tags,
        cwd=(entry.cwd or None) if entry.host else str(folder / Path(entry.cwd).expanduser()),
        env=env,
        pty=entry.pty,
        stdin=entry.stdin,
        host=entry.host,
        kill_order=entry.kill_order,
        notify_on_complete=entry.notify_on_complete,
        watch_patterns=entry.watch_patterns,
        heartbeat_seconds=entry.heartbeat_seconds,
        persist_on_release=entry.persist,
    )
