"""``jobdeck completion``: the script that makes a shell complete jobdeck's words."""

import click

_HOW = {
    "bash": 'eval "$(jobdeck completion bash)"',
    "zsh": 'eval "$(jobdeck completion zsh)"',
    "fish": "jobdeck completion fish | source",
}


@click.command()
@click.argument("shell", type=click.Choice(sorted(_HOW)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes SHELL complete verbs, options, ids and names of jobs.

    \b
    bash, in ~/.bashrc:                    eval "$(jobdeck completion bash)"
    zsh, in ~/.zshrc, after compinit:      eval "$(jobdeck completion zsh)"
    fish, in ~/.config/fish/config.fish:   jobdeck completion fish | source
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "jobdeck", "_JOBDECK_COMPLETE").source())
