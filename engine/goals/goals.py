"""The goals of this home and the verbs on them, whoever hosts them (spec 2.7)."""

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import Any

from engine.barriers.barriers import Barriers
from engine.goals.asks import Answer, Ask, Asked, Taken, goal_of, take_asks
from engine.goals.folder import GoalFolder
from engine.goals.goal import Goal
from engine.goals.hosting import Hosting
from engine.goals.starting import check_goal, new_state
from engine.goals.state import GoalState, encode
from engine.process.aside import aside
from engine.registry.ids import find_id
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.results import Refused
from engine.spec import OPERATOR, Caller, GoalSpec, SpecError
from engine.store.files import write_whole
from engine.store.folder_watch import FolderWatch
from engine.waiting import GoalView

_PREFIX = "goal_"
_ANSWER_SECONDS = 5.0
"""What a host's answer is waited for, and once more if it has begun to act."""
_LOOK_SECONDS = 0.03
_ANSWERED_SECONDS = 2.0


class Goals:
    """Goals by id. On the engine's loop alone."""

    def __init__(
        self, registry: Registry, barriers: Barriers, *, adopts: bool, folder: GoalFolder | None = None
    ) -> None:
        self._registry = registry
        self._folder = folder or GoalFolder()
        self._hosting = Hosting(registry, barriers, self._folder, adopts=adopts)
        self._watch: FolderWatch | None = None
        self._serving = asyncio.Lock()
        registry.goal_views = self.views

    # -- the engine's life --------------------------------------------------------------------------------------------

    def open(self) -> None:
        """The engine has begun: take over what nobody hosts, if it is one that does."""
        if self._hosting.adopts:
            self._in_background(self._begin_watching())

    def leave(self) -> None:
        """The engine is about to end its jobs: no goal may take that for an end of its step."""
        for hosted in self._hosting.hosted.values():
            hosted.goal.leave()
        if self._watch is not None:
            self._watch.close()

    async def answered(self) -> None:
        """Let who asked of our goals have the answer to what is in hand: what it did may be why we go."""
        with contextlib.suppress(TimeoutError):  # a disk that hangs holds up no end
            await asyncio.wait_for(self._serving.acquire(), _ANSWERED_SECONDS)
            self._serving.release()

    def close(self) -> None:
        """The engine ends. Blocks until what is to be saved is saved, two seconds at most."""
        self.leave()
        self._hosting.close()

    # -- as they stand ------------------------------------------------------------------------------------------------

    def views(self, caller: Caller) -> tuple[GoalView, ...]:
        """What the caller may know of, as far as this engine has seen, oldest first."""
        ours = [hosted.goal.view() for hosted in self._hosting.hosted.values()]
        others = [other.view for other in self._hosting.others.values()]
        return tuple(sorted((view for view in (*ours, *others) if self._is_of(caller, view)), key=_age))

    async def status(self, caller: Caller, wanted: str = "", verb: str = "goal status") -> list[GoalView] | Refused:
        """The caller's goals as they are at this moment, or the one whose id that is."""
        ours = {goal_id: hosted.goal.view() for goal_id, hosted in self._hosting.hosted.items()}
        known = frozenset({*ours, *self._hosting.removing})
        try:
            kept, unreadable = await aside("jobdeck-goals", lambda: _read_all(self._folder, known))
        except OSError as error:
            return refused(verb, f"the goals can't be read: {error.strerror or error} ({self._folder.path})")
        others = await self._hosting.views(kept)
        found = sorted((view for view in (*ours.values(), *others) if self._is_of(caller, view)), key=_age)
        if not wanted:
            return found
        goal_id = find_id(wanted, [view.goal_id for view in found], _PREFIX)
        if goal_id is None:
            there = find_id(wanted, list(unreadable), _PREFIX) if caller.is_operator else None
            if there is not None:
                return refused(verb, f"{there} can't be read: {unreadable[there]} ({self._folder.file(there)})")
            return Refused(status="not_found", error=f"{verb}: no goal {wanted!r}; 'goal status' lists them")
        return [view for view in found if view.goal_id == goal_id]

    # -- verbs --------------------------------------------------------------------------------------------------------

    async def start(self, caller: Caller, spec: GoalSpec) -> GoalView | Refused:
        """Begin a goal."""
        try:
            check_goal(spec)
        except SpecError as error:
            return refused("goal start", str(error))
        if self._registry.closing.is_set():
            return refused("goal start", "the engine is shutting down")
        state = new_state(spec, caller, self._registry.settings, self._registry.clock.wall())

        def keep() -> None:
            self._folder.make()
            write_whole(self._folder.file(state.goal_id), encode(state))

        lease = None
        self._hosting.starting.add(state.goal_id)
        try:
            lease = await self._hosting.claim(state.goal_id)
            await aside("jobdeck-goals", keep)
            if lease is None:
                return refused("goal start", f"another process has a goal of the id {state.goal_id}; start it again")
            goal = self._hosting.begin(state, lease, loops=True)
        except OSError as error:
            if lease is not None:
                await lease.release()
            return refused("goal start", f"it can't be kept: {error.strerror or error} ({self._folder.path})")
        finally:
            self._hosting.starting.discard(state.goal_id)
        await self._begin_watching()
        return goal.view()

    async def act(self, caller: Caller, wanted: str, ask: Ask) -> Answer | Refused:
        """Do a verb on a goal: here if we host it or nobody does, else by its host."""
        verb = f"goal {ask.verb}"
        found = await self.status(caller, str(wanted).strip() or "?", verb)
        if isinstance(found, Refused):
            return found
        goal_id = found[0].goal_id
        hosting = self._hosting
        if goal_id not in hosting.hosted:
            # Somebody who only drops by (a command line) changes how it stands, and lets it lie; only a resume stays.
            loops = hosting.adopts or ask.verb == "resume"
            await hosting.look(goal_id, host=True, loops=loops)
        hosted = hosting.hosted.get(goal_id)
        if hosted is None:
            if trouble := self._registry.leases.trouble:
                return refused(verb, f"it can't be said who hosts {goal_id}: {trouble}", retry=True)
            return await self._forward(goal_id, ask)
        if ask.verb == "resume":
            hosted.goal.loop()
            await self._begin_watching()
        return self._do(hosted.goal, caller, ask)

    def _do(self, goal: Goal, caller: Caller, ask: Ask) -> Answer:
        refusal: Refused | None = None
        barrier, lifted = None, False
        if ask.verb == "pause":
            refusal = goal.pause(ask.reason or "paused by its owner")
        elif ask.verb == "resume":
            refusal = goal.resume()
        elif ask.verb == "unwait":
            lifted = goal.unwait()
        elif ask.verb == "clear":
            goal.clear()
            self._hosting.forget(goal.state.goal_id)
        elif ask.verb == "wait":
            found = goal.wait(caller, ask.spec)
            if isinstance(found, Refused):
                refusal = found
            else:
                barrier = found.view
        else:
            refusal = refused(f"goal {ask.verb}", "there is no such verb")
        if refusal is not None:
            return Answer(status=refusal.status, error=refusal.error)
        return Answer(goal=goal.view(), barrier=barrier, lifted=lifted)

    # -- other hosts --------------------------------------------------------------------------------------------------

    async def _forward(self, goal_id: str, ask: Ask) -> Answer | Refused:
        """Have its host do it."""
        verb = f"goal {ask.verb}"
        loop = self._registry.loop
        try:
            asked = await aside("jobdeck-goals", lambda: Asked(self._folder.path, goal_id, ask))
            ends = loop.time() + _ANSWER_SECONDS
            in_hand = False
            while True:
                answer = await aside("jobdeck-goals", asked.answer)
                if answer is not None:
                    return answer
                if loop.time() >= ends:
                    if in_hand or await aside("jobdeck-goals", asked.take_back):
                        break
                    in_hand, ends = True, loop.time() + _ANSWER_SECONDS
                await asyncio.sleep(_LOOK_SECONDS)
        except (OSError, ValueError) as error:
            return refused(verb, f"the process that hosts {goal_id} can't be asked: {error}")
        now = await self.status(OPERATOR, goal_id)
        view = now[0] if not isinstance(now, Refused) and now[0].host else None
        if view is None:
            return refused(verb, f"whoever hosts {goal_id} doesn't answer", retry=True)
        until = time.strftime("%H:%M:%S", time.localtime(view.lease_until))
        return refused(
            verb,
            f"{view.host}, which hosts {goal_id}, doesn't answer; from {until} on it can be taken over",
            retry=True,
        )

    async def _begin_watching(self) -> None:
        """See what others change, and what they ask of us."""
        if self._watch is not None or self._registry.closing.is_set():
            return
        try:
            await aside("jobdeck-goals", self._folder.make)
        except OSError as error:
            self._registry.trouble("the goals of this home can't be looked at", error)
            return
        if self._watch is None:
            self._watch = FolderWatch(self._registry.loop, self._folder.path, self._changed, self._registry.trouble)
        await self._look(frozenset())

    def _changed(self, names: frozenset[str]) -> None:
        if not self._registry.closing.is_set():
            self._in_background(self._look(names))

    async def _look(self, names: frozenset[str]) -> None:
        """Something of these files changed; empty: of any."""
        await self._serve()
        if not self._hosting.adopts:
            return
        try:
            kept = await aside("jobdeck-goals", self._folder.ids)
        except OSError as error:
            self._registry.trouble("the goals of this home can't be looked at", error)
            return
        concerned = {goal_of(name) for name in names} if names else {*kept, *self._hosting.others}
        for goal_id in sorted(concerned & {*kept, *self._hosting.others}):
            await self._hosting.look(goal_id, host=True)

    async def _serve(self) -> None:
        """Do what others ask of the goals that we host."""
        async with self._serving:
            ours = frozenset(self._hosting.hosted)
            if not ours:
                return
            for taken in await aside("jobdeck-goals", lambda: take_asks(self._folder.path, ours)):
                await self._answer(taken)

    async def _answer(self, taken: Taken) -> None:
        hosted = self._hosting.hosted.get(taken.goal_id)
        if hosted is None:
            answer = Answer(status="not_found", error=f"goal {taken.ask.verb}: {taken.goal_id} was cleared")
        else:
            answer = self._do(hosted.goal, OPERATOR, taken.ask)
        try:
            await aside("jobdeck-goals", lambda: taken.answer(answer))
        except OSError as error:
            self._registry.trouble("an answer to who asked of a goal can't be written", error)

    def _is_of(self, caller: Caller, view: GoalView) -> bool:
        return caller.is_operator or self._registry.broadcast.postbox.proven(view.owner, caller)

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        self._registry.background(self._registry.loop.create_task(work))


def _age(view: GoalView) -> tuple[float, str]:
    return view.created_at, view.goal_id


def _read_all(folder: GoalFolder, without: frozenset[str]) -> tuple[list[GoalState], dict[str, str]]:
    """The goals that are kept, but for some; and why others of them can't be read."""
    states: list[GoalState] = []
    unreadable: dict[str, str] = {}
    for goal_id in folder.ids():
        if goal_id in without:
            continue
        try:
            state = folder.read(goal_id)
        except OSError as error:
            unreadable[goal_id] = error.strerror or str(error)
            continue
        if state is not None:
            states.append(state)
    return states, unreadable
