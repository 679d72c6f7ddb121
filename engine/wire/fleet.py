"""All engines of a home as one: the console's own, and those that listen in its run folder (spec 4.1).

A verb on a job goes to the engine that has it; new jobs, waits and goals are the own engine's. Their events are one
stream, in which jobs of others carry the name of their engine.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.api.call import Call, EngineGone
from engine.api.host import Engine
from engine.api.protocol import Attachment
from engine.config import Configuration, Settings
from engine.delegation_results import AgentsListed
from engine.replay import Sink
from engine.results import Found, Listed, Refused, Usage
from engine.store.folder_watch import FolderWatch
from engine.store.home import private_folder
from engine.wire import VERSION
from engine.wire.address import pid_of, run_folder, sockets
from engine.wire.client import RemoteEngine
from engine.wire.failures import Refusal
from engine.wire.link import wire_loop
from engine.wire.merged import Member, MergedFeed
from engine.wire.messages import EngineInfo, Hello
from engine.wire.spoken import Spoken
from engine.wire.verbs import Verb


def _found(answers: list[Any]) -> Any:
    refused = next((one for one in answers if isinstance(one, Refused)), None)
    return refused or Found(
        status="ok",
        lines=tuple(line for one in answers for line in one.lines),
        total=sum(one.total for one in answers),
        searched_chars=sum(one.searched_chars for one in answers),
    )


def _agents(answers: list[Any]) -> Any:
    return AgentsListed(
        agents=answers[0].agents,
        background=tuple(handle for one in answers for handle in one.background),
        batches=tuple(batch for one in answers for batch in one.batches),
        slots=answers[0].slots,
        slots_free=answers[0].slots_free,
    )


_MERGED: dict[str, Callable[[list[Any]], Any]] = {
    "list": lambda answers: Listed(processes=tuple(row for one in answers for row in one.processes)),
    "usage": lambda answers: Usage(at=answers[0].at, jobs=tuple(use for one in answers for use in one.jobs)),
    "search": _found,
    "agents": _agents,
    "results": lambda answers: answers[0],
}
"""What is asked of every engine, and how the answers are one. Results lie in the home, which all share."""


_ANSWER_SECONDS = 5.0
"""So long an engine that listens may take to greet us; then it is asked again later."""
_AGAIN_SECONDS = 2.0


_NAMED = ("session_id", "barrier_id", "batch_id", "subagent_id")
"""What a verb is about: it goes to the engine that has that."""


class Fleet(Spoken):
    """Several engines with the interface of one. A context manager: leaving it hangs up on the others.

    Its verbs act as the operator. What it learns of other engines it learns on the wire's thread.
    """

    def __init__(self, local: Engine, own_socket: Path | None = None) -> None:
        """``own_socket``: where ``local`` listens; it isn't connected to."""
        self.local = local
        self._own = own_socket
        self._lock = threading.Lock()
        self._others: dict[Path, RemoteEngine] = {}
        self._trying: set[Path] = set()
        self._feed: MergedFeed | None = None
        self._watch: FolderWatch | None = None
        self._closed = False

    def __enter__(self) -> "Fleet":
        self.look()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.hang_up()

    @property
    def settings(self) -> Settings:
        """The own engine's figures."""
        return self.local.settings

    @property
    def configuration(self) -> Configuration:
        """What the own engine's files say now."""
        return self.local.configuration

    @property
    def alive(self) -> bool:
        """Does the own engine run?"""
        return self.local.alive

    def on_death(self, callback: Callable[[], None]) -> None:
        """Of the own engine."""
        self.local.on_death(callback)

    def others(self) -> list[EngineInfo]:
        """The other engines that are connected."""
        with self._lock:
            return [engine.info for engine in self._others.values()]

    def look(self) -> None:
        """Connect to who listens, now and whenever somebody begins to."""
        with suppress(OSError):
            folder = private_folder(run_folder())
            self._watch = FolderWatch(wire_loop(), folder, lambda _names: self._look(), lambda *_error: None)

    def hang_up(self) -> None:
        """Know the others no more; their jobs go on."""
        self._closed = True
        if self._watch is not None:
            self._watch.close()
        with self._lock:
            others, self._others = list(self._others.values()), {}
        for engine in others:
            engine.close_connection()

    # -- who is there -------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """On the wire's thread."""
        with suppress(OSError):
            for path in sockets():
                with self._lock:
                    known = path in self._others or path in self._trying
                    if known or self._closed or path == self._own or pid_of(path) == os.getpid():
                        continue
                    self._trying.add(path)
                threading.Thread(target=self._connect, args=(path,), name="jobdeck-connect", daemon=True).start()

    def _connect(self, path: Path) -> None:
        hello = Hello(version=VERSION, client="console", operator=True)
        try:
            engine = RemoteEngine(path, hello, timeout=_ANSWER_SECONDS)
        except (OSError, Refusal) as error:
            with self._lock:
                self._trying.discard(path)
            _sweep(path)
            if _is_busy(error) and path.exists():
                self._look_again()  # nothing will tell when it has the time, or a place
            return
        with self._lock:  # in one step: else another look in between would connect to it a second time
            self._trying.discard(path)
            if self._closed:
                engine.close_connection()
                return
            self._others[path] = engine
            feed = self._feed
        engine.on_death(lambda: self._lost(path, engine))
        if feed is not None:
            self._join(feed, engine)

    def _look_again(self) -> None:
        loop = wire_loop()
        loop.call_soon_threadsafe(lambda: loop.call_later(_AGAIN_SECONDS, self._look))

    def _join(self, feed: MergedFeed, engine: RemoteEngine) -> None:
        member = Member(engine.info.engine_id, title(engine.info))
        feed.join(member, lambda ready: engine.events(on_ready=ready))

    def _lost(self, path: Path, engine: RemoteEngine) -> None:
        with self._lock:
            self._others.pop(path, None)
            feed = self._feed
        if feed is not None:
            feed.leave(engine.info.engine_id)
        _sweep(path)

    # -- verbs --------------------------------------------------------------------------------------------------------

    def events(self, on_ready: Callable[[], None] | None = None) -> MergedFeed:
        """See `EngineApi`; one feed."""
        feed = MergedFeed(on_ready)
        feed.join(Member("", ""), lambda ready: self.local.events(on_ready=ready))
        with self._lock:
            self._feed = feed
            others = list(self._others.values())
        for engine in others:
            self._join(feed, engine)
        return feed

    def attach(
        self, session_id: str, at: int | None, sink: Sink, *, redacted: bool | None = None
    ) -> Call[Attachment | Refused]:
        """See `EngineApi`."""
        call: Call[Attachment | Refused] = self._of(session_id).attach(session_id, at, sink, redacted=redacted)
        return call

    def _of(self, session_id: str) -> Any:
        """The engine that has this job; the own one where none is known to."""
        feed = self._feed
        where = feed.engine_of(session_id) if feed is not None else ""
        with self._lock:
            return next((one for one in self._others.values() if one.info.engine_id == where), self.local)

    def _all(self) -> list[Any]:
        with self._lock:
            return [self.local, *self._others.values()]

    def _say(self, verb: Verb, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call[Any]:
        merge = _MERGED.get(verb.name)
        if merge is not None:
            return _together([getattr(one, verb.name)(*args, **kwargs) for one in self._all()], verb.name, merge)
        arguments = verb.signature.bind(self, *args, **kwargs).arguments
        name = next((arguments[key] for key in _NAMED if arguments.get(key)), "")
        if verb.name.startswith("goal_"):
            name = ""
        return getattr(self._of(str(name)) if name else self.local, verb.name)(*args, **kwargs)  # type: ignore[no-any-return]


def title(info: EngineInfo) -> str:
    """An engine's name for people: ``serve · 4711``."""
    return f"{info.label or info.kind} · {info.pid}"


def _is_busy(error: Exception) -> bool:
    """Does somebody listen who is slow or stopped, or has no place for us just now?"""
    return isinstance(error, TimeoutError | BlockingIOError) or isinstance(error.__cause__, EngineGone)


def _sweep(path: Path) -> None:
    """Remove the socket of a process that is dead."""
    pid = pid_of(path)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        with suppress(OSError):
            path.unlink()
    except OSError:
        return


def _together(calls: list[Call[Any]], what: str, merge: Callable[[list[Any]], Any]) -> Call[Any]:
    """One call for several. An engine that goes meanwhile, or another than the first that fails, is left out."""
    future: Future[Any] = Future()
    left = len(calls)
    lock = threading.Lock()

    def one_done(_call: Call[Any]) -> None:
        nonlocal left
        with lock:
            left -= 1
            if left:
                return
        error = calls[0].future.exception()
        if error is not None:
            future.set_exception(error)
            return
        answers = [call.future.result() for call in calls if call.future.exception() is None]
        try:
            future.set_result(merge(answers))
        except Exception as failure:  # noqa: BLE001  it is the asker's to handle
            future.set_exception(failure)

    future.set_running_or_notify_cancel()
    for call in calls:
        call.when_done(one_done)
    return Call(future, what, max(call.patience for call in calls))
