"""What a verb raises, on its way over the wire and back."""

from engine.api.call import EngineGone
from engine.ownership.conversations import UnknownToken
from engine.registry.start import StartError
from engine.spec import SpecError
from engine.wire import messages
from engine.wire.messages import Failure, FailureData


class Refusal(RuntimeError):
    """The engine refused a request or the connection; the text says why."""


def failure_of(id: int | str | None, error: BaseException) -> bytes:
    """The line that tells of it."""
    match error:
        case SpecError() | UnknownToken():
            return messages.failure(id, messages.INVALID_PARAMS, str(error), FailureData(type=type(error).__name__))
        case StartError():
            data = FailureData(type="StartError", session_id=error.session_id, exit_code=error.exit_code)
            return messages.failure(id, messages.FAILED, str(error), data)
        case EngineGone() | OSError():
            kind = "EngineGone" if isinstance(error, EngineGone) else "OSError"
            return messages.failure(id, messages.FAILED, str(error), FailureData(type=kind))
    text = f"{type(error).__name__}: {error}"
    return messages.failure(id, messages.INTERNAL_ERROR, text, FailureData(type="InternalError"))


def raised_by(failure: Failure) -> Exception:
    """The exception that such a line tells of."""
    data = failure.data
    match data.type if data is not None else "":
        case "SpecError":
            return SpecError(failure.message)
        case "StartError" if data is not None:
            return StartError(failure.message, data.session_id, data.exit_code)
        case "EngineGone":
            return EngineGone(failure.message)
        case "OSError":
            return OSError(failure.message)
        case "InternalError":
            return RuntimeError(failure.message)
    return Refusal(failure.message)
