"""The engine: one thread, one asyncio loop, sole owner of all job state (design 5)."""

import asyncio
import os
import signal
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from engine.api.call import Call, EngineGone
from engine.api.calls import Calls
from engine.api.heard import Heard
from engine.api.local import LocalApi
from engine.api.protocol import EngineApi
from engine.api.upper_rooms import UpperRooms
from engine.barriers.barriers import Barriers
from engine.clock import Clock
from engine.config import Configuration, Settings
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

T = TypeVar("T")
_SLACK_SECONDS = 5.0
_CANCEL_ROUNDS = 3
"""What is cancelled at the end may begin something in its stead: a job's end, its notice."""


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
        self._adopts_goals, self._runs_jobs = adopts_goals, runs_jobs
        self._recovers, self._follows = recovers, follows
        self._calls = Calls()
        self._on_death: list[Callable[[], None]] = []
        self._ending = threading.Lock()
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
        return self._rooms.barriers

    @property
    def goals(self) -> "Goals":
        """The goals of this home; touched on the engine's loop alone. Loaded when first asked for."""
        return self._rooms.goals

    @property
    def delegation(self) -> "Agents":
        """Agents and batches; touched on the engine's loop alone. Loaded when first asked for."""
        return self._rooms.delegation

    @property
    def alive(self) -> bool:
        """Does the engine's thread still run?"""
        return not self._calls.over

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
        with self._ending:
            first, self._shutting_down = not self._shutting_down, True
        if os.getpid() != self._owner:
            return  # a forked child of the process whose engine it is
        if not first or self._calls.over:
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
        return self._calls.call(what, make)

    def call_async(self, what: str, make: Callable[[], Coroutine[Any, Any, T]], patience: float = 0.0) -> Call[T]:
        """Run a coroutine on the engine's loop, which may rightly take ``patience`` seconds; else as `call`."""
        return self._calls.call_async(what, make, patience)

    def post(self, do: Callable[[], None]) -> None:
        """Run ``do`` on the engine's loop, unless the engine is gone."""
        self._calls.post(do)

    def _forked(self) -> None:
        """In a forked child: it has no engine thread, and must not hold the supervisor's pipe open."""
        self._calls.over = True
        self._registry.forked()

    def _abandon(self, turn_id: str) -> None:
        registry = self._registry
        registry.background(self._loop.create_task(abandon_turn(registry, turn_id)))

    async def _end_all(self, source: str, *, keep: bool) -> None:
        registry = self._registry
        registry.closing.set()
        self._rooms.leave()
        running = [job for job in registry.jobs.values() if not (job.finished or (keep and job.held is not None))]
        await asyncio.gather(
            *(kill(registry, OPERATOR, job.session_id, source=source) for job in running), return_exceptions=True
        )
        await self._rooms.left()

    def _run(self) -> None:
        crash: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        try:
            asyncio.set_event_loop(self._loop)
            self._calls.serve(self._loop)
            # A pipe whose reader is gone is an error to us, whatever the host has set for itself.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
            self._registry = Registry(self._loop, self._settings, self._clock)
            self._registry.configuration = self._configuration
            self._registry.turns.on_silence = self._abandon
            self._rooms = UpperRooms(self._registry, adopts_goals=self._adopts_goals, runs_jobs=self._runs_jobs)
            self._loop.set_exception_handler(self._unhandled)
            seeing = self._loop.create_task(see_to_the_dead(self._registry, recovers=self._recovers))
            self._registry.background(seeing)
            self._rooms.open(recovers=self._recovers)
            self._loop.call_soon(partial(self._rooms.live_by_files, seeing, follows=self._follows))
            self._ready.set_result(None)
            self._loop.run_forever()
        except BaseException as error:  # noqa: BLE001  the thread's end must be told, whatever it was
            crash = error
            if not self._ready.done():
                try:
                    self._close_loop()  # the caller gets the error in the engine's place: nothing to shut down
                finally:
                    self._ready.set_exception(error)
        finally:
            self._end(crash)

    def _end(self, crash: BaseException | None) -> None:
        if crash is not None or not self._shutting_down:
            record_trouble("the engine's thread ended", crash)
        self._calls.end()
        if self._shutting_down:
            self._close()
        else:
            for told in self._on_death:
                told()

    def _close(self) -> None:
        """Let go of everything; what still runs is ended by the supervisor. On the thread that has the loop now."""
        self._rooms.close()
        self._close_loop()

    def _close_loop(self) -> None:
        for _ in range(_CANCEL_ROUNDS):
            tasks = asyncio.all_tasks(self._loop)
            if not tasks:
                break
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=1))
        self._loop.close()

    def _unhandled(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        what, error = str(context.get("message", "the engine's loop")), context.get("exception")
        # What is left of a task that outlived the loop is told when it is taken apart: nobody gets notices any more.
        tell = record_trouble if self._loop.is_closed() else self._registry.trouble
        tell(what, error if isinstance(error, BaseException) else None)
