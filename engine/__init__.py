"""jobdeck's engine: background jobs over pipes and terminals, and everything known of them.

Names load on first use, so that importing one part does not import all.
"""

TYPE_CHECKING = False
"""As in ``typing``, whose import is more than a holder needs; type checkers know the name."""

if TYPE_CHECKING:
    from engine.api.call import Call as Call
    from engine.api.call import EngineGone as EngineGone
    from engine.api.host import Engine as Engine
    from engine.api.protocol import Attachment as Attachment
    from engine.api.protocol import EngineApi as EngineApi
    from engine.api.protocol import EventFeed as EventFeed
    from engine.api.protocol import NoticeFeed as NoticeFeed
    from engine.config.configuration import Configuration as Configuration
    from engine.config.settings import Settings as Settings
    from engine.registry.start import StartError as StartError
    from engine.spec import Caller as Caller
    from engine.spec import GoalSpec as GoalSpec
    from engine.spec import JobSpec as JobSpec
    from engine.spec import SpecError as SpecError
    from engine.spec import WaitSpec as WaitSpec
    from engine.store.trouble import record_trouble as record_trouble

_HOMES = {
    "Attachment": "engine.api.protocol",
    "Call": "engine.api.call",
    "Caller": "engine.spec",
    "Configuration": "engine.config.configuration",
    "Engine": "engine.api.host",
    "EngineApi": "engine.api.protocol",
    "EngineGone": "engine.api.call",
    "EventFeed": "engine.api.protocol",
    "GoalSpec": "engine.spec",
    "JobSpec": "engine.spec",
    "NoticeFeed": "engine.api.protocol",
    "Settings": "engine.config.settings",
    "SpecError": "engine.spec",
    "StartError": "engine.registry.start",
    "WaitSpec": "engine.spec",
    "record_trouble": "engine.store.trouble",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    """Import the module that holds ``name`` (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
