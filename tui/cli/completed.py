"""What a shell may complete a word by, loaded only when one asks (`tui.cli.completing`)."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def jobs(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """Any job of the caller's."""
    from tui.cli import completing

    return completing.jobs(ctx, incomplete)


def running_jobs(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """Those that run."""
    from tui.cli import completing

    return completing.jobs(ctx, incomplete, running=True)


def engines(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """Engines by kind and pid."""
    from tui.cli import completing

    return completing.engines(ctx, incomplete)


def goals(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """This home's goals."""
    from tui.cli import completing

    return completing.goals(incomplete)


def batches(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """Batches of agents, and background agents."""
    from tui.cli import completing

    return completing.agents(ctx, incomplete, children=False)


def subagents(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """Children of batches that run, and background agents."""
    from tui.cli import completing

    return completing.agents(ctx, incomplete, children=True)


def signals(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """Signals by name."""
    from tui.cli import completing

    return completing.signals(incomplete)


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """What the shell itself completes."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def folders(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list["CompletionItem[Any]"]:
    """Folders, likewise."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]
