"""Every verb of the command line by what it is for: in which module it is, and what it does in a line.

So that help and completion needn't load them all.
"""

from typing import NamedTuple


class Verb(NamedTuple):
    """One verb."""

    where: str
    """Its module in this package; ``module:name`` where its name there isn't that of the verb."""
    about: str
    """What it does, as the list of verbs tells it."""


SECTIONS: dict[str, dict[str, Verb]] = {
    "Start": {
        "run": Verb("main", "run one command here, in the foreground"),
        "start": Verb("start", "start a job in the background and print its id"),
        "restart": Verb("jobs", "end a job if it runs, and start it again"),
    },
    "Look": {
        "list": Verb("jobs:list_jobs", "list your jobs on all engines, running and finished"),
        "poll": Verb("jobs", "say how a job stands, with the end of its output"),
        "wait": Verb("jobs", "wait for a job's end, as long as it takes"),
        "log": Verb("jobs", "print a job's output; -f goes on with what comes"),
        "screen": Verb("jobs", "print a job's terminal as a person would see it now"),
        "receipts": Verb("receipts", "results of jobs that have ended, from the disk"),
    },
    "Steer": {
        "write": Verb("jobs", "send text to a job's input as it is"),
        "submit": Verb("jobs", "send a line and Enter to a job's input"),
        "close": Verb("jobs", "tell a job that no more input comes (EOF)"),
        "kill": Verb("jobs", "end a job with its whole tree"),
        "kill-all": Verb("jobs", "end all your running jobs"),
        "signal": Verb("jobs", "send one signal to a job"),
        "handoff": Verb("jobs", "give a job to the conversation that this one works for"),
        "close-terminal": Verb("jobs", "close a job's tab in every console"),
    },
    "Agents": {
        "background": Verb("agents", "have an agent do a task in the background"),
        "delegate": Verb("agents", "have agents do several tasks side by side, as one batch"),
        "agents": Verb("agents", "list the agents, and what you have them do"),
        "send": Verb("agents", "put a message before a running agent"),
        "cancel": Verb("agents", "end one agent of a batch"),
        "stop": Verb("agents", "end a whole batch, or a background agent"),
    },
    "Wait for things": {
        "wait-for": Verb("wait_for", "wait for a job, a line, a process or a time, then run a command"),
        "goal": Verb("goal", "objectives with a loop: step, judge, again"),
    },
    "Hosts, and this machine": {
        "engines": Verb("hosts", "list who hosts jobs here"),
        "serve": Verb("hosts", "host jobs without a screen"),
        "mcp": Verb("mcp", "serve a coding agent (Model Context Protocol)"),
        "config": Verb("config", "show the configuration that holds, and where each value came from"),
        "init": Verb("init", "write a jobdeck.toml from a Procfile, package.json, mprocs.yaml …"),
        "doctor": Verb("doctor", "check terminal, home and machine, and mend what is wrong"),
        "completion": Verb("completion", "print what makes your shell complete verbs, jobs and options"),
    },
}
"""In the order in which help tells them."""

VERBS = {name: verb for section in SECTIONS.values() for name, verb in section.items()}
"""All of them by name."""
