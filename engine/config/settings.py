"""Every figure of the specification by its name; no bare number stands in the code."""

from typing import Literal

import msgspec


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's figures, with the specification's defaults (parts 1 to 3)."""

    # -- jobs and their output (1) ------------------------------------------------------------------------------------
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
    """Columns of a job's terminal when nobody says and no pane shows it."""
    pty_rows: int = 30
    """Rows of the same."""
    term_grace_seconds: float = 2.0
    """From TERM to KILL; 0 sends TERM only."""
    kill_proof_seconds: float = 1.0
    """How long after KILL the dead may still show as alive."""
    hold_rounds: int = 10
    """Looks at a tree that grows while it is being stopped; then it is taken for a fork bomb."""
    hold_seconds: float = 1.0
    """How long all those looks may take."""
    turn_inactivity_seconds: float = 1_800.0
    """A turn of whose owner nothing is heard for so long is abandoned, and what it started is ended."""
    lease_ttl_seconds: float = 300.0
    """A lease that isn't refreshed for so long is anybody's; its holder refreshes it three times as often."""
    stdin_lease_seconds: float = 10.0
    """So long after an agent's last write a job's input is its alone; the operator may always write."""
    bg_process_max_age_hours: float = 24.0
    """Jobs older than this don't keep their owner from being forgotten; 0: jobs of any age do."""
    handoffs_per_child: int = 3
    """So many jobs may one conversation hand to the one that it works for."""
    wait_max_seconds: float = 180.0
    """Default and most that ``wait`` waits."""
    view_interval_seconds: float = 0.25
    """A job's view is sent at most once in this time."""
    shell_login: bool = False
    """Run shell lines under a login shell."""
    cwd_fallback: Literal["", "ancestor"] = ""
    """``"ancestor"``: a missing cwd becomes its nearest existing ancestor."""
    env_block: tuple[str, ...] = ()
    """Names never passed from the engine's environment to a job."""
    supervisor_kill_seconds: float = 3.0
    """From the supervisor's TERM to its KILL, after the owner's death."""
    supervisor_idle_seconds: float = 30.0
    """With nothing to guard for so long, the supervisor is let go."""
    supervisor_early_seconds: float = 5.0
    """A supervisor that ends by itself so soon after its start isn't started again before this has passed."""
    ledger_wait_seconds: float = 2.0
    """Most that a start waits until its row is in the ledger, and an access for another process's."""
    escape_keep: tuple[str, ...] = (
        *("tmux", "tmux: *", "screen", "SCREEN", "zellij", "dtach", "abduco"),
        *("ssh-agent", "gpg-agent", "dirmngr", "keyboxd", "scdaemon", "dbus-daemon"),
        *("adb", "*GradleDaemon*", "*KotlinCompileDaemon*", "watchman", "sccache"),
    )
    """Programs that live on when they have left their job and the engine dies: shell patterns of a process's name, its
    program or its whole command line. What runs below them stays too."""

    on_hangup: Literal["keep", "kill"] = "keep"
    """What a console does that loses its terminal while jobs run: ``keep`` them, without a screen, or ``kill`` them;
    ``JOBDECK_ON_HANGUP`` overrides."""
    persist: bool = False
    """Jobs outlive their owner unless they say otherwise."""

    # -- jobs of the configuration file (6) ---------------------------------------------------------------------------
    restart_backoff_most_seconds: float = 60.0
    """The longest pause before a job is started again by itself."""
    restart_steady_seconds: float = 30.0
    """A run that lasted so long begins the pauses anew."""

    # -- memory bounds (3.7) ------------------------------------------------------------------------------------------
    memory_scopes: bool = False
    """Run each job in a systemd scope with a bound on its memory, where there is a user manager: for engines that are
    meant to be hosts."""
    memory_max: int = 0
    """A job's bound in bytes, if it is to be tighter than it would be; 0: no wish. At least `memory_max_least`."""
    memory_max_least: int = 64 * 1024**2
    """No tighter bound than this is taken, in bytes."""
    memory_max_most: int = 4 * 1024**3
    """No job gets more than this, in bytes."""
    memory_ram_share: float = 0.5
    """No bound is above this share of the machine's memory."""
    scope_seconds: float = 3.0
    """What systemd has to answer in, when it is tried out and when it is to take a job into its scope."""
    scope_answer_seconds: float = 60.0
    """How long it counts whether there are scopes."""
    scope_stop_seconds: float = 5.0
    """From systemd's TERM to its KILL, and the most that the stop of a scope may take beyond."""

    # -- hosts (4.7) --------------------------------------------------------------------------------------------------
    link_seconds: float = 10.0
    """What the way to a host and back may take when something there is to be signalled or ended."""
    link_end_seconds: float = 0.5
    """A link that doesn't end by itself so long after its job is ended."""

    # -- the console (5) ----------------------------------------------------------------------------------------------
    redact_panes: bool = False
    """Mask secrets in panes too; else the operator's panes show the raw output."""

    scrollback_lines: int = 10_000
    """Rows that a pane keeps above its screen."""
    theme: str = ""
    """The console's theme; empty: the one it had the last time."""
    ascii: bool = False
    """The console shows no more than ASCII, as it does where the locale has no more; ``JOBDECK_ASCII`` overrides."""
    reduced_motion: bool = False
    """Nothing in the console moves by itself: no list glides, no cursor blinks. ``TEXTUAL_ANIMATIONS=none`` does it
    too."""

    # -- completion (2.2, 2.3) ----------------------------------------------------------------------------------------
    completion_tail_chars: int = 2_000
    """What a completion carries of the output's end."""
    completion_batch_seconds: float = 0.1
    """Completions within this time are told in one banner."""
    notices_kept: int = 1_000
    """Notices kept for an owner who isn't there."""
    notices_kept_seconds: float = 172_800.0
    """How long they are kept: two days."""
    notices_retry_seconds: float = 1.0
    """When it could not be proven who may receive a notice, it is tried again after this time."""
    notices_lost_seconds: float = 60.0
    """The operator is warned of notices that could not be delivered at most once in this time."""
    notifications: Literal["concise", "all", "result", "error", "off"] = "concise"
    """What pops up: ``concise``, a line for each end, with the last words of a failure; ``all``, hits and heartbeats
    too; ``result``, the end of the output; ``error``, only failures; ``off``, nothing. ``JOBDECK_NOTIFICATIONS``
    overrides."""
    bell_on_complete: bool = False
    """The terminal's bell rings with each banner that tells of an end."""
    bell_on_hit: bool = False
    """The terminal's bell rings with hits of your own watches."""
    notifications_terminal: Literal["off", "auto", "osc9", "osc777"] = "off"
    """Ends and hits are also told by the terminal, as a notification of the desktop: ``osc9`` or ``osc777``, by that
    sequence; ``auto``, by the one that this terminal is known for. Inside tmux it needs ``allow-passthrough``."""
    notifications_desktop: bool = False
    """Ends and hits are also told by the program ``notify-send``, if it is there."""
    notifications_focused: bool = False
    """The terminal and the desktop are told even while the console has the focus, where the terminal tells of that."""
    notifications_interval_seconds: float = 5.0
    """The terminal and the desktop are told at most once in this time; what comes meanwhile is told together."""

    # -- hooks --------------------------------------------------------------------------------------------------------
    on_exit: str | tuple[str, ...] = ""
    """What is run whenever a job ends: a shell line, or exact arguments. It gets the end as JSON on its standard
    input."""
    on_hit: str | tuple[str, ...] = ""
    """What is run whenever a hit of a watch is told, likewise."""
    hook_seconds: float = 30.0
    """A hook that runs longer is ended, with all that it started."""
    hooks_at_once: int = 4
    """So many hooks run side by side; others wait."""
    hooks_waiting: int = 256
    """So many hooks wait at most; what comes above is left out, and that is told."""
    hooks_leave_seconds: float = 2.0
    """What hooks that run or wait have left when jobdeck ends."""

    # -- results on the disk (3.1) ------------------------------------------------------------------------------------
    receipts_kept: int = 64
    """Results of finished jobs kept on the disk, the newest."""
    receipts_kept_days: float = 7.0
    """Counted from their completion."""
    receipt_wait_seconds: float = 2.0
    """What a job's end waits for the disk; then it is told all the same, and the result is written later."""

    # -- watches (2.4), heartbeat (2.5) -------------------------------------------------------------------------------
    watch_quiet_seconds: float = 0.1
    """A partial line that is quiet for this long is scanned: a prompt."""
    watch_piece_chars: int = 65_536
    """Longer lines are scanned in pieces of this length, with overlap."""
    watch_regex_seconds: float = 0.05
    """What one search of a regular expression may take before its pattern is disabled."""
    watch_hit_lines: int = 20
    """Most lines that one hit carries."""
    watch_hit_chars: int = 2_000
    """Most characters that one hit carries."""
    watch_cooldown_seconds: float = 15.0
    """Opened by a delivered hit; hits inside are counted and not delivered."""
    watch_strikes: int = 3
    """So many windows in a row with a suppressed hit disable a job's watching."""
    watch_lifetime_hits: int = 8
    """So many delivered hits in a job's life disable its watching."""
    watch_breaker_hits: int = 15
    """More hits than this over all jobs in `watch_breaker_window_seconds` trip the breaker."""
    watch_breaker_window_seconds: float = 10.0
    """In how much time so many hits trip the breaker."""
    watch_breaker_seconds: float = 30.0
    """How long no hit of any job is told then."""
    heartbeat_min_seconds: float = 60.0
    """Heartbeats of a job are at least so far apart."""
    heartbeat_chars: int = 2_000
    """What a heartbeat carries of what came since the last, from its end."""

    # -- goals and barriers (2.7) -------------------------------------------------------------------------------------
    goal_max_turns: int = 20
    """A goal pauses after so many turns, unless it says otherwise."""
    judge_seconds: float = 30.0
    """What a judge may take; then it has failed."""
    judge_parse_failures: int = 3
    """Unreadable answers in a row that pause a goal."""
    judge_transport_failures: int = 5
    """Failures to run the judge in a row that pause a goal."""
    barrier_max_seconds: float = 1_800.0
    """Pid and session barriers lift after this time, with a notice."""

    # -- agents and batches (4.6) -------------------------------------------------------------------------------------
    max_async_children: int = 3
    """Batches that run at a time; one more is rejected."""
    max_children: int = 3
    """Children of a batch that run side by side."""
    delegation_tasks: int = 64
    """Most tasks of one batch."""
    delegation_result_chars: int = 4_000
    """What a batch's completion carries of each child's output, from its end."""
    transcript_chars: int = 4_000_000
    """A live transcript grows no longer than this."""
    transcript_days: float = 7.0
    """Live transcripts are kept for so long after the last event."""
    delivery_claim_seconds: float = 300.0
    """A receiver that was handed a batch's completion and doesn't take it loses it to another after this time."""
    delivery_attempts: int = 8
    """A completion that so many receivers were handed and have left untaken is given up; its batch tells it still."""

    @property
    def far_end_seconds(self) -> float:
        """What a job's end on a host may take at most."""
        return self.link_seconds + self.term_grace_seconds + self.kill_proof_seconds

    def __post_init__(self) -> None:
        if self.memory_max and self.memory_max < self.memory_max_least:
            least = self.memory_max_least
            raise ValueError(
                f"memory_max is {self.memory_max}: it is a number of bytes, at least {least} ({least >> 20} MiB), "
                "or 0 for no bound of its own"
            )
