"""Looks at jobs' processes and outputs, in-process; see `InspectionApi` for what each does."""

from engine.api.call import Call
from engine.api.hosting import Host
from engine.results import Found, Inspected, Refused, Screened, Usage
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

    def screen(self, session_id: str) -> Call[Screened | Refused]:
        """See `InspectionApi`."""
        from engine.registry import screening

        return self._host.call_async("screen", lambda: screening.screen(self._host.registry, self._caller, session_id))

    def search(
        self, text: str, *, regex: bool = False, ignore_case: bool = True, limit: int = 100
    ) -> Call[Found | Refused]:
        """See `InspectionApi`."""
        from engine.registry import searching

        return self._host.call_async(
            "search",
            lambda: searching.search(
                self._host.registry, self._caller, text, regex=regex, ignore_case=ignore_case, limit=limit
            ),
            _SEARCH_SECONDS,
        )


_SEARCH_SECONDS = 10.0
"""What a search of all that is kept (64 million characters) may rightly take."""
