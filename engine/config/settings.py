"""Every figure of the specification by its name; no bare number stands in the code."""

import msgspec


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's figures, with the specification's defaults (parts 1 and 3)."""

    max_processes: int = 64
    """Finished jobs kept on the shelf; running ones are never evicted."""
    finished_ttl_seconds: float = 1800.0
    """How long a finished job stays on the shelf, counted from its exit."""
    replay_chars: int = 1_000_000
    """Newest characters of a job kept for panes."""
    max_output_chars: int = 200_000
    """Newest characters of a job that verbs and receipts see."""
    replay_total_chars: int = 64_000_000
    """Characters kept over all jobs together."""
    chunk_chars: int = 256_000
    """Most characters in flight to one viewer."""
    read_bytes: int = 65_536
    """Most bytes taken from a descriptor before other jobs get their turn."""
    drain_bytes: int = 1_048_576
    """Most bytes read after the direct child's exit."""
    stdin_queue_bytes: int = 1_048_576
    """Input queued for a child that does not read."""
    canonical_line_bytes: int = 4095
    """What the kernel keeps of one line in canonical mode (N_TTY_BUF_SIZE - 1)."""
    pty_cols: int = 120
    pty_rows: int = 30
    term_grace_seconds: float = 2.0
    """From TERM to KILL; 0 sends TERM only."""
    kill_proof_seconds: float = 1.0
    """How long after KILL the dead may still show as alive."""
    wait_max_seconds: float = 180.0
    """Default and most that ``wait`` waits."""
    view_interval_seconds: float = 0.25
    """A job's view is sent at most once in this time."""
    shell_login: bool = False
    """Run shell lines under a login shell."""
    cwd_fallback: str = ""
    """``"ancestor"``: a missing cwd becomes its nearest existing ancestor."""
    env_block: tuple[str, ...] = ()
    """Names never passed from the engine's environment to a job."""
    supervisor_kill_seconds: float = 3.0
    """From the supervisor's TERM to its KILL, after the owner's death."""
