"""A job's pseudo-terminal: the master's size and modes. Reading and writing are the reader's and the stdin queue's."""

import os
import sys
import termios

from engine.process.descriptors import above_stdio

_IUTF8 = 0x4000


def open_terminal(cols: int, rows: int) -> tuple[int, str, int]:
    """A new terminal of that size: the master, the slave's name, and the slave, to be closed after the spawn.

    Raises:
        OSError: No terminal or descriptor left.
    """
    master, slave = (above_stdio(fd) for fd in os.openpty())
    try:
        termios.tcsetwinsize(slave, (rows, cols))
        if sys.platform.startswith("linux"):
            attributes = termios.tcgetattr(slave)
            attributes[0] |= _IUTF8  # Backspace in a cooked line takes a whole character
            termios.tcsetattr(slave, termios.TCSANOW, attributes)
        return master, os.ttyname(slave), slave
    except BaseException:
        os.close(master)
        os.close(slave)
        raise


class Terminal:
    """The master's side. Wraps ``ptyprocess`` for the size; it never waits for, ends or signals the child."""

    def __init__(self, pid: int, master: int, slave_name: str) -> None:
        from ptyprocess import PtyProcess  # 3 ms that only terminals need

        self.slave_name = slave_name
        self._pty = PtyProcess(pid, master)
        self._pty.delayafterclose = self._pty.delayafterterminate = 0

    @property
    def descriptor(self) -> int:
        """The master."""
        fd: int = self._pty.fd
        return fd

    def resize(self, cols: int, rows: int) -> None:
        """Set the size; the kernel sends SIGWINCH to the foreground group."""
        self._pty.setwinsize(rows, cols)

    @property
    def canonical(self) -> bool:
        """Does the terminal gather lines (cooked), or hand out every key (raw)?"""
        return bool(termios.tcgetattr(self.descriptor)[3] & termios.ICANON)

    @property
    def hides_input(self) -> bool:
        """Does it gather a line without showing it, as for a password?"""
        flags: int = termios.tcgetattr(self.descriptor)[3]
        return bool(flags & termios.ICANON) and not flags & termios.ECHO

    @property
    def end_of_file(self) -> bytes:
        """The character that means end-of-file in canonical mode (usually Ctrl-D)."""
        character: bytes = termios.tcgetattr(self.descriptor)[6][termios.VEOF]
        return character

    def mark_reaped(self, status: int) -> None:
        """The child has been reaped by its one reaper: ptyprocess must not try."""
        self._pty.terminated = True
        self._pty.exitstatus = status

    def close(self) -> None:
        """Close the master: whoever still has the terminal gets a hang-up."""
        self._pty.terminated = True
        self._pty.closed = True
        self._pty.fileobj.close()
