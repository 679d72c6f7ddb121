"""What the signs of the console stand for, for its help."""

from tui.show.keeping import KEPT, PENDING
from tui.show.results import MARK
from tui.show.states import GLYPHS, Look

SIGNS: tuple[tuple[str, str], ...] = (
    (
        "  ".join(GLYPHS[seen] for seen in (Look.STARTING, Look.RUNNING, Look.ENDING)),
        "Starts or waits for others, runs, is ending",
    ),
    ("  ".join(GLYPHS[seen] for seen in (Look.ASKS, Look.STOPPED)), "Perhaps waits for input; stands still"),
    ("  ".join(GLYPHS[seen] for seen in (Look.DONE, Look.FAILED, Look.KILLED)), "Exit 0, failed, killed"),
    (GLYPHS[Look.IDLE], "A job of jobdeck.toml that isn't started"),
    (GLYPHS[Look.LOST], "Lost, or taken over without its output (detached)"),
    (KEPT, "Kept when jobdeck ends: the next one has it whole"),
    (PENDING, "Its result isn't on the disk yet"),
    (MARK, "Read back from the disk: from an earlier jobdeck"),
    ("◆  ▶", "A marked line or job; the line that was gone to"),
    ("•  !  ⚑  ◷", "New output, the bell, watch hits, waits"),
)
"""Signs and what they mean."""
