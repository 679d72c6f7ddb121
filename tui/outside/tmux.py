"""Whether tmux lets notifications of the terminal by."""

import subprocess
from collections.abc import Mapping

_SECONDS = 2.0
HOW_TO_ALLOW = "'set -g allow-passthrough all' in ~/.tmux.conf ('on' before tmux 3.4)"


def passthrough(env: Mapping[str, str]) -> str:
    """``all``; ``on``: only from a window that is shown; ``off``; empty where that can't be told (before tmux 3.3 there
    is no such option, and all is let by). Blocks for two seconds at most."""
    words = ["tmux", "show-options", "-Apqv", *(["-t", env["TMUX_PANE"]] if "TMUX_PANE" in env else [])]
    try:
        done = subprocess.run(
            [*words, "allow-passthrough"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=_SECONDS, check=False, text=True, errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = done.stdout.strip()
    return said if done.returncode == 0 and said in ("all", "on", "off") else ""
