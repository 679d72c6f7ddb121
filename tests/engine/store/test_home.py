"""Where the home is, found without loading what knows of every platform."""

import pytest
from platformdirs import user_state_path

from engine.store.home import home_folder


@pytest.mark.parametrize(
    "env",
    [{}, {"XDG_STATE_HOME": "/x/state"}, {"XDG_STATE_HOME": ""}, {"XDG_STATE_HOME": "relative"}, {"HOME": "/else"}],
    ids=str,
)
def test_the_short_way_leads_where_the_library_leads(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JOBDECK_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert home_folder() == user_state_path("jobdeck")
