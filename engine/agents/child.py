"""One child of a batch: a job of the registry, its transcript, and how it ended (spec 4.6)."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.agents.agent import UnknownAgent, job_of, short
from engine.agents.transcript import SYSTEM, USER, Transcript, append
from engine.config.entries import AgentEntry
from engine.delegation import AgentTask, ChildStatus, Handle, TaskResult
from engine.ownership.conversations import Conversation
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.kill import end_job
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.registry.start import StartError, spawn
from engine.registry.steer import submit
from engine.registry.tails import line_tail
from engine.results import Refused, end_text
from engine.spec import Caller, SpecError

_GOAL_CHARS = 2_000
"""Of a task's words that are shown."""
_INBOX_SECONDS = 2.0


class Child:
    """One task and who does it. On the engine's loop alone."""

    def __init__(
        self,
        registry: Registry,
        number: int,
        task: AgentTask,
        agent: tuple[str, AgentEntry],
        *,
        batch_id: str,
        parent: str,
        transcript: Transcript,
        inbox: Path,
    ) -> None:
        self.number = number
        self.subagent_id = f"sub_{os.urandom(4).hex()}"
        self.conversation: Conversation | None = None
        """Its own: what it starts is its own, and it can hand that to who dispatched it."""
        self.cancelled = False
        self.result: TaskResult | None = None
        """What came of it, once it is over."""
        self._registry = registry
        self._task = task
        self._goal = redact(task.goal)[:_GOAL_CHARS]
        self._agent_name, self._agent = agent
        self._batch_id = batch_id
        self._parent = parent
        self._transcript = transcript
        self._inbox = inbox
        self._status = ChildStatus.WAITING
        self._job: Job | None = None
        self._error = ""
        self._started_at: float | None = None
        self._ended_at: float | None = None

    @property
    def status(self) -> ChildStatus:
        """Where it is in its life."""
        return self._status

    @property
    def session_id(self) -> str:
        """Its job; empty before it is started."""
        return self._job.session_id if self._job is not None else ""

    def handle(self) -> Handle:
        """As it stands."""
        return Handle(
            subagent_id=self.subagent_id,
            session_id=self.session_id,
            goal=self._goal,
            parent=self._parent,
            role=redact(self._task.role),
            status=self._status,
            agent=self._agent_name,
            batch_id=self._batch_id,
            exit_code=self._job.exit_code if self._job is not None else None,
            started_at=self._started_at,
            ended_at=self._ended_at,
        )

    def _result(self) -> TaskResult:
        output, cut = "", 0
        if self._job is not None:
            output, cut = line_tail(self._job, self._registry.settings.delegation_result_chars)
        return TaskResult(
            number=self.number,
            subagent_id=self.subagent_id,
            session_id=self.session_id,
            goal=self._goal,
            status=self._status,
            exit_code=self._job.exit_code if self._job is not None else None,
            output=output,
            output_cut=cut,
            error=redact(self._error),
            seconds=(self._ended_at or time.time()) - (self._started_at or time.time()),
        )

    async def run(
        self, caller: Caller, cwd: str | None, env: Mapping[str, str], changed: Callable[[], None], name: str = ""
    ) -> None:
        """Do the task; returns when its job has ended. Raises nothing that isn't a defect."""
        if self.cancelled:
            self._over(ChildStatus.CANCELLED, "cancelled before it was started")
            return
        self._started_at = time.time()
        if self._agent.send == "inbox":
            await self._make_inbox()
        try:
            spec = job_of(
                self._agent,
                self._task.goal,
                name=name or short(self._task.goal),
                group=self._batch_id,
                cwd=cwd,
                env={**env, **self._own_env()},
                persist=False,
            )
            started = await spawn(self._registry, caller, spec, batch_id=self._batch_id)
        except (UnknownAgent, StartError, SpecError) as error:
            self._error = str(error)
            self._over(ChildStatus.FAILED, f"it could not be started: {error}")
            return
        job = self._job = self._registry.jobs[started.session_id]
        job.only_once = f"it is a child of {self._batch_id}, which counts what came of it; delegate its task anew"
        self._status = ChildStatus.RUNNING
        self._transcript.say(SYSTEM, f"{self._agent_name} runs as {job.session_id}, pid {job.pid}")
        self._transcript.follow(job)
        changed()
        if self.cancelled:
            await self._end("process.kill")
        await job.ended.wait()

    def settle(self) -> None:
        """Its job has ended, and all that it dispatched in turn."""
        job = self._job
        if job is None or self._status.over:
            return
        how = end_text(job.exit_code, job.completion_reason, job.termination_source, through_shell=job.through_shell)
        if job.completion_reason == "killed":
            self._over(ChildStatus.CANCELLED, f"it was cancelled: {how}")
        elif job.exit_code == 0:
            self._over(ChildStatus.DONE, how)
        else:
            self._error = how
            self._over(ChildStatus.FAILED, how)

    def give_up(self, error: Exception) -> None:
        """Something inside jobdeck went wrong with it."""
        self._registry.trouble(f"{self.subagent_id}, a child of {self._batch_id}, failed inside jobdeck", error)
        if not self._status.over:
            self._error = f"it failed inside jobdeck: {error}"
            self._over(ChildStatus.FAILED, self._error)

    async def cancel(self, caller: Caller) -> str:
        """End its tree; why that could not be done, else empty."""
        self.cancelled = True
        if self._job is None or self._job.finished:
            return ""
        return await self._end("operator" if caller.is_operator else "process.kill")

    async def _end(self, source: str) -> str:
        assert self._job is not None
        killed = await end_job(self._registry, self._job, source)
        return killed.error or "" if killed.status == "error" else ""

    def send(self, caller: Caller, data: str) -> str | Refused:
        """Put a message before a running child; by which way it goes."""
        job = self._job
        if job is None or job.finished or job.exit_seen:
            return refused("send", f"{self.subagent_id} doesn't run: {self._status}")
        if self._agent.send == "inbox":
            line = msgspec.json.encode({"at": time.time(), "text": data}).decode() + "\n"
            done = self._registry.writer.run(lambda: append(self._inbox, line))
            done.add_done_callback(self._sent)
        else:
            answer = submit(self._registry, caller, job.session_id, data)
            if isinstance(answer, Refused):
                return answer
        self._transcript.say(USER, data)
        return self._agent.send

    def _sent(self, done: "Future[None]") -> None:
        """On the writer's thread."""
        if (error := done.exception()) is not None:
            self._registry.told_by_file(f"a message to {self.subagent_id} can't be written to its inbox: {error}")

    async def _make_inbox(self) -> None:
        """So that who follows it finds it."""
        made = self._registry.writer.run(lambda: append(self._inbox, ""))
        with suppress(OSError, TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(made), _INBOX_SECONDS)

    def _own_env(self) -> dict[str, str]:
        env = {"JOBDECK_SUBAGENT_ID": self.subagent_id}
        if self.conversation is not None:
            env |= {"JOBDECK_CONVERSATION": self.conversation.id, "JOBDECK_TOKEN": self.conversation.token}
        if self._agent.send == "inbox":
            env["JOBDECK_INBOX"] = str(self._inbox)
        return env

    def _over(self, status: ChildStatus, why: str) -> None:
        self._status = status
        self._ended_at = time.time()
        self.result = self._result()
        if self._agent.send == "inbox":  # messages are in it as they are, secrets too
            self._registry.writer.run(lambda: self._inbox.unlink(missing_ok=True))
        self._transcript.end(why)
