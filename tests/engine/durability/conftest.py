"""A home of its own for each test, in which no holder and no held job is left."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fates import home as home_of_test
from held import end_all_held


@pytest.fixture(autouse=True)
def home(_home_of_this_test: None) -> Iterator[Path]:
    """Where engines, here and in processes of their own, keep their state."""
    yield home_of_test()
    end_all_held()
