"""Opens the console: an engine on its own thread, the screen on this one, the terminal as it was afterwards."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.cli.exit_codes import INTERRUPTED, USAGE
from tui.cli.interrupts import Heard

if TYPE_CHECKING:
    from engine import Configuration, Engine
    from engine.wire.server import Server

SWITCH_SECONDS = 0.001
"""How long a busy thread may keep another waiting (the interpreter's own 5 ms make keys lag)."""


_UNFIT = ("", "dumb", "unknown")


def open_console(lines: Sequence[str], configuration: "Configuration") -> int:
    """Run the console with these shell lines started in it; returns the exit code.

    However it ends, the terminal is restored first and the jobs are ended after it; only where the terminal itself was
    lost they go on, without a screen (`tui.cli.headless`).
    """
    # Textual draws on stderr and reads from stdin; stdout is asked for because a person who pipes it means a verb.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        sys.stderr.write(
            "jobdeck: the console needs a terminal, and this isn't one.\n"
            "  jobdeck run -- COMMAND   runs one job here and passes its output on\n"
            "  jobdeck --help           shows every verb\n"
        )
        return USAGE
    term = os.environ.get("TERM", "")
    if term in _UNFIT:
        sys.stderr.write(
            f"jobdeck: the console needs a terminal that can move its cursor, and TERM={term!r} says this one can't.\n"
            "  TERM=xterm-256color jobdeck   if it can\n"
            "  jobdeck run -- COMMAND        runs one job here and passes its output on\n"
        )
        return USAGE
    from tui.collecting import hold_off

    hold_off()
    from engine import Engine
    from engine.store.home import home_folder
    from engine.wire.fleet import Fleet
    from tui.app import JobdeckApp
    from tui.cli.headless import keeps_on, stay
    from tui.memory import Memory
    from tui.terminal_driver import HANGUP

    sys.setswitchinterval(SWITCH_SECONDS)
    engine = Engine(configuration=configuration, adopts_goals=True, follows=True, runs_jobs=True)
    try:
        _tell(engine, configuration)
        server = _listen(engine)
        with Heard(), Fleet(engine, server.path if server is not None else None) as fleet:
            try:
                app = JobdeckApp(fleet, lines, Memory(home_folder()))
                app.fit_terminal()
                app.run()
                if app.return_code == HANGUP and server is not None and keeps_on(engine):
                    fleet.hang_up()
                    stay(engine, server)
                return app.return_code or 0
            finally:
                if server is not None:
                    server.close()
    except KeyboardInterrupt:  # before the screen was there, or after it
        return INTERRUPTED
    finally:
        engine.shutdown(source="quit")


def _tell(engine: "Engine", configuration: "Configuration") -> None:
    """What is wrong with the configuration: said on the screen, as what is below it isn't seen before the end."""

    def tell() -> None:
        for problem in configuration.problems:
            engine.registry.notice(problem.short)

    engine.post(tell)


def _listen(engine: "Engine") -> "Server | None":
    """The console's socket; where there can be none, its jobs are its own alone, and it says why."""
    from engine.wire.server import Server

    try:
        return Server(engine, "console")
    except OSError as error:
        why = f"agents and scripts can't reach this console: {error}"
        engine.post(lambda: engine.registry.notice(why))
        return None
