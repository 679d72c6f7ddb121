"""``jobdeck``: the console, and one verb a module for scripts."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from tui.cli import completed
from tui.cli.configured import configuration, take_option
from tui.cli.exit_codes import GOOD, REFUSED
from tui.cli.interrupts import end_at_once
from tui.cli.last_words import printed, unprinted
from tui.cli.leave import leave
from tui.cli.verbs import SECTIONS, VERBS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Deck(click.Group):
    """A group whose first word may also be a shell line: ``jobdeck 'npm run dev' 'pytest -f'``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All verbs, loaded or not."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """A verb, from its module."""
        if cmd_name in VERBS and cmd_name not in self.commands:
            from importlib import import_module

            module, _, name = VERBS[cmd_name].where.partition(":")
            verb = getattr(import_module(f"tui.cli.{module}"), name or cmd_name.replace("-", "_"))
            self.add_command(verb, cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """By what they are for."""
        for title, verbs in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, verb.about) for name, verb in verbs.items()], col_max=16)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem[Any]"]:
        """Verbs and options; nothing is loaded for it."""
        from click.shell_completion import CompletionItem

        options = click.Command.shell_complete(self, ctx, incomplete)
        return [
            *(CompletionItem(name, help=verb.about) for name, verb in VERBS.items() if name.startswith(incomplete)),
            *options,
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A verb by its name; anything else is lines for the console."""
        word = args[0]
        if word in VERBS:
            return super().resolve_command(ctx, args)
        if ctx.resilient_parsing:  # a shell completes: what is wrong is said when it is run
            return word, None if word == "help" else _console, args
        if word == "help":
            self._help(ctx, args[1:])
        import shutil
        from difflib import get_close_matches

        if " " not in word.strip() and shutil.which(word) is None:
            near = get_close_matches(word, self.list_commands(ctx), 1)
            hint = f"did you mean {near[0]!r}?" if near else "'jobdeck --help' lists the verbs"
            ctx.fail(f"no verb {word!r}, and no such program to run in the console; {hint}")
        if any(line.startswith("-") for line in args[1:]):
            import shlex

            line = " ".join([word if " " in word else shlex.quote(word), *map(shlex.quote, args[1:])])
            ctx.fail(
                "each word here is a shell line of its own, so options belong to none of them;\n"
                f"  jobdeck run -- {line}   runs it here, in the foreground\n"
                f"  jobdeck {shlex.quote(line)}   opens the console with it running"
            )
        return word, _console, args

    def _help(self, ctx: click.Context, words: list[str]) -> NoReturn:
        verb = self.get_command(ctx, words[0]) if words else None
        shown = click.Context(verb, ctx, words[0]) if verb is not None else ctx
        click.echo(shown.get_help())
        ctx.exit()


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"jobdeck {version('jobdeck')}")
        ctx.exit()


@click.group(cls=_Deck, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Say the version.")
@click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=take_option,
    help="Read this file instead of the folder's jobdeck.toml.",
)
@click.pass_context
def jobdeck(ctx: click.Context) -> None:
    """The console for background jobs that you and your coding agents start.

    \b
    jobdeck                            open the console
    jobdeck 'npm run dev' 'pytest -f'  open it with those shell lines running
    jobdeck run -- make -j8            run one command here, in the foreground
    jobdeck wait-for --pid 4321 --then 'make deploy'
    jobdeck goal start 'all tests pass' --step 'make test'

    In the console '?' shows every key. 'jobdeck VERB --help' tells more of a verb; most take --json. An ID is a job's
    id, a unique beginning of it of at least 4 characters, or a unique name.

    \b
    Exit codes of verbs: 0 good, 1 refused or the job failed, 2 bad usage,
                         3 no such job, 4 no engine.
    """
    if ctx.invoked_subcommand is None:
        ctx.exit(_open_console(ctx, ()))


@click.command(hidden=True, add_help_option=False)
@click.argument("lines", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def _console(ctx: click.Context, lines: tuple[str, ...]) -> None:
    ctx.exit(_open_console(ctx, lines))


def _open_console(ctx: click.Context, lines: Sequence[str]) -> int:
    from tui.cli.console import open_console

    return open_console(lines, configuration(ctx, aloud=False))


@jobdeck.command(context_settings={"allow_interspersed_args": False})
@click.option("-c", "--command", "line", metavar="LINE", help="A shell line, run under $SHELL (or /bin/sh).")
@click.option("--pty", is_flag=True, help="Give it a terminal of its own, as large as this one.")
@click.option("--cwd", metavar="FOLDER", shell_complete=completed.folders, help="Run it in this folder.")
@click.argument("argv", nargs=-1, shell_complete=completed.files, metavar="[--] [PROG [ARG]...]")
@click.pass_context
def run(ctx: click.Context, line: str | None, pty: bool, cwd: str | None, argv: tuple[str, ...]) -> None:
    """Run one command here, in the foreground.

    \b
    jobdeck run -- make -j8                 exact arguments
    jobdeck run -c 'make && ./deploy'       a shell line

    Its raw output goes to stdout and stderr, stdin is passed on, Ctrl-C ends its whole tree, and its exit code becomes
    this command's (128+N for death by signal N). Nothing of it outlives this process.
    """
    if bool(argv) == (line is not None):
        ctx.fail("give a program with its arguments ('jobdeck run -- make test'), or one shell line with -c")
    from engine.spec import JobSpec
    from tui.cli.run import run_foreground

    ctx.exit(run_foreground(JobSpec(command=line, argv=argv or None, pty=pty, cwd=cwd), configuration(ctx)))


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; never returns. With ``args`` the process is the caller's, and goes on if that likes."""
    if args is not None:
        sys.exit(_done(list(args)))
    end_at_once()
    leave(_done(None))


def _done(args: list[str] | None) -> int:
    """Do what the words say; the exit code, once what was said is out."""
    try:
        jobdeck.main(args=args, prog_name="jobdeck")
    except SystemExit as end:  # click's way, always with a number
        return printed(end.code) if isinstance(end.code, int) else REFUSED
    except OSError as error:
        # Not ours to mend: what was to be said can't be (a full disk below stdout), or the home is gone.
        return unprinted(error)
    return printed(GOOD)


if __name__ == "__main__":
    main()
