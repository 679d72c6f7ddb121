"""Which theme is worn: the one that the configuration names, the one that was worn last, or one that is tried on."""

from collections.abc import Iterable
from enum import Enum

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

from tui import themes
from tui.themes.eight_bit import in_eight_bit


class Colours(Enum):
    """How many colours the terminal has."""

    SIXTEEN = "sixteen, or none"
    EIGHT_BIT = "256"
    ALL = "all"


class Wardrobe:
    """Belongs to the outfit. One theme is worn; where another is to be remembered, that one is kept beside it."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._kept = ""
        """What is remembered in place of what is worn, if that isn't the same."""
        self._before: tuple[str, str] | None = None
        """What was worn and kept before the first was tried on."""
        self.few = app.no_color
        """Are there no colours here but the terminal's own sixteen, or none at all?"""
        self._rounds = False
        """Are themes rounded to 256 colours?"""
        self._rounded: set[str] = set()
        """Which have been."""
        self.asked = ""
        """What the configuration names; it goes before what is remembered, at the start."""
        for theme in themes.OURS:
            self.add(theme)

    @property
    def remembered(self) -> str:
        """The one to be worn the next time."""
        return self._kept or self._app.theme

    def begin(self, last: str) -> None:
        """Wear the one that was worn last; where that has too many colours, the one that stands in for it."""
        name = last if last in self._app.available_themes else themes.DARK.name
        self._stand_in(name)

    def fit(self, colours: Colours) -> None:
        """The terminal has so many colours: known before anything is painted."""
        self.few = colours is Colours.SIXTEEN or self._app.no_color
        self._rounds = colours is Colours.EIGHT_BIT
        if self.asked:
            self._put_on(self.asked)
        else:
            self._stand_in(self.remembered)

    def add(self, theme: Theme) -> None:
        """One more theme, or another one of that name."""
        self._app.register_theme(theme)
        self._rounded.discard(theme.name)

    def wear(self, name: str) -> None:
        """Wear this one, and remember it."""
        self._put_on(name)
        self._kept, self._before = "", None

    def try_on(self, name: str) -> None:
        """Wear this one until it is kept or put back; the one before stays the one that is remembered."""
        if self._before is None:
            self._before = self._app.theme, self._kept
        self._kept = self._before[1] or self._before[0]
        self._put_on(name)

    def put_back(self) -> None:
        """Wear again what was worn before the first was tried on."""
        if self._before is not None:
            self._app.theme, self._kept = self._before
            self._before = None

    def keep(self) -> None:
        """What was tried on is worn from now on."""
        self._kept, self._before = "", None

    def offered(self, own: Iterable[str]) -> list[Theme]:
        """All there are: ours, then the configuration's ``own``, then Textual's."""
        for name in BUILTIN_THEMES:
            self._lift(name)
        known = self._app.available_themes
        ours = [theme.name for theme in themes.OURS]
        first = [*ours, *sorted(name for name in own if name in known and name not in ours)]
        return [known[name] for name in [*first, *sorted(set(known) - set(first))]]

    def _stand_in(self, name: str) -> None:
        theme = self._app.available_themes[name]
        if self.few and not theme.ansi:
            self._kept = name
            name = (themes.ANSI_DARK if theme.dark else themes.ANSI_LIGHT).name
        else:
            self._kept = ""
        self._put_on(name)

    def _put_on(self, name: str) -> None:
        self._lift(name)
        if self._rounds and name not in self._rounded:
            self._rounded.add(name)
            self._app.register_theme(in_eight_bit(self._app.available_themes[name]))
        self._app.theme = name

    def _lift(self, name: str) -> None:
        """Have one of Textual's as it can be read; it costs milliseconds, and few are ever worn."""
        theme = BUILTIN_THEMES.get(name)
        if theme is not None and self._app.available_themes[name] is theme:
            self._app.register_theme(themes.lifted(theme))
