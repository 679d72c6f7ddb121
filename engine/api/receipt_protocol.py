"""The part of `EngineApi` that reads back what finished jobs left on the disk (spec 3.1)."""

from typing import Protocol

from engine.api.call import Call
from engine.results import Recalled, Refused, ResultsListed


class ReceiptApi(Protocol):
    """A result is kept for a week at most, and the newest 64; only its job's owner and the operator can read it.

    ``list``, ``poll``, ``log`` and ``wait`` know of it by themselves.
    """

    def results(self) -> Call[ResultsListed]:
        """What is retained of the caller's finished jobs, this engine's and earlier ones', the newest end first."""

    def recall(self, session_id: str, *, in_place: bool = False) -> Call[Recalled | Refused]:
        """Put a retained result back among the jobs, with its output, so that it can be looked at like any other
        finished job (`JobView.recovered`). It is told as a `JobChanged`, and never notifies again.

        ``in_place``: a run of a job of the configuration file comes back as that job's last one, in its row; refused
        if that has had a run since."""
