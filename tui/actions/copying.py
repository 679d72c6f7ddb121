"""Copying: what is selected, or a job's command; over the terminal (OSC 52) and by the clipboard's own program."""

import os

from tui.actions.registry import Action, Deck, has_target
from tui.bridge.clipboard import give, takers
from tui.keymap import BY_ID, key_name
from tui.show.cleaning import clean_line

MOST_BY_TERMINAL = 700_000
"""Bytes that are given to the terminal; with more, tmux and others take nothing."""


async def copy_text(deck: Deck) -> None:
    """Ctrl+C: copy what is selected; else say how to do what may have been meant."""
    text = deck.selected_text()
    if text:
        await _copy(deck, text, _size(text))
        return
    kill, leave = (key_name(BY_ID[name].keys[0]) for name in ("job.kill", "app.quit"))
    deck.say(
        f"Ctrl+C copies what is selected: drag, or Shift with the arrows. {kill} kills a job, {leave} leaves jobdeck."
    )


async def copy_job(deck: Deck) -> None:
    """Copy what is selected, else the job's command."""
    text = deck.selected_text()
    slot = deck.target()
    if text:
        await _copy(deck, text, _size(text))
    elif slot is not None:
        await _copy(deck, slot.job.command, f"the command: {clean_line(slot.job.command, 60)}")


def _size(text: str) -> str:
    lines, characters = text.count("\n") + 1, len(text)
    many = f"{lines:,} lines, " if lines > 1 else ""
    return f"{many}{characters:,} character{'s' * (characters != 1)}"


async def _copy(deck: Deck, text: str, what: str) -> None:
    fits = len(text.encode(errors="replace")) <= MOST_BY_TERMINAL
    if fits:
        deck.app.copy_to_clipboard(text)
        deck.say(f"Copied {what}")
    failed = []
    programs = takers(os.environ)
    for taker in programs:
        why = await give(taker, text)
        if why:
            failed.append(why)
    if not fits and len(failed) < len(programs):
        deck.say(f"Copied {what}")
    elif not fits:
        why = f" ({'; '.join(failed)})" if failed else ""
        deck.say(
            f"Not copied: {what} are too much for a terminal; wl-copy, xclip or xsel would take it{why}",
            severity="warning",
        )


ACTIONS = {
    "text.copy": Action(copy_text),
    "job.copy": Action(copy_job, has_target),
}
