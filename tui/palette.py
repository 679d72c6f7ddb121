"""The palette: every action, every job, every setting that can be changed now, every theme by name."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui import keymap
from tui.actions.themes import wear
from tui.keymap import Key
from tui.screens.deck import DeckScreen
from tui.show.cleaning import clean_line
from tui.switches import choices


class Entry(NamedTuple):
    """One thing to choose."""

    text: str
    help: str
    run: Callable[[], object]
    offered: bool = True
    """Is it in the list before anything is typed?"""
    action: str = ""
    """The id of the action, if it is one of the table of keys."""


NOT_HERE = frozenset({"app.palette"})
"""Actions that make no sense here."""
_WORKS_FROM_HERE = {"anywhere": "", "job": "", "stack": "Jobs", "pane": "Pane", "barriers": "Waits", "hits": "Hits"}
"""Places whose actions can be done from the palette, and how those that have no title of their own are told apart."""


class DeckCommands(Provider):
    """What can be done now. Names of jobs and themes are text, never markup."""

    async def discover(self) -> Hits:
        """All there is, before anything is typed."""
        for entry in self._entries():
            if entry.offered:
                yield DiscoveryHit(Content(entry.text), entry.run, text=entry.text, help=_text(entry.help))

    async def search(self, query: str) -> Hits:
        """What fits what was typed."""
        matcher = self.matcher(query)
        for entry in self._entries():
            score = matcher.match(entry.text)
            if score > 0:
                yield Hit(score, self._lit(query, entry.text), entry.run, text=entry.text, help=_text(entry.help))

    def _lit(self, query: str, text: str) -> Content:
        content = Content(text)
        _, offsets = self.matcher(query).fuzzy_search.match(query, text)
        for offset in offsets:
            if not text[offset].isspace():
                content = content.stylize("bold underline", offset, offset + 1)
        return content

    def _entries(self) -> Iterator[Entry]:
        # The palette is a screen of its own: the deck lies below it.
        deck = next((screen for screen in self.app.screen_stack if isinstance(screen, DeckScreen)), None)
        if deck is None:
            return
        for key in keymap.TABLE:
            if key.id not in NOT_HERE and key.where in _WORKS_FROM_HERE and deck.can_do(key.id):
                keys = keymap.shown_keys(key)
                what = _SAID.get(key.id, _title)(key, deck)
                said = key.description + (f" · {keys}" if keys else "")
                yield Entry(
                    what,
                    said,
                    partial(deck.action_do, key.id),
                    offered=_is_named(key) and deck.offers(key.id),
                    action=key.id,
                )
        for slot in deck.store:
            name = clean_line(slot.job.name or slot.job.command, 60)
            yield Entry(f"Open {name}", clean_line(slot.job.command, 80), partial(self._open, deck, slot.id))
        for choice in choices(deck):
            said = f"{choice.help} · so it is now" if choice.holds else choice.help
            yield Entry(choice.text, said, choice.choose, offered=not choice.holds)
        for theme in sorted(self.app.available_themes):
            yield Entry(f"Theme {theme}", "Colours of the whole console", partial(wear, deck, theme), offered=False)

    @staticmethod
    def _open(deck: DeckScreen, slot_id: str) -> None:
        deck.area.open(slot_id)
        deck.focus_pane()


def _is_named(key: Key) -> bool:
    """Is it of a kind that one looks for by name? What moves about is found by who asks for it."""
    return key.listed and (not _WORKS_FROM_HERE[key.where] or bool(key.title))


def _title(key: Key, _deck: DeckScreen) -> str:
    place = _WORKS_FROM_HERE[key.where]
    return key.title or (f"{place}: {key.label}" if place else key.label[0].upper() + key.label[1:])


def _masking(_key: Key, deck: DeckScreen) -> str:
    return "Show secrets in panes" if deck.bridge.redact_panes else "Mask secrets in panes"


_SAID: dict[str, Callable[[Key, DeckScreen], str]] = {"view.redact": _masking}
"""Where the palette says what will become of a switch."""


def _text(text: str) -> str:
    """Text for a place that Textual reads as markup: content passes through it as it is."""
    return cast(str, Content(text))
