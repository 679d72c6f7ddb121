"""Looks at jobs' processes, in-process; see `InspectionApi` for what each does."""

from engine.api.call import Call
from engine.api.hosting import Host
from engine.results import Inspected, Refused, Usage
from engine.spec import Caller


class LocalInspection:
    """See `InspectionApi`."""

    _host: Host
    _caller: Caller

    def usage(self) -> Call[Usage]:
        """See `InspectionApi`."""
        from engine.registry import inspecting  # only a console asks

        return self._host.call_async("usage", lambda: inspecting.usage(self._host.registry, self._caller))

    def inspect(self, session_id: str) -> Call[Inspected | Refused]:
        """See `InspectionApi`."""
        from engine.registry import inspecting

        return self._host.call_async(
            "inspect", lambda: inspecting.inspect(self._host.registry, self._caller, session_id)
        )
