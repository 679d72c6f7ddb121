"""A program that does a task, as ``[agents.NAME]`` names it, and the job that it becomes."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from engine.config.entries import AgentEntry
from engine.redact import redact, redact_command
from engine.spec import JobSpec

PROMPT = "{prompt}"
"""In a word of the command: here goes the task."""
_JOB_NAME_CHARS = 24
NAME_CHARS = 60
"""Of a batch's name."""
_PROMPT_BYTES = 120_000
"""What a kernel takes as one argument is 128 KiB."""


class UnknownAgent(ValueError):
    """There is no such agent; the text says which there are."""


def choose(agents: Mapping[str, AgentEntry], wanted: str) -> tuple[str, AgentEntry]:
    """The agent of that name; the only one where none is named.

    Raises:
        UnknownAgent: There is none, or more than one.
    """
    if wanted in agents:
        return wanted, agents[wanted]
    if not agents:
        raise UnknownAgent('no agent is configured: name one in jobdeck.toml, [agents.NAME] command = ["PROG", …]')
    named = ", ".join(sorted(agents))
    if wanted:
        raise UnknownAgent(f"there is no agent {wanted!r}; there are: {named}")
    if len(agents) > 1:
        raise UnknownAgent(f"which agent? There are: {named}")
    return next(iter(agents.items()))


def job_of(
    agent: AgentEntry,
    prompt: str,
    *,
    name: str = "",
    group: str = "",
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    notify: bool = False,
    persist: bool | None = None,
) -> JobSpec:
    """The job that has this agent do this.

    Raises:
        UnknownAgent: The task can't be handed to a program.
    """
    if not prompt.strip():
        raise UnknownAgent("a task is said in words: what is to be done?")
    if len(os.fsencode(prompt)) > _PROMPT_BYTES:
        raise UnknownAgent(f"a task of more than {_PROMPT_BYTES:,} bytes: put it into a file and name that")
    additions: dict[str, str | None] = {key: None if value is False else str(value) for key, value in agent.env.items()}
    folder = agent.cwd or cwd
    return JobSpec(
        argv=tuple(word.replace(PROMPT, prompt) for word in agent.command),
        name=name or short(prompt),
        group=group,
        cwd=str(Path(folder).expanduser()) if folder else None,
        env={**additions, **(env or {})},
        pty=agent.pty,
        stdin="pipe" if agent.send == "stdin" and not agent.pty else "null",
        notify_on_complete=notify,
        persist_on_release=persist,
    )


def shown_command(agent: AgentEntry) -> str:
    """Its command for people."""
    return redact_command(shlex.join(agent.command))


def short(prompt: str, most: int = _JOB_NAME_CHARS) -> str:
    """The beginning of a task, redacted, as a name of so many characters at most."""
    line = " ".join(redact(prompt).split())
    return line if len(line) <= most else line[: most - 1] + "…"
