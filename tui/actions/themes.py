"""Choosing the console's colours."""

from tui.actions.registry import Action, Deck
from tui.screens.themes import ChooseTheme


async def choose(deck: Deck) -> None:
    """Let a theme be chosen; each is worn while it is looked at."""
    outfit = deck.outfit
    if outfit is None:
        return
    wardrobe = outfit.wardrobe
    try:
        chosen = await deck.show_dialog(
            ChooseTheme(wardrobe.offered(outfit.own_themes), deck.app.theme, wardrobe.try_on)
        )
    except BaseException:
        wardrobe.put_back()
        raise
    if chosen is None:
        wardrobe.put_back()
    else:
        wear(deck, chosen.name)


def wear(deck: Deck, name: str) -> None:
    """Wear this theme from now on; say so where the configuration will have another the next time."""
    if deck.outfit is None:
        return
    wardrobe = deck.outfit.wardrobe
    wardrobe.wear(name)
    if wardrobe.asked and wardrobe.asked != name:
        deck.say(f"{name}, until jobdeck ends: then the configuration's is worn, {wardrobe.asked}")


ACTIONS = {"view.themes": Action(choose, lambda deck: deck.outfit is not None, opens=True)}
