"""The results of the verbs (spec 1.6), one frozen struct each.

Fields without a default are always in the JSON form; optional ones are left out while they are None or empty.
"""

from engine.results.conversations import Active, AnyActive, ConversationEnded, HandedOff
from engine.results.ends import NOT_STARTED, end_text, exit_label, signal_name
from engine.results.inspection import Cursor, Inspected, JobUse, ProcessRow, Screened, Usage, WatchState
from engine.results.jobs import AlertsSet, Ended, JobRow, Listed, Logged, Polled, Started, Waited, Written
from engine.results.kills import EscapedProcess, Killed, KilledAll, RunningIds, Survivor, TurnSaid
from engine.results.result import Done, Refused, Result
from engine.results.retained import Found, FoundLine, Recalled, ResultRow, ResultsListed
from engine.results.waits import GoalSaid, GoalsListed, Lifted, WaitReleased, WaitSet

__all__ = [
    "NOT_STARTED",
    "Active",
    "AlertsSet",
    "AnyActive",
    "ConversationEnded",
    "Cursor",
    "Done",
    "Ended",
    "EscapedProcess",
    "Found",
    "FoundLine",
    "GoalSaid",
    "GoalsListed",
    "HandedOff",
    "Inspected",
    "JobRow",
    "JobUse",
    "Killed",
    "KilledAll",
    "Lifted",
    "Listed",
    "Logged",
    "Polled",
    "ProcessRow",
    "Recalled",
    "Refused",
    "Result",
    "ResultRow",
    "ResultsListed",
    "RunningIds",
    "Screened",
    "Started",
    "Survivor",
    "TurnSaid",
    "Usage",
    "WaitReleased",
    "WaitSet",
    "Waited",
    "WatchState",
    "Written",
    "end_text",
    "exit_label",
    "signal_name",
]
