"""Copying: what is selected, or a job's command."""

from tui.actions.registry import Action, Deck, has_target
from tui.keymap import BY_ID, key_name
from tui.show.cleaning import clean_line


def copy_text(deck: Deck) -> None:
    """Ctrl+C: copy what is selected; else say how to do what may have been meant."""
    text = deck.selected_text()
    if text:
        _copy(deck, text, "the selection")
        return
    kill, leave = (key_name(BY_ID[name].keys[0]) for name in ("job.kill", "app.quit"))
    deck.say(f"Ctrl+C copies what is selected with the mouse. {kill} kills a job, {leave} leaves jobdeck.")


def copy_job(deck: Deck) -> None:
    """Copy what is selected, else the job's command."""
    text = deck.selected_text()
    slot = deck.target()
    if text:
        _copy(deck, text, "the selection")
    elif slot is not None:
        _copy(deck, slot.job.command, clean_line(slot.job.command, 60))


def _copy(deck: Deck, text: str, what: str) -> None:
    deck.app.copy_to_clipboard(text)
    lines = text.count("\n") + 1
    deck.say(f"Copied {what}" + (f" ({lines} lines)" if lines > 1 else ""))


ACTIONS = {
    "text.copy": Action(copy_text),
    "job.copy": Action(copy_job, has_target),
}
