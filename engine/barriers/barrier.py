"""One thing that is waited for, until it is released."""

from collections.abc import Callable

from engine.spec import Caller, WaitSpec
from engine.waiting import BarrierView, Release


class Barrier:
    """A wait that stands. What it watches tells `Barriers`, which releases it, once."""

    def __init__(
        self, view: BarrierView, spec: WaitSpec, caller: Caller, on_release: Callable[[Release], None] | None
    ) -> None:
        self.view = view
        self.spec = spec
        """What was asked for; ``then`` as it is to be run, which a view shows redacted."""
        self.caller = caller
        self.on_release = on_release
        """Whose loop it parks."""
        self.release: Release | None = None
        """Set when it has been decided; it is told a moment later if something is to be started first."""
        self._watches: list[Callable[[], object]] = []

    def watching(self, stop: Callable[[], object]) -> None:
        """Something watches for it; ``stop`` ends that."""
        if self.release is not None:
            stop()
        else:
            self._watches.append(stop)

    def stop(self) -> None:
        """Watch for nothing any more."""
        watches, self._watches = self._watches, []
        for stop in watches:
            stop()
