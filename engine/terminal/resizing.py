"""Changing the size of a screen."""

from pyte import modes as mo

from engine.terminal.reflow import reflow
from engine.terminal.reports import Reports
from engine.terminal.rows import Row


class Resizing(Reports):
    """Lines of the main screen flow to the new width; the alternate screen is cut or widened."""

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Give the screen another size; margins are reset, tab stops kept."""
        lines = max(1, lines or self.lines)
        columns = max(1, columns or self.columns)
        if (lines, columns) == (self.lines, self.columns):
            return
        old = self.columns
        cursor = self.cursor
        if self._pending_right:
            self._settle()
        if self._hidden_rows is None:
            self.rows, cursor.x, cursor.y = reflow(self.rows, self.scrollback, cursor.x, cursor.y, old, columns, lines)
        else:
            self._resize_hidden(old, columns, lines)
            self._resize_alternate(old, columns, lines)
        self.columns, self.lines = columns, lines
        more = {stop for stop in range(8, columns, 8) if stop >= old}
        self.tabstops = {stop for stop in self.tabstops if stop < columns} | more
        cursor.x = min(cursor.x, columns)
        cursor.y = min(cursor.y, lines - 1)
        for saved in (self.savepoints, self._hidden_savepoints):
            saved[:] = [s._replace(x=min(s.x, columns), y=min(s.y, lines - 1)) for s in saved]
        self._joining = None
        self._return_pending = False
        self._dirty.clear()
        self._set_region(0, lines - 1)
        self._set_sides(0, columns - 1)
        if cursor.x == columns and mo.DECAWM not in self.mode:
            cursor.x = columns - 1
        self.touch_all()

    def _resize_hidden(self, old: int, columns: int, lines: int) -> None:
        """The main screen behind the alternate one: its cursor is the saved one, or below all its text."""
        rows = self._hidden_rows or []
        saved = self._hidden_savepoints[-1] if self._hidden_savepoints else None
        used = max((i for i, row in enumerate(rows) if not row.is_blank()), default=0)
        x, y = (saved.x, saved.y) if saved else (0, used)
        self._hidden_rows, x, y = reflow(rows, self.scrollback, x, y, old, columns, lines)
        if saved:
            self._hidden_savepoints[-1] = saved._replace(x=x, y=y)

    def _resize_alternate(self, old: int, columns: int, lines: int) -> None:
        rows = self.rows
        cut = max(0, self.cursor.y - lines + 1)
        rows = rows[cut:][:lines]
        self.cursor.y -= cut
        if columns != old:
            for row in rows:
                row.resize(old, columns)
        self.rows = rows + [Row() for _ in range(lines - len(rows))]
