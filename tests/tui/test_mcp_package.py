"""What a person is told to install for ``jobdeck mcp`` is what the package itself asks for."""

import shlex
from importlib.metadata import requires

from packaging.requirements import Requirement

from tui.cli.mcp_package import how_to_get


def test_the_package_that_is_named_is_the_one_of_the_extra() -> None:
    named = Requirement(shlex.split(how_to_get())[-1])
    asked = [one for one in map(Requirement, requires("jobdeck") or []) if one.name == "mcp"]
    assert asked and all(one.specifier == named.specifier for one in asked)
