"""What the engine says of itself."""

import msgspec


class EngineNotice(msgspec.Struct, frozen=True, tag=True):
    """The engine has something to tell the operator that belongs to no verb's result."""

    sequence: int
    at: float
    text: str
    severity: str = "warning"
    session_id: str = ""


class ConfigurationChanged(msgspec.Struct, frozen=True, tag=True):
    """The configuration's files were read again: settings, keys or themes hold otherwise than before."""

    sequence: int
    at: float
