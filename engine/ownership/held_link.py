"""A job under a holder as the registry sees it: like a child of ours, over the holder's socket (spec 3.4)."""

import asyncio
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from engine.config import Settings
from engine.ownership.calling import HolderError, why_it_ended
from engine.ownership.held import Held
from engine.ownership.held_input import HeldInput, HeldTerminal
from engine.ownership.held_output import HeldOutput
from engine.ownership.holding import frames
from engine.ownership.holding.folder import read_exit, remove_folder
from engine.ownership.holding.frames import Garbage, Line, frame
from engine.ownership.ledger import boot_id
from engine.ownership.standing import Standing, standing_of
from engine.process.doorway import ScopeError
from engine.process.identity import Identity, is_alive
from engine.process.terminal import Terminal

_SEEN_BYTES = 262_144
"""So much is read before the holder is told how far we are."""
_FLUSH_SECONDS = 2.0
_GOODBYE_SECONDS = 1.0


class Busy(Exception):
    """Another living engine has this job."""


class HeldLink:
    """See `ProcessLink`. Used on the loop alone; `ask` comes first."""

    identity: Identity
    standing: Standing

    def __init__(self, loop: asyncio.AbstractEventLoop, sock: socket.socket, folder: Path, settings: Settings) -> None:
        self.stdin: HeldInput | None = None
        self.terminal: Terminal | None = None
        self.exited_at: float | None = None
        self.closed = False
        """The job's end was seen to: nothing more is read."""
        self.gone = False
        """There is no holder to talk to any more."""
        self.on_lost: Callable[[], None] = lambda: None
        """Told when the holder has ended before the job."""
        self.looked: Callable[[], int] = lambda: -1
        """Up to which character the output has been looked at for somebody; -1: nobody wants that."""
        self.on_trouble: Callable[[str], None] = lambda _text: None
        self._loop = loop
        self._settings = settings
        self._folder = folder
        self._line = Line(sock)
        self._answer: asyncio.Future[Standing] | None = None
        self._flushed: asyncio.Future[None] | None = None
        self._status: int | None = None
        self._early_exit: tuple[int, float, int] | None = None
        """It exited before anybody watched."""
        self._on_exit: Callable[[], None] | None = None
        self._output = HeldOutput(
            loop,
            folder,
            settings.read_bytes,
            self._send,
            self._looked_until,
            self._tell_trouble,
        )
        self._story = b""
        self._telling: Callable[[], bytes] = lambda: self._story
        self._remembering: asyncio.Handle | None = None
        loop.add_reader(self._line.fileno(), self._ready)

    @property
    def held(self) -> Held:
        """Where it is found again."""
        standing = self.standing
        return Held(
            session_id=self._folder.name,
            holder_pid=standing.holder_pid,
            holder_start=standing.holder_started,
            pid=standing.pid,
            start_time=standing.started,
            boot=boot_id(),
        )

    async def ask(self, question: bytes, seconds: float) -> Standing:
        """Send the first frame, and take in how the job stands.

        Raises:
            Busy: Another engine has it.
            HolderError: The holder has ended, or doesn't answer.
            OSError: It can't start the job.
        """
        self._answer = self._loop.create_future()
        try:
            self._send(question)
            self.standing = await asyncio.wait_for(self._answer, seconds)
        except TimeoutError:
            self.let_go()
            raise HolderError(f"the job's holder hasn't answered for {seconds:g} s") from None
        except BaseException:
            self.let_go()
            raise
        finally:
            self._answer = None
        self._settle(self.standing)
        return self.standing

    def _settle(self, standing: Standing) -> None:
        self.identity = Identity(standing.pid, standing.started)
        self._output.begin_at(standing.end)
        self._story = standing.story
        if self._line.descriptors:
            master = self._line.descriptors.pop(0)
            self.terminal = HeldTerminal(standing.pid, master, standing.output_name, self._send)
        if standing.input != "none":
            self.stdin = HeldInput(self._send, self._settings.stdin_queue_bytes, standing.input_waiting)
            self.stdin.closed = standing.input == "closed"

    # -- what the registry asks for -----------------------------------------------------------------------------------

    def watch(self, on_bytes: Callable[[str, bytes], None], on_exit: Callable[[], None]) -> None:
        """See `ProcessLink`. From the byte on at which the standing was taken."""
        self._on_exit = on_exit
        self._output.start(lambda data: on_bytes("", data))
        if self.standing.status is not None:
            self._exited(self.standing.status, self.standing.exited_at, self.standing.end)
        elif self._early_exit is not None:
            self._exited(*self._early_exit)
        elif self.gone:
            self.on_lost()

    def run(self) -> None:
        """See `ProcessLink`."""
        if self.gone:
            raise BrokenPipeError(32, "the job's holder has ended")
        self._send(frame(frames.RUN))

    def cancel(self) -> None:
        """See `ProcessLink`. The holder sees that nobody is there, and ends with the job behind its gate."""
        self.closed = True
        self.let_go()

    def drain(self, most: int) -> None:
        """See `ProcessLink`."""
        self._output.drain(most)

    async def catch_up(self) -> None:
        """See `ProcessLink`. What was written is known to the holder, which says how much."""
        if self.gone or self.closed or self._flushed is not None:
            return
        self._flushed = self._loop.create_future()
        self._send(frame(frames.FLUSH))
        try:
            await asyncio.wait_for(self._flushed, _FLUSH_SECONDS)
        except TimeoutError:
            self.on_trouble("the holder of a job that ends doesn't answer: its last words may be missing")
        finally:
            self._flushed = None

    def reap(self) -> int:
        """See `ProcessLink`.

        Raises:
            ChildProcessError: Nobody has seen how it exited.
        """
        if self._status is None:
            raise ChildProcessError("the job's holder ended before the job")
        return self._status

    def reap_if_dead(self) -> None:
        """See `ProcessLink`. It isn't our child."""

    def output_names(self) -> set[str]:
        """See `ProcessLink`."""
        return {self.standing.output_name}

    def remember(self, story: Callable[[], bytes], *, now: bool = False) -> None:
        """See `ProcessLink`. Else it is said once in a step of the loop."""
        self._telling = story
        if now and not self.gone:
            self._tell_story()
        elif self._remembering is None and not self.gone:
            self._remembering = self._loop.call_soon(self._tell_story)

    def _tell_story(self) -> None:
        if self._remembering is not None:
            self._remembering.cancel()
            self._remembering = None
        told = self._telling()
        if told != self._story:
            self._story = told
            self._send(frame(frames.STORY, told))

    def close(self) -> None:
        """See `ProcessLink`. The holder still remembers the end, until it has been `collected`."""
        if not self.closed:
            self.closed = True
            self._stop()
            self._send(frame(frames.CLOSE))

    def collected(self) -> None:
        """See `ProcessLink`. A holder that is gone has left its folder to us."""
        if self.gone and not is_alive(self.held.holder):
            threading.Thread(target=remove_folder, args=(str(self._folder),), daemon=True).start()
        self._send(frame(frames.COLLECTED))
        self.let_go()

    def let_go(self) -> None:
        """See `ProcessLink`. Job and holder go on."""
        if self._remembering is not None:
            self._tell_story()
        self._stop()
        if not self.gone:
            self.gone = True
            self._loop.remove_reader(self._line.fileno())
            self._loop.remove_writer(self._line.fileno())
            if self._line.waits:
                self._line.sock.settimeout(_GOODBYE_SECONDS)
                self._line.flush()
            self._line.close()

    def forked(self) -> None:
        """See `ProcessLink`."""
        self._line.sock.close()

    def _looked_until(self) -> int:
        return self.looked()

    def _tell_trouble(self, text: str) -> None:
        self.on_trouble(text)

    def _stop(self) -> None:
        self._output.stop()
        if self.stdin is not None:
            self.stdin.closed = True
        if self.terminal is not None:
            self.terminal.close()
            self.terminal = None

    # -- the line -----------------------------------------------------------------------------------------------------

    def _send(self, data: bytes) -> None:
        if not self.gone:
            self._line.send(data)
            if self._line.waits:
                self._loop.add_writer(self._line.fileno(), self._flush)

    def _flush(self) -> None:
        if self._line.flush():
            self._loop.remove_writer(self._line.fileno())

    def _ready(self) -> None:
        try:
            found = self._line.receive()
            for kind, fields in found or ():
                self._take(kind, fields)
        except (Garbage, ValueError, IndexError) as error:
            self.on_trouble(f"a job's holder says what isn't understood ({error}); it is left alone")
            found = None
        if found is None and not self.gone:
            self._hung_up()

    def _take(self, kind: bytes, fields: list[bytes]) -> None:
        if kind == frames.MORE:
            self._output.more(int(fields[0]))
        elif kind == frames.DATA:
            start = int(fields[0])
            self._output.unwritten(start, fields[1])
        elif kind == frames.TAKEN and self.stdin is not None:
            self.stdin.taken(int(fields[0]))
        elif kind == frames.INPUT_CLOSED and self.stdin is not None:
            self.stdin.closed = True
        elif kind == frames.EXIT:
            self._exited(int(fields[0]), float(fields[1]), int(fields[2]))
        elif kind == frames.FLUSHED:
            self._output.more(int(fields[0]))
            if self._flushed is not None and not self._flushed.done():
                self._flushed.set_result(None)
        elif kind == frames.TROUBLE:
            self.on_trouble(fields[0].decode("utf-8", "replace"))
        elif self._answer is not None and not self._answer.done():
            self._answered(self._answer, kind, fields)

    @staticmethod
    def _answered(answer: "asyncio.Future[Standing]", kind: bytes, fields: list[bytes]) -> None:
        if kind in (frames.STARTED, frames.HELD):
            answer.set_result(standing_of(fields))
        elif kind == frames.BUSY:
            answer.set_exception(Busy())
        elif kind == frames.NO_SCOPE:
            answer.set_exception(ScopeError(fields[0].decode("utf-8", "replace")))
        elif kind == frames.FAILED:
            answer.set_exception(OSError(int(fields[0]), fields[1].decode("utf-8", "replace")))

    def _hung_up(self) -> None:
        """The holder is gone. Perhaps it has still noted how the job ended."""
        self.let_go()
        if self._flushed is not None and not self._flushed.done():
            self._flushed.set_result(None)
        if self._answer is not None:
            if not self._answer.done():
                why = why_it_ended(self._folder)
                self._answer.set_exception(HolderError("the job's holder has ended" + f": {why}" * bool(why)))
        elif self._status is None and self._early_exit is None and not self.closed:
            noted = read_exit(str(self._folder))
            if noted is not None:
                self._exited(*noted, self._output.end)
            elif self._on_exit is not None:
                self.on_lost()

    def _exited(self, status: int, at: float, end: int) -> None:
        self._output.more(end)
        if self._on_exit is None:
            self._early_exit = status, at, end
        elif self._status is None:
            self._status, self.exited_at = status, at
            self._on_exit()
