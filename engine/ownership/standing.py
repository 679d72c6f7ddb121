"""What is asked of a new holder, and how a holder says that its job stands."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from engine.ownership.holding import frames
from engine.ownership.holding.frames import frame
from engine.ownership.ledger import boot_id


class Standing(NamedTuple):
    """How a job stands, as its holder tells it; see `frames.STANDING`."""

    pid: int
    started: float
    holder_pid: int
    holder_started: float
    output_name: str
    cols: int
    rows: int
    end: int
    end_char: int
    end_feeds: int
    end_pending: bytes
    seen: int
    looked: int
    input: str
    input_waiting: int
    status: int | None
    exited_at: float
    story: bytes


def start_question(
    cwd: str,
    size: tuple[int, int] | None,
    *,
    stdin_pipe: bool,
    story: bytes,
    words: list[str],
    env: dict[str, str],
    way_in: Sequence[str] = (),
    seconds: float = 0.0,
) -> bytes:
    """The frame that asks a new holder to start a job behind its gate; ``way_in`` leads into its scope before that."""
    return frame(
        frames.START,
        os.fsencode(cwd),
        b"" if size is None else b"%d %d" % size,
        b"pipe" if stdin_pipe else b"",
        boot_id().encode(),
        story,
        seconds,
        len(way_in),
        len(words),
        *map(os.fsencode, (*way_in, *words)),
        *(os.fsencode(f"{name}={value}") for name, value in env.items()),
    )


def standing_of(fields: list[bytes]) -> Standing:
    """What the fields of such a frame say."""
    values = dict(zip(frames.STANDING, fields, strict=True))
    return Standing(
        pid=int(values["pid"]),
        started=float(values["started"]),
        holder_pid=int(values["holder_pid"]),
        holder_started=float(values["holder_started"]),
        output_name=values["output_name"].decode(),
        cols=int(values["cols"]),
        rows=int(values["rows"]),
        end=int(values["end"]),
        end_char=int(values["end_char"]),
        end_feeds=int(values["end_feeds"]),
        end_pending=values["end_pending"],
        seen=int(values["seen"]),
        looked=int(values["looked"]),
        input=values["input"].decode(),
        input_waiting=int(values["input_waiting"]),
        status=int(values["status"]) if values["status"] else None,
        exited_at=float(values["exited_at"]),
        story=values["story"],
    )
