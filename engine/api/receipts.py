"""Results read back from the disk, in-process; see `ReceiptApi` for what each verb does."""

from engine.api.call import Call
from engine.api.hosting import Host
from engine.registry import recall
from engine.results import Recalled, Refused, ResultsListed
from engine.spec import Caller


class LocalReceipts:
    """See `ReceiptApi`."""

    _host: Host
    _caller: Caller

    def results(self) -> Call[ResultsListed]:
        """See `ReceiptApi`."""
        return self._host.call_async("results", lambda: recall.results(self._host.registry, self._caller))

    def recall(self, session_id: str, *, in_place: bool = False) -> Call[Recalled | Refused]:
        """See `ReceiptApi`."""
        return self._host.call_async(
            "recall", lambda: recall.recall(self._host.registry, self._caller, session_id, in_place=in_place)
        )
