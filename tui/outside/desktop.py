"""The desktop's notifications, by the program ``notify-send``: off the loop, one at a time, never waited for long."""

import html
import subprocess
from collections.abc import Sequence

from engine.process.aside import aside
from tui.outside.wording import Message

PROGRAM = "notify-send"
PATIENCE_SECONDS = 5.0
"""What it may take; one that waits for a desktop that isn't there would wait much longer."""
_NO_DESKTOP = "is there a desktop here? If not, set notifications_desktop to false"
HOW_TO_GET = "install it (Debian: apt install libnotify-bin), or set notifications_desktop to false"


def words(message: Message) -> list[str]:
    """The program and its exact arguments."""
    # The body is markup to desktops, and the program makes line ends of `\n` in it.
    body = html.escape(message.body, quote=False).replace("\\", "\\\\")
    urgency = "critical" if message.urgent else "normal"
    return [PROGRAM, "--app-name=jobdeck", f"--urgency={urgency}", "--", message.title, body]


class Desktop:
    """Starts the program. On the console's loop."""

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        self._patience = patience
        self.busy = False
        """It runs: what comes meanwhile is told with the next."""
        self._program: subprocess.Popen[bytes] | None = None
        self._closed = False

    async def tell(self, message: Message) -> str:
        """Tell it. What went wrong and what to do, in words; empty where nothing did."""
        self.busy = True
        try:
            return await aside("notify-send", lambda: self._run(words(message)))
        except FileNotFoundError:
            return f"{PROGRAM} isn't there, so the desktop tells nothing: {HOW_TO_GET}"
        except OSError as error:
            return f"{PROGRAM} can't be started ({error.strerror or error}): see to that, or {HOW_TO_GET}"
        finally:
            self.busy = False

    def close(self) -> None:
        """The console ends: it is waited for no longer, nor if it is just being started."""
        self._closed = True
        if self._program is not None and self._program.poll() is None:
            self._program.kill()

    def _run(self, argv: Sequence[str]) -> str:
        # Without pipes: who it leaves behind would hold them open.
        program = self._program = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if self._closed:
            program.kill()
        try:
            code = program.wait(self._patience)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
            return f"{PROGRAM} has not ended in {self._patience:g} seconds: {_NO_DESKTOP}"
        return f"{PROGRAM} failed (exit {code}): {_NO_DESKTOP}" if code else ""
