"""What ``jobdeck mcp`` needs besides jobdeck, for those who have it not."""

import sys


def how_to_get() -> str:
    """The command that puts the package beside this jobdeck, wherever that was installed from."""
    return f"{sys.executable} -m pip install 'mcp>=2.3,<3'"
