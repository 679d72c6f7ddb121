"""What the configuration says of the console itself: its keys and themes, at the start and whenever that changes."""

from collections.abc import Sequence

import msgspec
from textual.app import App
from textual.binding import BindingsMap
from textual.color import Color, ColorParseError
from textual.theme import Theme

from engine.config import Configuration
from engine.config.entries import ThemeEntry
from engine.config.problem import Problem, nearest
from tui import keymap
from tui.motion import Motion
from tui.remapping import remapped
from tui.themes.eight_bit import BASE
from tui.themes.judging import weakest
from tui.themes.legible import LEAST
from tui.toasts import LINES as _LINES
from tui.wardrobe import Wardrobe


class Outfit:
    """Belongs to the application."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._begun = False
        self._keys: dict[str, tuple[str, ...]] = {}
        self._bound: list[str] = []
        self.problems: tuple[Problem, ...] = ()
        """What of the configuration can't be had."""
        self.wardrobe = Wardrobe(app)
        """The themes."""
        self.motion = Motion(app)
        """Whether anything moves by itself."""
        self.own_themes: tuple[str, ...] = ()
        """Those of the configuration."""

    def put_on(self, configuration: Configuration, last_theme: str = "") -> list[Problem]:
        """Have these keys and themes from now on; what is wrong with them and wasn't before.

        ``last_theme`` is the one at the start, unless the configuration names another.
        """
        self.motion.reduce(configuration.settings.reduced_motion)
        asked = remapped(configuration)
        keymap.use(asked.keys)
        self._keys = asked.keys
        self._app.set_keymap({name: ",".join(keys) for name, keys in asked.keys.items()})
        found = [*asked.problems, *self._register(configuration)]
        known, wardrobe = self._app.available_themes, self.wardrobe
        if not self._begun:
            wardrobe.begin(last_theme)
            self._begun = True
        wanted = configuration.settings.theme
        if wanted in known and wanted != wardrobe.asked:
            wardrobe.wear(wanted)
        elif wanted and wanted not in known:
            found.append(
                _problem(
                    configuration, ("settings", "theme"), f"there is no theme {wanted!r}{nearest(wanted, list(known))}"
                )
            )
        wardrobe.asked = wanted if wanted in known else ""
        new = [problem for problem in found if problem not in self.problems]
        self.problems = tuple(found)
        return new

    def bind(self, bindings: BindingsMap) -> None:
        """Bind the keys of actions that usually have none: Textual only changes those that have."""
        for key in self._bound:
            bindings.key_to_bindings.pop(key, None)
        self._bound = []
        for entry in keymap.DEFAULTS:
            if not entry.keys and entry.id in self._keys:
                self._bound += self._keys[entry.id]
                keys = ",".join(self._keys[entry.id])
                bindings.bind(keys, f"screen.do({entry.id!r})", entry.description, show=False, priority=True)

    def _register(self, configuration: Configuration) -> list[Problem]:
        wrong = wrong_colours(configuration)
        for name, entry in configuration.themes.items():
            if not any(problem.path[:2] == ("themes", name) for problem in wrong):
                self.wardrobe.add(theme_of(name, entry))
        self.own_themes = tuple(configuration.themes)
        return wrong


def problem_words(problems: Sequence[Problem]) -> str:
    """Several in one toast: all of a few, the first of many and how many more."""
    if len(problems) <= _LINES:
        return "\n".join(problem.short for problem in problems)
    shown = [problem.short for problem in problems[: _LINES - 1]]
    return "\n".join([*shown, f"and {len(problems) - len(shown)} more: 'jobdeck config' tells them all"])


def theme_of(name: str, entry: ThemeEntry) -> Theme:
    """A theme of the configuration."""
    return Theme(name=name, **msgspec.structs.asdict(entry))


def hard_to_read(configuration: Configuration) -> list[str]:
    """What of ``[themes]`` is harder to read than WCAG AA asks, in words; it can be worn all the same."""
    wrong = {problem.path[:2] for problem in wrong_colours(configuration)}
    found = []
    for name, entry in configuration.themes.items():
        weak = weakest(theme_of(name, entry)) if ("themes", name) not in wrong else None
        if weak is not None and weak.ratio < LEAST:
            where = _problem(configuration, ("themes", name), "")
            at = f"{where.file}:{where.line}: " if where.file else ""
            found.append(
                f"{at}theme {name!r} is hard to read: {weak.ink} on {weak.ground} has {weak.ratio:.1f} : 1,"
                f" and text needs {LEAST} : 1"
            )
    return found


def wrong_colours(configuration: Configuration) -> list[Problem]:
    """What of ``[themes]`` is no colour."""
    return [
        _problem(configuration, ("themes", name, one), f"{value!r} is no colour")
        for name, entry in configuration.themes.items()
        for one in BASE
        if (value := getattr(entry, one)) is not None and not _is_colour(value)
    ]


def _is_colour(text: str) -> bool:
    try:
        Color.parse(text)
    except ColorParseError:
        return False
    return True


def _problem(configuration: Configuration, path: tuple[str, ...], text: str) -> Problem:
    origin = configuration.origin(*path)
    return Problem(origin.file if origin else "", origin.line if origin else 0, text, path)
