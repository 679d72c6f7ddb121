"""Where ``jobdeck`` begins. What programs ask again and again is answered before the command line's library is loaded,
which would take longer than the answer."""

import sys

from tui.cli.interrupts import end_at_once

_QUICK = frozenset({"--json", "--operator"})


def main() -> None:
    """Run the command line; never returns."""
    end_at_once()
    words = sys.argv[1:]
    if words[:1] == ["list"] and "--json" in words and _QUICK.issuperset(words[1:]):
        from tui.cli.last_words import printed, unprinted
        from tui.cli.leave import leave
        from tui.cli.listing import list_as_json

        try:
            code = list_as_json(operator="--operator" in words)
        except OSError as error:
            code = unprinted(error)
        leave(printed(code))
    if words[:2] == ["run", "--"] and words[2:]:
        from tui.cli.run_exactly import run_exactly

        run_exactly(words[2:])
    from tui.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
