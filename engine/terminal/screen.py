"""The screen: all layers together."""

from engine.terminal.resizing import Resizing


class Screen(Resizing):
    """A terminal's screen with scrollback; pyte's ``Screen``, and right where that is not.

    Attributes beyond pyte's: ``runs(y)``, ``text(y)`` and ``wrapped(y)`` read visible rows; ``scrollback``
    has those that scrolled off, by absolute number; ``bells``, ``title``, ``alternate``, ``synchronized``,
    ``bracketed_paste``, ``application_cursor``, ``mouse``, ``palette`` and ``colors`` tell its state.
    Override ``write_process_input`` to send its answers to the job.
    """

    def bell(self, *_: object) -> None:
        """BEL: counted."""
        self.bells += 1

    def select_graphic_rendition(self, *attrs: int) -> None:
        """SGR by numbers, as pyte calls it; the stream goes by the parameters as they came."""
        self.cursor.pen = self.cursor.pen.next[";".join(map(str, attrs))]

    def application_keypad(self) -> None:
        """DECKPAM."""
        self.keypad = True

    def numeric_keypad(self) -> None:
        """DECKPNM."""
        self.keypad = False

    def set_cursor_shape(self, style: int = 0, *_: int) -> None:
        """DECSCUSR."""
        self.cursor.set_shape(style)
