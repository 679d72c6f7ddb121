"""Everything the engine says of its own accord, as frozen structs in one ordered stream."""

from engine.events.batches import BatchChanged, BatchDone
from engine.events.event import Event, Notice
from engine.events.jobs import Completion, JobChanged, JobDismissed, JobExited, JobStarted, PaneClosed
from engine.events.notices import ConfigurationChanged, EngineNotice
from engine.events.pictures import Resync, Snapshot
from engine.events.recovery import Fate, Recovered
from engine.events.view import EndingView, JobState, JobView, LivingProcess
from engine.events.waits import BarrierReleased, BarrierSet, GoalChanged
from engine.events.watches import Heartbeat, WatchDisabled, WatchHit, WatchOverflow, WatchReleased

__all__ = [
    "BarrierReleased",
    "BarrierSet",
    "BatchChanged",
    "BatchDone",
    "Completion",
    "ConfigurationChanged",
    "EndingView",
    "EngineNotice",
    "Event",
    "Fate",
    "GoalChanged",
    "Heartbeat",
    "JobChanged",
    "JobDismissed",
    "JobExited",
    "JobStarted",
    "JobState",
    "JobView",
    "LivingProcess",
    "Notice",
    "PaneClosed",
    "Recovered",
    "Resync",
    "Snapshot",
    "WatchDisabled",
    "WatchHit",
    "WatchOverflow",
    "WatchReleased",
]
