"""The palette holds every action, every job, every setting that can be changed now, and every theme."""

import typing
from typing import TYPE_CHECKING

import pytest
from palette import choose

from engine.config.settings import Settings
from tui import keymap
from tui.news import Mode
from tui.palette import NOT_HERE, DeckCommands, Entry

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

TYPED = ("filter", "search", "type")
"""Places whose keys work only while something is typed, when there is no palette."""
COUNT_LATER = {"shell_login", "cwd_fallback", "on_hangup", "persist", "memory_scopes"}
"""Settings with few values that hold for what begins next: a file is the place for them."""

WAYS_OUT = {
    "bell_on_complete", "bell_on_hit", "notifications_terminal", "notifications_desktop", "notifications_focused",
}  # fmt: skip


def entries(shown: "Console") -> list[Entry]:
    return list(DeckCommands(shown.deck)._entries())


async def test_every_action_is_in_it(console: "Opened", monkeypatch: pytest.MonkeyPatch) -> None:
    every = {key.id for key in keymap.DEFAULTS if key.where not in TYPED} - NOT_HERE
    async with console(size=(160, 45)) as shown:
        here = {name for name in every if shown.deck.can_do(name)}
        assert {entry.action for entry in entries(shown)} - {""} == here
        await shown.start("exec cat")
        assert {entry.action for entry in entries(shown)} - {""} > here
        monkeypatch.setattr(type(shown.deck), "can_do", lambda *_: True)
        assert {entry.action for entry in entries(shown)} - {""} == every


async def test_no_two_entries_are_called_the_same(console: "Opened", monkeypatch: pytest.MonkeyPatch) -> None:
    async with console() as shown:
        monkeypatch.setattr(type(shown.deck), "can_do", lambda *_: True)
        names = [entry.text for entry in entries(shown)]
        assert sorted({name for name in names if names.count(name) > 1}) == []


async def test_every_job_and_every_theme_is_in_it(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("exec cat", name="running", open_tab=False)
        gone = await shown.start("exit 3", name="gone", open_tab=False)
        await shown.until(lambda: not gone.live)
        texts = {entry.text for entry in entries(shown)}
        assert {"Open running", "Open gone"} <= texts
        assert {f"Theme {theme}" for theme in shown.app.available_themes} <= texts
        await choose(shown, "Open gone")
        await shown.until(lambda: shown.deck.area.active == gone.id)


def test_each_setting_of_few_values_is_in_it_or_counts_later() -> None:
    few = {name for name, kind in typing.get_type_hints(Settings).items() if kind is bool or _is_choice(kind)}
    assert few == {"redact_panes", "notifications", "ascii", "reduced_motion"} | WAYS_OUT | COUNT_LATER


def _is_choice(kind: object) -> bool:
    return typing.get_origin(kind) is typing.Literal


async def test_settings_are_changed_from_it(console: "Opened") -> None:
    async with console("printf '✓ done\\n'; exec cat", size=(120, 40)) as shown:
        await shown.until(lambda: "✓ done" in shown.pane_text())
        kinds = typing.get_args(typing.get_type_hints(Settings)["notifications"])
        assert sum(entry.text.startswith("Notifications: ") for entry in entries(shown)) == len(kinds)
        await choose(shown, "Notifications: only failures")
        await shown.until(lambda: shown.deck.announcer.mode is Mode.ERROR)
        await choose(shown, "Bell: on")
        await shown.until(lambda: shown.deck.outside.ways.bell_on_complete)
        await choose(shown, "Terminal notifications: osc777")
        await shown.until(lambda: shown.deck.outside.ways.terminal == "osc777")
        await choose(shown, "Mask secrets", "Mask secrets in panes")
        await shown.until(lambda: shown.deck.bridge.redact_panes)
        await choose(shown, "ASCII only: on")
        await shown.until(lambda: shown.screen_text().isascii() and "+ done" in shown.screen_text())
        await choose(shown, "ASCII only: off")
        await shown.until(lambda: "✓ done" in shown.screen_text())
