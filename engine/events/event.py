"""All events, and those of them that are addressed to an owner."""

from typing import TypeAlias

from engine.events.batches import BatchChanged, BatchDone
from engine.events.jobs import Completion, JobChanged, JobDismissed, JobExited, JobStarted, PaneClosed
from engine.events.notices import ConfigurationChanged, EngineNotice
from engine.events.pictures import Resync, Snapshot
from engine.events.recovery import Recovered
from engine.events.waits import BarrierReleased, BarrierSet, GoalChanged
from engine.events.watches import Heartbeat, WatchDisabled, WatchHit, WatchOverflow, WatchReleased

Event: TypeAlias = (
    Snapshot
    | Resync
    | JobStarted
    | JobChanged
    | JobExited
    | Completion
    | JobDismissed
    | WatchHit
    | WatchDisabled
    | WatchOverflow
    | WatchReleased
    | Heartbeat
    | BarrierSet
    | BarrierReleased
    | GoalChanged
    | BatchChanged
    | BatchDone
    | Recovered
    | PaneClosed
    | ConfigurationChanged
    | EngineNotice
)

Notice: TypeAlias = (
    Completion
    | BatchDone
    | WatchHit
    | WatchDisabled
    | WatchOverflow
    | WatchReleased
    | Heartbeat
    | Recovered
    | EngineNotice
)
"""What is addressed to an owner, kept until it is taken, and never lost."""
