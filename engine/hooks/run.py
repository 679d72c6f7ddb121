"""One run of a hook: a child that is owned like a job, is told what happened, and ends within its time."""

import asyncio
import os
import time
from functools import partial
from typing import NamedTuple

import msgspec

from engine.config import Settings
from engine.hooks.hook import Hook
from engine.output.cleaning import clean
from engine.ownership.ledger import About
from engine.process.aside import aside
from engine.process.child import DirectChild, Wanted
from engine.process.environment import job_environment
from engine.process.program import Program, ProgramError, is_shell, resolve
from engine.process.stdin import InputRefused
from engine.process.teardown import Teardown
from engine.process.tree import Tree
from engine.redact import redact, redact_command
from engine.registry.registry import Registry
from engine.results import exit_label
from engine.spec import JobSpec, SpecError

_OUTPUT_BYTES = 4_096
"""What is kept of a hook's output, from its end."""
_SAID_LINES, _SAID_CHARS = 2, 300
"""What is told of it when it fails."""


class Failure(NamedTuple):
    """What went wrong with one."""

    what: str
    """In few words: ``failed (exit 7)``."""
    said: str = ""
    """What it said, or why."""


class Call(msgspec.Struct, frozen=True):
    """One event for one hook."""

    hook: Hook
    session_id: str
    """The job it is about."""
    job_name: str
    told: bytes
    """What it gets on its standard input."""
    exit_code: int | None = None


async def run(registry: Registry, call: Call, hurry: asyncio.Event) -> Failure | None:
    """Run it to its end; what went wrong. ``hurry`` set: it is ended now.

    When it is over nothing of it is left: what it has put in the background is ended with it.
    """
    settings = registry.settings
    hook_id = f"hook_{os.urandom(6).hex()}"
    command = call.hook.command
    spec = JobSpec(
        command=command if isinstance(command, str) else None,
        argv=None if isinstance(command, str) else command,
        cwd=call.hook.folder or None,
    )
    env = job_environment(hook_id, _about(call), (), pty=False)  # what is kept from jobs may well be for hooks
    try:
        program = await aside("jobdeck-hook", partial(_checked, spec, env, settings))
        child = _Child(registry, hook_id, program, env)
        await child.start(redact_command(spec.line))
    except (ProgramError, SpecError) as error:
        return Failure("can't be started", str(error))
    except OSError as error:
        return Failure("can't be started", error.strerror or str(error))
    return await child.see_through(call.told, hurry)


def _checked(spec: JobSpec, env: dict[str, str], settings: Settings) -> Program:
    spec.check()
    return resolve(spec, env, settings)


def _about(call: Call) -> dict[str, str | None]:
    """Few things, for hooks that don't read what they are told. Never a part of a command line."""
    return {
        "JOBDECK_EVENT": call.hook.event.removeprefix("on_"),
        "JOBDECK_JOB_ID": call.session_id,
        "JOBDECK_JOB_NAME": "".join(sign if sign.isprintable() else " " for sign in call.job_name),
        "JOBDECK_EXIT_CODE": None if call.exit_code is None else str(call.exit_code),
    }


class _Child:
    def __init__(self, registry: Registry, hook_id: str, program: Program, env: dict[str, str]) -> None:
        self._registry = registry
        self._id = hook_id
        self._program, self._env = program, env
        self._output = bytearray()
        self._over = asyncio.Event()
        self._late = False
        self._exited = False
        self._link: DirectChild | None = None

    async def start(self, command: str) -> None:
        """Start it, owned like a job.

        Raises:
            OSError: No process or descriptor is left.
        """
        registry = self._registry

        def make() -> DirectChild:
            wanted = Wanted(stdin_pipe=True)
            self._link = DirectChild(registry.loop, self._program, self._env, wanted, registry.settings)
            return self._link

        about = About(self._id, command, time.time(), settled=True)
        await registry.owned.spawn_owned(make, about, lambda link: link.watch(self._wrote, self._ended))

    def _wrote(self, _source: str, data: bytes) -> None:
        self._output += data
        del self._output[:-_OUTPUT_BYTES]

    def _ended(self) -> None:
        self._exited = True
        self._over.set()

    def _out_of_time(self) -> None:
        self._late = not self._exited
        self._over.set()

    async def see_through(self, told: bytes, hurry: asyncio.Event) -> Failure | None:
        """Tell it what happened and wait for its end; what went wrong."""
        registry, link = self._registry, self._link
        assert link is not None
        seconds = registry.settings.hook_seconds
        timer = registry.clock.call_later(seconds, self._out_of_time)
        hurried = registry.loop.create_task(hurry.wait())
        hurried.add_done_callback(lambda _: self._over.set())
        try:
            self._hand_in(link, told)
            await self._over.wait()
            ended = self._exited
            survivors = await self._end_all(link)
            if not self._exited:
                return Failure("can't be ended", survivors or "it is dead and not told so")
            link.drain(_OUTPUT_BYTES)
            code = link.reap()
        finally:
            timer.cancel()
            hurried.cancel()
            link.close()
            registry.owned.disown(link.identity.pid)
        if self._late:
            return Failure(f"was ended after {seconds:g} s", self._said())
        if not ended or code == 0:
            return None
        through_shell = is_shell(self._program.argv[0])
        return Failure(f"failed ({exit_label(code, 'exited', through_shell=through_shell)})", self._said())

    def _hand_in(self, link: DirectChild, told: bytes) -> None:
        if link.stdin is None:
            return
        try:
            link.stdin.write(told)
        except InputRefused:
            return  # it has closed its input already
        link.stdin.close()

    async def _end_all(self, link: DirectChild) -> str:
        """End whoever of it still runs; who couldn't be."""
        registry = self._registry
        tree = Tree(registry.probe, link.identity, self._id, with_escaped=True)
        at_once = asyncio.Event()
        if not registry.settings.term_grace_seconds:
            at_once.set()  # for a job that says: TERM, and no more; a hook is ended in any case
        try:
            survivors = await Teardown(tree, registry.settings, at_once, parent_first=False).run()
        except OSError as error:
            return f"the processes of this machine can't be listed: {error.strerror or error}"
        return ", ".join(f"{one.pid} ({one.why})" for one in survivors)

    def _said(self) -> str:
        text = redact(clean(self._output.decode(errors="replace")))
        lines = [line.strip() for line in text.splitlines() if line.strip()][-_SAID_LINES:]
        return " · ".join(lines)[-_SAID_CHARS:]
