"""The verbs of agents and batches (spec 4.6). On the engine's loop alone."""

import asyncio
import os
from collections.abc import Sequence

from engine.agents.agent import NAME_CHARS, UnknownAgent, job_of, short, shown_command
from engine.agents.answers import delegated, no_batch, no_child, stopped
from engine.agents.background import BackgroundAgents
from engine.agents.batch import Batch, new_id
from engine.agents.child import Child
from engine.agents.delivery import Delivery
from engine.agents.handles import Handles
from engine.agents.known import agents_of
from engine.agents.pool import Pool
from engine.agents.transcripts import BatchTranscripts
from engine.delegation import AgentTask
from engine.delegation_results import (
    AgentRow,
    AgentsListed,
    BatchResult,
    Delegated,
    RoomAwaited,
    Sent,
    Stopped,
)
from engine.events import BatchChanged
from engine.ownership.conversations import Conversation, open_conversations
from engine.process.aside import aside
from engine.registry.completing import completion_of
from engine.registry.conversing import end_conversation
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.results import Refused, Started
from engine.spec import Caller


class Agents:
    """Which agents there are, and what they are doing."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._pool = Pool(lambda: registry.settings.max_async_children)
        self._background = BackgroundAgents(registry)
        self._delivery = Delivery(registry)
        self._handles = Handles(registry.broadcast.postbox, self._delivery)
        registry.batch_views = self._handles.views

    # -- the engine's life --------------------------------------------------------------------------------------------

    async def recover(self) -> None:
        """Take over what dead engines have left of batches."""
        await self._delivery.recover()
        for record in self._delivery.all:
            view = record.batch
            if self._handles.get(view.batch_id) is None:
                self._registry.publish(lambda sequence, at, view=view: BatchChanged(sequence, at, view))  # type: ignore[misc]

    def close(self) -> None:
        """The engine ends."""
        self._delivery.let_go()

    # -- as they stand ------------------------------------------------------------------------------------------------

    async def listed(self, caller: Caller, folder: str) -> AgentsListed:
        """See `AgentApi`."""
        known = await agents_of(self._registry, folder)
        rows = tuple(AgentRow(name=name, command=shown_command(one), send=one.send) for name, one in known.all.items())
        return AgentsListed(
            agents=rows,
            background=tuple(one for one in self._background.handles() if self._handles.is_of(caller, one.parent)),
            batches=self._handles.views(caller),
            slots=self._pool.slots,
            slots_free=self._pool.free,
        )

    # -- verbs --------------------------------------------------------------------------------------------------------

    async def background(
        self, caller: Caller, prompt: str, agent: str, *, name: str, cwd: str | None, folder: str
    ) -> Started | Refused:
        """See `AgentApi`."""
        try:
            chosen = (await agents_of(self._registry, folder)).choose(agent)
            session_id = self._background.new_id(prompt)
            own, env = await self._env(caller, session_id)
            spec = job_of(chosen[1], prompt, name=name, cwd=cwd, env=env, notify=True)
        except (UnknownAgent, OSError) as error:
            return refused("background", str(error))
        started = await self._background.start(caller, session_id, spec, chosen[0], prompt)
        if isinstance(started, Started):
            self._registry.background(self._registry.loop.create_task(self._see_out(session_id, own)))
        return started

    async def delegate(
        self,
        caller: Caller,
        tasks: Sequence[str | AgentTask],
        agent: str,
        *,
        max_children: int,
        name: str,
        cwd: str | None,
        folder: str,
    ) -> Delegated | Refused:
        """See `AgentApi`."""
        wanted = [AgentTask(goal=one) if isinstance(one, str) else one for one in tasks]
        settings = self._registry.settings
        most = max_children or settings.max_children
        if not wanted or not all(one.goal.strip() for one in wanted):
            return refused("delegate", "a batch needs tasks, each said in words")
        if len(wanted) > settings.delegation_tasks:
            return refused("delegate", f"{len(wanted)} tasks: {settings.delegation_tasks} is the most of one batch")
        if most < 1:
            return refused("delegate", f"max_children is how many run side by side, at least 1, not {max_children}")
        if self._registry.closing.is_set():
            return refused("delegate", "the engine is shutting down")
        known = await agents_of(self._registry, folder)
        try:
            chosen = [known.choose(one.agent or agent) for one in wanted]
        except UnknownAgent as error:
            return refused("delegate", str(error))
        parent = self._handles.child_that_asks(caller)
        batch_id = new_id()
        # The check and the entry are one step; who was dispatched runs within its dispatcher's slot.
        if parent is None and not self._pool.enter(batch_id):
            full = f"all {self._pool.slots} slots for batches are taken: wait until one is free, or do it yourself"
            return Refused(status="rejected", error=f"delegate: {full}; nothing was started", retry=True)
        transcripts = BatchTranscripts(self._registry, batch_id, len(wanted))
        children = tuple(
            Child(
                self._registry,
                number,
                task,
                one,
                batch_id=batch_id,
                parent=parent.subagent_id if parent is not None else caller.owner,
                transcript=transcripts.of[number - 1],
                inbox=transcripts.inbox(number),
            )
            for number, (task, one) in enumerate(zip(wanted, chosen, strict=True), 1)
        )
        batch = Batch(
            batch_id,
            short(name or wanted[0].goal, NAME_CHARS),
            caller,
            children,
            transcripts,
            max_children=most,
            parent=parent.subagent_id if parent is not None else "",
        )
        self._handles.add(batch)
        self._forget_old()
        running = [one.batch_id for one in self._handles.running()]
        await transcripts.begin([one.goal for one in wanted], running)
        await self._delivery.begin(batch.view(), tells=caller.async_delivery and parent is None)
        self._changed(batch)
        self._registry.background(self._registry.loop.create_task(self._run(batch, cwd)))
        if parent is not None:
            await batch.over.wait()
            return delegated(batch, batch.view().status)
        return delegated(batch, "dispatched")

    async def result(self, caller: Caller, batch_id: str, timeout: float | None) -> BatchResult | Refused:
        """See `AgentApi`."""
        whole = self._handles.find_batch(caller, batch_id)
        if whole is None:
            return no_batch("batch_result", batch_id)
        batch = self._handles.get(whole)
        if batch is not None and not batch.over.is_set():
            most = self._registry.settings.wait_max_seconds
            try:
                await asyncio.wait_for(batch.over.wait(), most if timeout is None else min(timeout, most))
            except TimeoutError:
                return BatchResult(status="running", batch=batch.view(), results=batch.results)
        record = self._delivery.find(whole)
        view = batch.view() if batch is not None else record.batch if record is not None else None
        if view is None:
            return no_batch("batch_result", batch_id)
        if self._registry.broadcast.postbox.proven(view.owner, caller):
            self._delivery.consume(whole)
        results = batch.results if batch is not None else record.results if record is not None else ()
        return BatchResult(status=view.status, batch=view, results=results)

    async def stop(self, caller: Caller, wanted: str) -> Stopped | Refused:
        """See `AgentApi`."""
        if self._background.find(caller, wanted) is not None:
            return await self._background.stop(caller, wanted)
        whole = self._handles.find_batch(caller, wanted)
        if whole is None:
            return no_batch("stop", wanted)
        batch = self._handles.get(whole)
        if batch is None or batch.over.is_set():
            return Stopped(status="ok", cancelled=())
        running = [child for child in batch.children if not child.status.over]
        why = await batch.stop(caller)
        for child in running:
            why += await self._stop_nested(caller, child)
        return stopped([child.subagent_id for child in running], why)

    async def cancel(self, caller: Caller, wanted: str) -> Stopped | Refused:
        """See `AgentApi`."""
        if self._background.find(caller, wanted) is not None:
            return await self._background.stop(caller, wanted)
        child = self._handles.find_child(caller, wanted)
        if child is None:
            return no_child("cancel", wanted)
        if child.status.over:
            return Stopped(status="ok", cancelled=())
        why = await child.cancel(caller)
        return stopped([child.subagent_id], [*([why] if why else []), *await self._stop_nested(caller, child)])

    def send(self, caller: Caller, wanted: str, data: str) -> Sent | Refused:
        """See `AgentApi`."""
        if self._background.find(caller, wanted) is not None:
            return self._background.send(caller, wanted, data)
        child = self._handles.find_child(caller, wanted)
        if child is None:
            return no_child("send", wanted)
        if not data.strip():
            return refused("send", "the message is empty")
        via = child.send(caller, data)
        return via if isinstance(via, Refused) else Sent(status="ok", subagent_id=child.subagent_id, via=via)

    async def await_room(self, timeout: float | None) -> RoomAwaited:
        """See `AgentApi`."""
        most = self._registry.settings.wait_max_seconds
        there = await self._pool.room(most if timeout is None else min(timeout, most))
        return RoomAwaited(status="free" if there else "full", slots_free=self._pool.free)

    async def _see_out(self, session_id: str, own: Conversation) -> None:
        """Its conversation ends with it. Consoles show what it said, whether or not its owner is told."""
        registry = self._registry
        job = registry.jobs[session_id]
        await job.ended.wait()
        if not job.notify_on_complete:
            registry.publish(lambda sequence, at: completion_of(registry, job, sequence, at))
        await end_conversation(registry, Caller(owner=own.id))

    # -- a batch's life -----------------------------------------------------------------------------------------------

    async def _run(self, batch: Batch, cwd: str | None) -> None:
        async def env_of(child: Child) -> dict[str, str]:
            try:
                child.conversation, env = await self._env(batch.caller, batch.batch_id)
            except OSError as error:
                self._registry.trouble(f"{child.subagent_id} gets no conversation of its own", error)
                return {}
            return env

        try:
            await batch.run(cwd, env_of, self._nested_over, lambda: self._changed(batch))
        finally:
            self._pool.leave(batch.batch_id)
        self._publish(batch)
        batch.transcripts.keep_manifest(batch.view())
        await self._delivery.end(batch.view(), batch.results)

    async def _nested_over(self, child: Child) -> None:
        """It has ended, and so has its conversation: its jobs end, but for those that outlive it; its agents go on."""
        if child.conversation is not None:
            await end_conversation(self._registry, Caller(owner=child.conversation.id))
        for batch in self._handles.nested(child):
            await batch.over.wait()

    async def _stop_nested(self, caller: Caller, child: Child) -> list[str]:
        why: list[str] = []
        for batch in self._handles.nested(child):
            if not batch.over.is_set():
                running = [one for one in batch.children if not one.status.over]
                why += await batch.stop(caller)
                for one in running:
                    why += await self._stop_nested(caller, one)
        return why

    async def _env(self, caller: Caller, unit: str) -> tuple[Conversation, dict[str, str]]:
        """A conversation for who is dispatched, and what it finds in its environment."""
        conversation = await aside("jobdeck-batches", lambda: open_conversations().begin_for(caller.owner))
        return conversation, {
            "JOBDECK_CONVERSATION": conversation.id,
            "JOBDECK_TOKEN": conversation.token,
            "JOBDECK_ENGINE": str(os.getpid()),
            "JOBDECK_BATCH_ID": unit,
        }

    def _changed(self, batch: Batch) -> None:
        self._publish(batch)
        batch.transcripts.keep_manifest(batch.view())
        self._delivery.changed(batch.view(), batch.results)

    def _publish(self, batch: Batch) -> None:
        self._registry.publish(lambda sequence, at: BatchChanged(sequence, at, batch.view()))

    def _forget_old(self) -> None:
        """A batch is known as long as its transcripts are kept."""
        oldest = self._registry.clock.wall() - self._registry.settings.transcript_days * 86_400
        for record in self._delivery.all:
            if record.delivered and (record.batch.ended_at or oldest) < oldest:
                self._handles.forget(record.batch.batch_id)
                self._delivery.forget(record.batch.batch_id)
