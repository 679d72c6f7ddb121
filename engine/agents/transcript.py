"""The live transcript of one child: a file that is there before its agent prints, one line an event (spec 4.6).

Written on the writer's thread, one append under way at a time, and only then the job's output is asked for more: so a
slow disk costs bounded memory, and a dead one nothing but the transcript.
"""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from engine.output.cleaning import clean
from engine.output.viewer import Viewer
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.tails import shown_in_pane
from engine.replay import Chunk, OutputEnd, Replay, StreamItem

USER, AGENT, SYSTEM = "user", "agent", "system"
_LINE_CHARS = 4_000
_PARTIAL_CHARS = 16_384
"""A line that goes on for longer is written in parts."""
_QUIET_SECONDS = 0.5
"""An unfinished line that is quiet for so long is written as it is: a question."""
_BREAK = " ⏎ "
_WITHHELD = "[withheld: it can't be told what in it is secret]"


def event_line(role: str, text: str, at: float) -> str:
    """One event: ``HH:MM:SS role | text``."""
    return f"{time.strftime('%H:%M:%S', time.localtime(at))} {role} | {text}\n"


def said(text: str) -> str:
    """What somebody said, on one line, redacted; withheld if that can't be done."""
    try:
        masked = redact(clean(text, _LINE_CHARS))
    except Exception:  # noqa: BLE001  whatever is wrong with the redactor, nothing may get past it
        return _WITHHELD
    return _BREAK.join(line.rstrip() for line in masked.strip().split("\n"))


class Transcript:
    """One child's. On the engine's loop; what is written goes through ``registry.writer``."""

    def __init__(self, registry: Registry, path: Path, on_trouble: Callable[[OSError], None]) -> None:
        self.path = path
        self.closed = asyncio.Event()
        """Its last line is written, or can't be."""
        self._registry = registry
        self._on_trouble = on_trouble
        self._waiting: list[str] = []
        self._writing = False
        self._chars = 0
        self._viewer: Viewer | None = None
        self._owed = False
        """The viewer has delivered an item and has no credit for the next."""
        self._partial = ""
        self._quiet: asyncio.TimerHandle | None = None
        self._reveals = False
        self._withheld = False
        self._over = True
        """No output comes (any more)."""
        self._last = ""

    def say(self, role: str, text: str) -> None:
        """One event that isn't output."""
        self._put(event_line(role, said(text), time.time()))

    def follow(self, job: Job) -> None:
        """Write down what the job prints, from its beginning."""
        self._over, self._reveals = False, job.reveals

        def mask(start: int, end: int) -> str:
            if not self._withheld:
                try:
                    return shown_in_pane(job, start, end)
                except Exception as error:  # noqa: BLE001  nothing may get past a redactor that fails
                    self._withhold(error)
            return "\n" * (end - start)

        try:
            self._viewer = job.stream.view(None, self._take, mask)
        except Exception as error:  # noqa: BLE001  likewise
            self._over = True
            self._withhold(error)
        self._go_on()

    def end(self, why: str) -> None:
        """The last line, once all output is written: why it ended."""
        self._last = why
        self._finish()

    # Output

    def _take(self, item: StreamItem) -> None:
        match item:
            case Replay():
                text = "".join(item.pieces)
                if item.base is not None and item.start:
                    self._put(
                        event_line(SYSTEM, f"{item.start:,} characters before this are no longer kept", time.time())
                    )
            case Chunk():
                text = item.text
            case OutputEnd():
                self._over = True
                self._flush_partial()
                self._finish()
                return
        self._owed = True
        self._heard(text)
        self._go_on()

    def _heard(self, text: str) -> None:
        if self._quiet is not None:
            self._quiet.cancel()
            self._quiet = None
        if self._withheld:
            self._partial = ""
            return
        whole, newline, self._partial = (self._partial + text).rpartition("\n")
        if len(self._partial) > _PARTIAL_CHARS:
            whole, newline, self._partial = whole + newline + self._partial, "\n", ""
        if newline:
            self._lines(whole)
        if self._partial:
            self._quiet = self._registry.loop.call_later(_QUIET_SECONDS, self._flush_partial)

    def _flush_partial(self) -> None:
        if self._quiet is not None:
            self._quiet.cancel()
            self._quiet = None
        partial, self._partial = self._partial, ""
        if partial and not self._withheld:
            self._lines(partial)

    def _lines(self, text: str) -> None:
        most = self._registry.settings.transcript_chars
        if self._chars > most:
            return
        try:
            # Once more when it is cleaned: what overwrites may bring together what stood apart.
            shown = redact(clean(text, _LINE_CHARS), assignments=self._reveals)
        except Exception as error:  # noqa: BLE001  nothing may get past a redactor that fails
            self._withhold(error)
            return
        now = time.time()
        lines = [event_line(AGENT, line.rstrip(), now) for line in shown.split("\n") if line.strip()]
        self._chars += sum(map(len, lines))
        if self._chars > most:
            lines.append(event_line(SYSTEM, f"more than {most:,} characters: the rest is in its job's output", now))
        self._put("".join(lines))

    def _withhold(self, error: Exception) -> None:
        self._withheld = True
        self._partial = ""
        self._put(event_line(SYSTEM, "output is withheld: it can't be told what in it is secret", time.time()))
        self._registry.trouble(f"the transcript {self.path} is withheld from here on: the redactor failed", error)

    # Writing

    def _finish(self) -> None:
        if self._last and self._over:
            self._put(event_line(SYSTEM, said(self._last), time.time()))
            self._last = ""
            self._viewer = None
            if not self._writing:
                self.closed.set()

    def _put(self, text: str) -> None:
        if text:
            self._waiting.append(text)
        self._go_on()

    def _go_on(self) -> None:
        if self._writing:
            return
        if self._waiting:
            text, self._waiting = "".join(self._waiting), []
            self._writing = True
            done = self._registry.writer.run(lambda: append(self.path, text))
            done.add_done_callback(lambda _done: self._post(done.exception()))
        elif self._owed and self._viewer is not None:
            self._owed = False
            self._viewer.grant()

    def _post(self, error: BaseException | None) -> None:
        """On the writer's thread."""
        try:
            self._registry.loop.call_soon_threadsafe(self._written, error)
        except RuntimeError:
            return  # the engine has ended

    def _written(self, error: BaseException | None) -> None:
        self._writing = False
        if isinstance(error, OSError):
            self._on_trouble(error)
        self._go_on()
        if not self._writing and self._over and not self._last and self._viewer is None:
            self.closed.set()


def append(path: Path, text: str) -> None:
    """Add to a file of ours, which is made if it isn't there; never through a link.

    Raises:
        OSError: It can't be written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    with open(descriptor, "wb") as file:
        file.write(text.encode("utf-8", "replace"))
