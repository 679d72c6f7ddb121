"""Who looks elsewhere is told: what comes together in one, not too often, and not who looks here."""

import os
import time
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from engine.events import Completion, WatchHit
from engine.process.aside import aside
from tui.outside.desktop import Desktop
from tui.outside.terminal import chosen, sequence
from tui.outside.tmux import HOW_TO_ALLOW, passthrough
from tui.outside.ways import Ways
from tui.outside.wording import Gathered, Message

FRESH_SECONDS = 60.0
"""What is older was kept for a console that wasn't there; who opens one sees it there."""


class Here(Protocol):
    """The console, as far as ways lead out of it."""

    def ring(self) -> None:
        """Ring the terminal's bell."""

    def write_to_terminal(self, text: str) -> None:
        """Write a sequence to the host terminal."""

    def later(self, seconds: float, do: Callable[[], None]) -> object:
        """Do something then."""

    def beside(self, doing: Coroutine[Any, Any, None]) -> object:
        """Do something beside all else."""

    def say(self, text: str, *, severity: str = "information") -> None:
        """A toast."""


class Outside:
    """Gathers what is to be told outside and tells it. On the console's loop."""

    def __init__(self, here: Here) -> None:
        self.ways = Ways()
        self.focused: bool | None = None
        """Has the terminal the focus? None: it doesn't tell."""
        self._here = here
        self._gathered = Gathered()
        self._due = False
        self._told_at = float("-inf")
        self._desktop = Desktop()
        self._failed = ""
        """What was said of the desktop's program; said once."""
        self._asked_tmux = False

    def ends(self, ended: list[Completion]) -> None:
        """These ends were shown in a banner just now."""
        if ended and self.ways.bell_on_complete:
            self._here.ring()
        if not self._looks_here:
            self._gathered.ends += [end for end in ended if time.time() - end.exited_at < FRESH_SECONDS]
            self._soon()

    def hit(self, name: str, hit: WatchHit) -> None:
        """This hit is news; ``name`` is its job's."""
        if self.ways.bell_on_hit:
            self._here.ring()
        if not self._looks_here and time.time() - hit.at < FRESH_SECONDS:
            self._gathered.hits.append((name, hit))
            self._soon()

    def other(self, text: str, *, failed: bool) -> None:
        """Something else that was waited for has happened."""
        if not self._looks_here:
            self._gathered.others.append((text, failed))
            self._soon()

    def focus(self, here: bool) -> None:
        """The terminal says that it has got the focus, or lost it."""
        self.focused = here

    def reports_focus(self) -> None:
        """The terminal says that it will tell. Whoever has started us in it looks here until then."""
        if self.focused is None:
            self.focused = True

    def close(self) -> None:
        """The console ends."""
        self._gathered = Gathered()
        self._desktop.close()

    @property
    def _looks_here(self) -> bool:
        return bool(self.focused) and not self.ways.focused

    def _soon(self) -> None:
        if not self.ways.leads_out:
            self._gathered = Gathered()
        elif self._gathered and not self._due:
            self._due = True
            rest = self._told_at + self.ways.interval_seconds - time.monotonic()
            self._here.later(max(self.ways.gather_seconds, rest), self._tell)

    def _tell(self) -> None:
        self._due = False
        gathered, self._gathered = self._gathered, Gathered()
        if not gathered or self._looks_here:
            return  # who has come back has it before his eyes
        if self._desktop.busy:
            self._gathered, self._due = gathered, True
            self._here.later(max(self.ways.gather_seconds, self.ways.interval_seconds), self._tell)
            return
        self._told_at = time.monotonic()
        message = gathered.message()
        way, in_tmux = chosen(self.ways.terminal, os.environ), bool(os.environ.get("TMUX"))
        if way:
            self._here.write_to_terminal(sequence(way, message, in_tmux=in_tmux))
        asks = bool(way) and in_tmux and not self._asked_tmux
        self._asked_tmux = self._asked_tmux or asks
        self._desktop.busy = self.ways.desktop
        if asks or self.ways.desktop:
            self._here.beside(self._see_to(message, asks=asks, desktop=self.ways.desktop))

    async def _see_to(self, message: Message, *, asks: bool, desktop: bool) -> None:
        """Tell the desktop, and ask tmux whether it lets by what it was given; what fails is said once, in one."""
        troubles = []
        if desktop:
            why = await self._desktop.tell(message)
            troubles = [why] if why and why != self._failed else []
            self._failed = why
        if asks and await aside("tmux", lambda: passthrough(os.environ)) == "off":
            troubles.append(f"tmux holds the terminal's notifications back: {HOW_TO_ALLOW}")
        if troubles:
            self._here.say("\n".join(troubles), severity="warning")
