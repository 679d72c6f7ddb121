"""Jobs under a holder: their start, and what happens when the holder is gone before its job (spec 3.4)."""

from functools import partial
from socket import socket
from typing import TYPE_CHECKING

from engine.ownership.calling import HolderError, born
from engine.ownership.held import held_folder
from engine.ownership.held_link import HeldLink
from engine.ownership.holding.folder import remove_folder
from engine.ownership.standing import start_question
from engine.process.aside import aside
from engine.process.child import Wanted
from engine.process.doorway import ScopeError
from engine.process.lead import Lead
from engine.process.program import Program, ProgramError
from engine.process.spawn import through_env
from engine.registry.ending import child_exited
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.stories import encoded_story
from engine.store.home import home_folder

if TYPE_CHECKING:
    from engine.process.scope import Scope

_START_SECONDS = 30.0
"""A Python that starts on a machine with much to do."""


async def start_held(
    registry: Registry, job: Job, program: Program, env: dict[str, str], wanted: Wanted, scope: "Scope | None"
) -> HeldLink:
    """Start a holder, and under it the job behind its gate; in its scope, in which the holder isn't.

    Raises:
        ProgramError: The holder can't be started.
        OSError: The job can't.
        ScopeError: It couldn't be brought into its scope.
    """
    settings = registry.settings
    lead = scope.lead_in(program.argv, env) if scope is not None else Lead(program.argv, env, ())
    folder = held_folder(home_folder()) / job.session_id
    try:
        sock = await aside("jobdeck-holder", partial(born, folder), socket.close)
    except HolderError as error:
        raise _nothing_runs(error) from error
    link = HeldLink(registry.loop, sock, folder, settings)
    question = start_question(
        program.cwd,
        (wanted.cols, wanted.rows) if wanted.pty else None,
        stdin_pipe=wanted.stdin_pipe,
        story=encoded_story(job),
        words=through_env(lead.argv, lead.env),
        env=lead.env,
        way_in=lead.way_in,
        seconds=settings.scope_seconds,
    )
    try:
        await link.ask(question, _START_SECONDS)
        if scope is not None:
            scope.enter(link.identity.pid)
    except HolderError as error:
        await aside("jobdeck-holder", lambda: remove_folder(str(folder)))  # else it removes that itself
        raise _nothing_runs(error) from error
    except ScopeError:
        link.cancel()
        raise
    watch_holder(registry, job, link)
    job.held = link.held
    return link


def _nothing_runs(error: HolderError) -> ProgramError:
    return ProgramError(f"{error}; nothing runs", None)


def watch_holder(registry: Registry, job: Job, link: HeldLink) -> None:
    """Say so if the holder ends before its job, and see to the job's end then."""
    link.on_trouble = lambda text: registry.notice(text, session_id=job.session_id)
    link.on_lost = partial(_lost, registry, job)
    link.looked = lambda: job.watching.looked_until


def _lost(registry: Registry, job: Job) -> None:
    """Nobody has the job's pipe or terminal any more, and nobody will know how it exits."""
    if job.finished or job.identity is None:
        return
    job.detached = True
    registry.ends.watch(job.identity, partial(child_exited, registry, job))
    registry.notice(
        f"the holder of {job.name} has been ended from outside: its output and input are lost. If it still runs it can "
        "be ended here, and its end will be seen, but not its exit code",
        session_id=job.session_id,
        owner=job.owner.owner,
    )
    registry.changed(job, at_once=True)
