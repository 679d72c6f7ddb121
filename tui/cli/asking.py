"""Asks engines and says what they answered; the exit codes of spec 4.4."""

import json
import shlex
import sys
from collections.abc import Callable
from typing import Any

from engine.wire.short import Failed
from tui.cli import reaching
from tui.cli.exit_codes import GOOD, INTERRUPTED, NO_ENGINE, NO_SUCH, REFUSED, USAGE
from tui.cli.reaching import Answering, NobodyThere, Unusable

Plain = dict[str, Any]
"""A result as plain data."""


def guarded(what: str, ask: Callable[[], int], *, as_json: bool) -> int:
    """The exit code of ``ask``; what can't be is said."""
    try:
        return ask()
    except NobodyThere as error:
        return no(what, str(error), NO_ENGINE, as_json=as_json)
    except Unusable as error:
        return no(what, str(error), USAGE, as_json=as_json)
    except Failed as error:
        return no(what, str(error), REFUSED, as_json=as_json, **error.data)
    except BrokenPipeError:
        raise  # who reads what we print has gone, not the engine
    except ConnectionError as error:
        return no(what, str(error), NO_ENGINE, as_json=as_json)
    except KeyboardInterrupt:
        return INTERRUPTED


def no(what: str, why: str, code: int, *, as_json: bool, **more: Any) -> int:
    """Say why not; the exit code."""
    if as_json:
        status = "not_found" if code == NO_SUCH else "error"
        print_json({"status": status, "error": why, **{key: value for key, value in more.items() if key != "type"}})
    else:
        print(f"jobdeck {what}: {why}", file=sys.stderr)  # noqa: T201  click isn't loaded for this
    return code


def refused(what: str, answer: Plain) -> int:
    """Say why an engine didn't do it; the exit code."""
    why = str(answer["error"])
    no(what, why.partition(": ")[2] or why, REFUSED, as_json=False)
    return code_of(answer) or REFUSED


def print_json(answer: Any) -> None:
    """One line."""
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")


def code_of(answer: Plain) -> int:
    """The exit code for a verb's answer."""
    if answer.get("status") == "not_found":
        return NO_SUCH
    if answer.get("called_off"):
        return GOOD
    return REFUSED if answer.get("status") in ("error", "already_exited") else GOOD


def about_job(
    what: str,
    session_id: str,
    ask: Callable[[Answering, str], Plain],
    say: Callable[[Plain], int],
    *,
    operator: bool,
    as_json: bool,
    reads: bool = False,
    code: Callable[[Plain], int] | None = None,
) -> int:
    """Ask the engine that has this job; ``say`` prints the answer for people and tells the exit code.

    Where no engine is, one that only ``reads`` asks what is on the disk. ``code``: the exit code of an answer that is
    printed as JSON, where it is more than `failed` tells.
    """

    def run() -> int:
        if not session_id.strip():
            return no(what, "it needs a job's ID, such as proc_4dae12ab9c01", USAGE, as_json=as_json)
        who = reaching.whom(operator=operator)
        with reaching.engines_or_disk(who) if reads else reaching.engines(who) as found:
            there = reaching.having(found, session_id)
            if isinstance(there, dict) and not reaching.anybody(found):
                raise NobodyThere(f"{reaching.NOBODY}; and of {session_id} there is no result on the disk")
            answer = there if isinstance(there, dict) else ask(*there)
            if as_json:
                print_json(answer)
                return code_of(answer) or (code or failed)(answer)
            if "error" in answer and answer.get("status") != "killed":
                refusal = refused(what, answer)
                if refusal == NO_SUCH and not operator and _is_the_operators(session_id):
                    hint = f"jobdeck {what} --operator {shlex.quote(session_id)}"
                    print(f"It is not yours, but the operator reaches it: {hint}", file=sys.stderr)  # noqa: T201
                return refusal
            return say(answer)

    return guarded(what, run, as_json=as_json)


def _is_the_operators(session_id: str) -> bool:
    with reaching.engines_or_disk(reaching.whom(operator=True)) as found:
        return not isinstance(reaching.having(found, session_id), dict)


def failed(answer: Plain) -> int:
    """1 for a job that has ended otherwise than with 0; where that isn't known, it is lost."""
    return REFUSED if answer.get("status") == "exited" and answer.get("exit_code", 0) != 0 else GOOD
