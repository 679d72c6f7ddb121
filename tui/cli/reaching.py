"""From the command line to the engines of this home: who listens, who has a job, as whom one speaks (spec 4.3, 4.4)."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Protocol, TypeVar

from engine.wire.short import Short

_CONVERSATION_FILE = "cli-conversation"
_STARTERS = ("serve", "console")
"""On whose engine a job is started, the best first. An agent's ends with the agent: it is named, or it isn't meant."""


NOBODY = "no jobdeck runs here: open the console with 'jobdeck', or a host without a screen with 'jobdeck serve'"


class Answering(Protocol):
    """An engine, or what is left on the disk of those that are gone."""

    def ask(self, method: str, params: dict[str, Any], timeout: float | None = None) -> Any:
        """A verb's result as plain data."""


class NobodyThere(Exception):
    """No engine of this home listens; the text says what to do."""


class Silent(NobodyThere):
    """An engine is there and gives no answer: what it has can't be told from the disk."""


class Unusable(Exception):
    """What was given can't be used; the text says what to do."""


def whom(*, operator: bool) -> dict[str, Any]:
    """As whom the command line speaks: the operator, the conversation in the environment, or the home's own one.

    Raises:
        Unusable: The environment names a conversation and doesn't prove it.
        OSError: The home's conversation can't be read or made.
    """
    who: dict[str, Any] = {"client": "command line", "async_delivery": False}
    if operator:
        return {**who, "operator": True}
    named = os.environ.get("JOBDECK_CONVERSATION", "")
    token = os.environ.get("JOBDECK_TOKEN", "") or (named if "~" in named else "")
    if token:
        return {**who, "token": token}
    if named:
        raise Unusable(
            f"JOBDECK_CONVERSATION is {named}, which only names a conversation: set it, or JOBDECK_TOKEN, to the token "
            "that came with it"
        )
    return {**who, "token": _own_token()}


def _own_token() -> str:
    from engine.store.home import home_folder

    path = home_folder() / _CONVERSATION_FILE
    with suppress(OSError):
        if token := path.read_text().strip():
            return token
    from engine.ownership.conversations import open_conversations
    from engine.store.files import write_whole

    token = open_conversations().begin_shell().token
    write_whole(path, token.encode())
    return path.read_text().strip()  # what another wrote at the same time is as good


Answers = TypeVar("Answers", bound=Answering)


@contextmanager
def engines(who: dict[str, Any], wanted: str = "", *, patience: float = 5.0) -> Iterator[list[Short]]:
    """Connections to all engines that answer in ``patience`` seconds, or to the one that is ``wanted`` (by kind, pid or
    id).

    Raises:
        NobodyThere: None does; `Silent` where one should.
        Unusable: More than one is meant.
        Failed: A token proves nothing.
    """
    from engine.wire.address import pid_of, sockets

    with ExitStack() as opened:
        found: list[Short] = []
        silent: list[int] = []
        for path in sockets():
            if wanted.isdigit() and pid_of(path) != int(wanted):
                continue
            try:
                found.append(opened.enter_context(Short(path, who, patience)))
            except TimeoutError:
                silent.append(pid_of(path))
            except OSError:
                continue  # dead
        _tell_silent(silent, alone=not found)
        if wanted:
            found = [one for one in found if wanted in _names(one)]
            if not found:
                raise NobodyThere(f"no engine {wanted!r} is there; 'jobdeck engines' lists them")
            if len(found) > 1:
                raise Unusable(
                    f"{len(found)} engines are {wanted!r}; 'jobdeck engines' lists them: name one by its pid"
                )
        if not found:
            raise NobodyThere(NOBODY)
        yield found


def _tell_silent(pids: Sequence[int], *, alone: bool) -> None:
    for pid in pids:
        said = f"process {pid} hosts jobs here and gives no answer: if it is stopped, 'kill -CONT {pid}' lets it go on"
        if alone:
            raise Silent(said)
        print(f"jobdeck: {said}", file=sys.stderr)  # noqa: T201  click isn't loaded for this


@contextmanager
def engines_or_disk(who: dict[str, Any], *, patience: float = 5.0) -> Iterator[Sequence[Answering]]:
    """As `engines`; where none is there, what is on the disk in their place.

    Raises:
        Silent: One is there and gives no answer.
        Failed: A token proves nothing.
    """
    with ExitStack() as opened:
        found: Sequence[Answering]
        try:
            found = opened.enter_context(engines(who, patience=patience))
        except Silent:
            raise
        except NobodyThere:
            from tui.cli.on_disk import OnDisk

            found = [opened.enter_context(OnDisk(who))]
        yield found


def _named(found: Sequence[Answering], name: str) -> str | dict[str, Any]:
    """The id of the one job of this name; of several the one that runs or waits, else the newest. Empty: there is
    none."""
    rows = {row["session_id"]: row for one in found for row in one.ask("list", {})["processes"] if row["name"] == name}
    live = [session_id for session_id, row in rows.items() if row["status"] in ("running", "waiting")]
    if len(live) > 1:
        return {"status": "not_found", "error": f"poll: {len(live)} jobs are named {name!r}: give the id of one"}
    return live[0] if live else max(rows, key=lambda session_id: float(rows[session_id]["started_at"]), default="")


def anybody(found: Sequence[Answering]) -> bool:
    """Are these engines?"""
    return any(isinstance(one, Short) for one in found)


def _names(one: Short) -> tuple[str, ...]:
    info = one.welcome["engine"]
    return str(info["kind"]), str(info["pid"]), str(info["engine_id"])


def starter(found: Sequence[Short]) -> Short:
    """On whose engine a job is started: a ``serve``'s if there is one, else the newest console's.

    Raises:
        NobodyThere: There are only agents'.
    """

    def rank(one: Short) -> tuple[int, float]:
        info = one.welcome["engine"]
        return (_STARTERS.index(info["kind"]), -info["started_at"])

    fit = [one for one in found if one.welcome["engine"]["kind"] in _STARTERS]
    if not fit:
        raise NobodyThere(
            "only agents' tool servers run here, and what is started on one ends with its agent: run 'jobdeck serve' "
            "or the console, or name one by --engine"
        )
    return min(fit, key=rank)


def having(found: Sequence[Answers], session_id: str) -> tuple[Answers, str] | dict[str, Any]:
    """The engine that has this job (by id, a unique beginning of it, or name) and the whole id, else what there is to
    say."""
    answers = [(one, one.ask("poll", {"session_id": session_id})) for one in found]
    if all("error" in answer for _one, answer in answers) and (whole := _named(found, session_id)):
        if isinstance(whole, dict):
            return whole
        answers = [(one, one.ask("poll", {"session_id": whole})) for one in found]
    there = [(one, answer) for one, answer in answers if "error" not in answer]
    ids = {answer["session_id"] for _one, answer in there}
    if len(ids) > 1:
        error = f"poll: {session_id!r} is the beginning of {len(ids)} jobs' ids: give more of it"
        return {"status": "not_found", "error": error}
    if not there:
        return next((answer for _one, answer in answers), {"status": "not_found", "error": "no engine"})
    one, answer = min(there, key=lambda pair: pair[1]["status"] != "running")
    return one, answer["session_id"]
