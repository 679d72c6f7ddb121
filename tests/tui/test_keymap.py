"""The table of keys is whole: every key does one thing in a place, every action has its words."""

from collections import Counter

from tui import keymap
from tui.actions import ACTIONS

TOGETHER = (("anywhere", "job", "stack"), ("anywhere", "job", "pane"))


def test_a_key_means_one_thing_wherever_it_works() -> None:
    for places in TOGETHER:
        keys = Counter(key for entry in keymap.TABLE if entry.where in places for key in entry.keys)
        assert not [key for key, count in keys.items() if count > 1]


def test_ids_are_unique_and_each_has_an_action() -> None:
    assert len({entry.id for entry in keymap.TABLE}) == len(keymap.TABLE)
    assert set(ACTIONS) == set(keymap.BY_ID)


def test_every_entry_says_what_it_does_and_where() -> None:
    for entry in keymap.TABLE:
        assert entry.description and entry.description[0].isupper() and not entry.description.endswith("."), entry
        assert entry.label and entry.where in keymap.PLACES, entry
        assert entry.id.count(".") == 1, entry


def test_every_binding_carries_its_id_so_that_it_can_be_remapped() -> None:
    for binding in keymap.bindings(*keymap.PLACES):
        assert binding.id in keymap.BY_ID
