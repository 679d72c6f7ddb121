"""A screen that paints at once what changes after a calm."""

import time

from textual import events
from textual.screen import UPDATE_PERIOD, Screen

from tui.compositing import RowCompositor


class PromptScreen(Screen[None]):
    """Textual paints on the ticks of a clock: a lone key's effect waits for the next one. Here only a flood's does.

    However much changes, it is painted once a tick at most.
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = RowCompositor()
        self._ticked = 0.0

    def _on_timer_update(self) -> None:
        self._ticked = time.monotonic()
        super()._on_timer_update()

    async def _on_idle(self, _event: events.Idle) -> None:
        # Textual runs its own handler after this one: it starts the clock if there still is something to paint.
        waits = self._dirty_widgets or self._layout_required or self._scroll_required or self._repaint_required
        if waits and not self.app._batch_count and time.monotonic() - self._ticked >= UPDATE_PERIOD:
            self._on_timer_update()
