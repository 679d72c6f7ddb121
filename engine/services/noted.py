"""What the jobdeck that has the jobs of a file leaves for the next one, on the disk: ``job_….json`` in the home."""

from pathlib import Path

import msgspec

from engine.process.identity import Identity, is_alive
from engine.store.files import FileTrouble, read_or_set_aside


class Noted(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file's jobs, as far as neither the file nor receipts and checkpoint tell."""

    host: Identity | None = None
    """Who has them; None once that one has let go of them."""
    boot: str = ""
    """In which run of the machine ``host`` is one."""
    stopped: tuple[str, ...] = ()
    """By hand: who takes them over leaves these alone, who begins anew doesn't."""
    ready: tuple[str, ...] = ()
    """Runs that outlive their engine and were ready already, by id."""
    slots: dict[str, str] = {}
    """The places of jobs that were called otherwise when they came into the file."""

    def lives(self, boot: str) -> bool:
        """Is the process that has them still there?"""
        return self.host is not None and self.boot == boot and is_alive(self.host)


def read_noted(path: Path, report: FileTrouble) -> Noted:
    """What the last one left; nothing where there was none. Blocks: not for the loop.

    Raises:
        OSError: The disk fails.
    """

    def parse(data: bytes) -> Noted:
        try:
            return msgspec.json.decode(data, type=Noted)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ValueError(str(error)) from error

    return read_or_set_aside(path, parse, report) or Noted()
