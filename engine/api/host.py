"""The engine: one thread, one asyncio loop, sole owner of all job state (design 5)."""

import asyncio
import os
import signal
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from engine.api.call import Call, EngineGone
from engine.api.heard import Heard
from engine.api.local import LocalApi
from engine.api.protocol import EngineApi
from engine.barriers.barriers import Barriers
from engine.clock import Clock
from engine.config import Configuration, Settings
from engine.hooks.hooks import Hooks
from engine.process.descriptors import seal_inherited
from engine.registry.bulk import abandon_turn
from engine.registry.kill import kill
from engine.registry.recovery import see_to_the_dead
from engine.registry.registry import Registry
from engine.registry.start import spawn
from engine.registry.tap import RawTap
from engine.results import Started
from engine.spec import OPERATOR, Caller, JobSpec
from engine.store.trouble import record_trouble

if TYPE_CHECKING:
    from engine.agents.agents import Agents
    from engine.goals.goals import Goals
    from engine.services.following import Following
    from engine.services.services import Services

T = TypeVar("T")
_SLACK_SECONDS = 5.0


class Engine(LocalApi):
    """Runs jobs. A context manager; its own verbs act as the operator, `api` binds others.

    The thread starts with the object. Leaving the context ends every job with its whole tree, but for those that run
    under a holder (``persist_on_release``): these it lets go of, and the next engine takes them over.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        configuration: Configuration | None = None,
        clock: Clock | None = None,
        adopts_goals: bool = False,
        recovers: bool = True,
        follows: bool = False,
        runs_jobs: bool = False,
    ) -> None:
        """Start it.

        Args:
            settings: Its figures; else those of the configuration.
            configuration: What the files say.
            clock: For tests.
            adopts_goals: Take over the goals of this home that nobody hosts, now and whenever a host dies.
            recovers: Take over the jobs and notices of engines that died. Not for one that only lives for a command.
            follows: Take in changes of the configuration's files.
            runs_jobs: Run the jobs of the configuration as it says.
        """
        super().__init__(self, OPERATOR)
        configuration = configuration or Configuration()
        self._settings = settings or configuration.settings
        self._configuration = configuration
        self._clock = clock
        self._adopts_goals = adopts_goals
        self._recovers = recovers
        self._follows, self._runs_jobs = follows, runs_jobs
        self._services: Services | None = None
        self._following: Following | None = None
        self._goals: Goals | None = None
        self._delegation: Agents | None = None
        self._calls: set[Future[Any]] = set()
        self._calls_lock = threading.Lock()
        self._on_death: list[Callable[[], None]] = []
        self._gone = False
        self._shutting_down = False
        self._ready: Future[None] = Future()
        self._owner = os.getpid()
        seal_inherited()
        self._thread = threading.Thread(target=self._run, name="jobdeck-engine", daemon=True)
        self._thread.start()
        self._ready.result()
        let_go = weakref.WeakMethod(self._forked)
        os.register_at_fork(after_in_child=lambda: (method := let_go()) and method())

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_exc: object) -> None:
        self.shutdown()

    @property
    def settings(self) -> Settings:
        """Its figures as they hold now; on any thread."""
        return self._registry.settings

    @property
    def configuration(self) -> Configuration:
        """What the files say now; on any thread."""
        return self._registry.configuration

    @property
    def registry(self) -> Registry:
        """The jobs; touched on the engine's loop alone."""
        return self._registry

    @property
    def barriers(self) -> Barriers:
        """What is waited for; touched on the engine's loop alone."""
        return self._barriers

    @property
    def goals(self) -> "Goals":
        """The goals of this home; touched on the engine's loop alone. Loaded when first asked for."""
        if self._goals is None:
            from engine.goals.goals import Goals

            self._goals = Goals(self._registry, self._barriers, adopts=self._adopts_goals)
        return self._goals

    @property
    def delegation(self) -> "Agents":
        """Agents and batches; touched on the engine's loop alone. Loaded when first asked for."""
        if self._delegation is None:
            from engine.agents.agents import Agents

            self._delegation = Agents(self._registry)
        return self._delegation

    @property
    def alive(self) -> bool:
        """Does the engine's thread still run?"""
        return not self._gone

    def api(self, caller: Caller) -> EngineApi:
        """The interface bound to one caller."""
        return LocalApi(self if caller.is_operator else Heard(self, caller.owner), caller)

    def on_death(self, told: Callable[[], None]) -> None:
        """Call ``told`` on the engine's thread when it ends without having been shut down; it must not block."""
        self._on_death.append(told)

    def foreground(self, spec: JobSpec, tap: RawTap) -> Call[Started]:
        """Start a job whose raw bytes also go through ``tap``, which may slow it down (``jobdeck run``)."""
        return self.call_async("spawn", lambda: spawn(self._registry, OPERATOR, spec, tap=tap))

    def shutdown(self, source: str = "quit", *, keep: bool = True) -> None:
        """End all jobs with their trees, then the thread. ``source`` becomes their ``termination_source``.

        ``keep``: those that run under a holder (``JobView.persist_on_release``) are let go of instead: they run on,
        and nothing is said of an end. Else they are ended like the others. To keep some of them, `kill` the rest first.

        Blocks until it is done: about a grace and a proof at most. Safe to call twice, and from any thread.
        """
        with self._calls_lock:
            first, self._shutting_down = not self._shutting_down, True
        if os.getpid() != self._owner:
            return  # a forked child of the process whose engine it is
        if not first or self._gone:
            self._thread.join()
            if first:
                self._close()  # its thread crashed and left all as it was
            return
        settings = self.settings
        most = settings.term_grace_seconds + settings.kill_proof_seconds + _SLACK_SECONDS
        most += settings.far_end_seconds if self._registry.configuration.hosts else 0.0
        most += settings.hooks_leave_seconds + settings.term_grace_seconds
        try:
            self.call_async("shutdown", lambda: self._end_all(source, keep=keep)).result(most)
        except (KeyboardInterrupt, SystemExit):
            self._shutting_down = False  # interrupted: the next call does it again
            raise
        except TimeoutError:
            record_trouble("jobs could not be ended in time at shutdown; the supervisor ends what is left")
        except EngineGone:
            pass
        self.post(self._loop.stop)
        self._thread.join()

    def call(self, what: str, make: Callable[[], T]) -> Call[T]:
        """Run ``make`` on the engine's loop. The call raises `EngineGone` if the engine ends before it answers."""

        def answer(future: Future[T]) -> None:
            future.set_result(make())

        return self._call(what, answer, 0.0)

    def call_async(self, what: str, make: Callable[[], Coroutine[Any, Any, T]], patience: float = 0.0) -> Call[T]:
        """Run a coroutine on the engine's loop, which may rightly take ``patience`` seconds; else as `call`."""

        def answer(future: Future[T]) -> None:
            self._loop.create_task(make()).add_done_callback(lambda done: _copy(done, future))

        return self._call(what, answer, patience)

    def post(self, do: Callable[[], None]) -> None:
        """Run ``do`` on the engine's loop, unless the engine is gone."""
        # On the loop's own thread it needs no waking, which is a write to a socket.
        own = threading.get_ident() == self._thread.ident
        try:
            (self._loop.call_soon if own else self._loop.call_soon_threadsafe)(do)
        except RuntimeError:
            return

    def _call(self, what: str, answer: Callable[[Future[T]], None], patience: float) -> Call[T]:
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    answer(future)
                except Exception as error:  # noqa: BLE001  it is the caller's to handle
                    future.set_exception(error)

        with self._calls_lock:
            gone = self._gone
            if not gone:
                self._calls.add(future)
        if gone:
            future.set_exception(EngineGone("the engine has shut down"))
        else:
            future.add_done_callback(self._forget)
            self.post(run)
        return Call(future, what, patience)

    def _forked(self) -> None:
        """In a forked child: it has no engine thread, and must not hold the supervisor's pipe open."""
        self._gone = True
        self._registry.forked()

    def _forget(self, future: "Future[Any]") -> None:
        with self._calls_lock:
            self._calls.discard(future)

    def _abandon(self, turn_id: str) -> None:
        registry = self._registry
        registry.background(self._loop.create_task(abandon_turn(registry, turn_id)))

    async def _end_all(self, source: str, *, keep: bool) -> None:
        registry = self._registry
        registry.closing.set()
        if self._goals is not None:
            self._goals.leave()
        running = [job for job in registry.jobs.values() if not (job.finished or (keep and job.held is not None))]
        await asyncio.gather(
            *(kill(registry, OPERATOR, job.session_id, source=source) for job in running), return_exceptions=True
        )
        if self._goals is not None:
            await self._goals.answered()
        await self._hooks.leave()

    def _run(self) -> None:
        crash: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        try:
            asyncio.set_event_loop(self._loop)
            # A pipe whose reader is gone is an error to us, whatever the host has set for itself.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
            self._registry = Registry(self._loop, self._settings, self._clock)
            self._registry.configuration = self._configuration
            self._registry.turns.on_silence = self._abandon
            self._registry.hooks = self._hooks = Hooks(self._registry)
            self._barriers = Barriers(self._registry)
            if self._adopts_goals:
                self._loop.call_soon(self.goals.open)
            self._loop.set_exception_handler(self._unhandled)
            seeing = self._loop.create_task(see_to_the_dead(self._registry, recovers=self._recovers))
            self._registry.background(seeing)
            self._loop.call_soon(self._live_by_files, seeing)
            if self._recovers and (self._registry.home / "delegations").is_dir():
                self._registry.background(self._loop.create_task(self.delegation.recover()))
            self._ready.set_result(None)
            self._loop.run_forever()
        except BaseException as error:  # noqa: BLE001  the thread's end must be told, whatever it was
            crash = error
            if not self._ready.done():
                self._ready.set_exception(error)
        finally:
            self._end(crash)

    def _live_by_files(self, seeing: "asyncio.Task[None]") -> None:
        """What dead engines left of the file's jobs is taken over before any is started."""
        services = self._services_for(self._configuration)
        if services is not None:
            self._registry.background(self._loop.create_task(services.open(seeing)))
        if self._follows and self._configuration.files:
            from engine.services.following import Following

            self._following = Following(self._registry, self._services_for)

    def _services_for(self, configuration: Configuration) -> "Services | None":
        """Who runs the jobs of the configuration; loaded with the first that there are."""
        if self._services is None and self._runs_jobs and configuration.jobs:
            from engine.services.services import Services

            self._services = Services(self._registry)
        return self._services

    def _end(self, crash: BaseException | None) -> None:
        with self._calls_lock:
            self._gone = True
            unanswered = tuple(self._calls)
        if crash is not None or not self._shutting_down:
            record_trouble("the engine's thread ended", crash)
        for future in unanswered:
            _fail(future, EngineGone("the engine has ended; its jobs end with this process"))
        if self._shutting_down:
            self._close()
        else:
            for told in self._on_death:
                told()

    def _close(self) -> None:
        """Let go of everything; what still runs is ended by the supervisor. On the thread that has the loop now."""
        self._barriers.close()
        if self._goals is not None:
            self._goals.close()
        for part in (self._following, self._services):
            if part is not None:
                part.close()
        if self._delegation is not None:
            self._delegation.close()
        self._registry.close()
        if self._services is not None:
            self._services.closed()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=1))
        self._loop.close()

    def _unhandled(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._registry.trouble(
            str(context.get("message", "the engine's loop")), error if isinstance(error, BaseException) else None
        )


def _copy(done: "asyncio.Future[T]", future: "Future[T]") -> None:
    if future.done():
        return
    if done.cancelled():
        future.set_exception(EngineGone("the engine ended before it answered"))
    elif (error := done.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(done.result())


def _fail(future: "Future[Any]", error: Exception) -> None:
    try:
        if not future.done():
            future.set_exception(error)
    except Exception:  # noqa: BLE001  answered by another thread in between
        return
