"""What is typed while the console comes up ends nothing, least of all the console."""

import time
from pathlib import Path

from host import Host


def test_keys_typed_from_the_first_moment_on_do_no_harm(tmp_path: Path) -> None:
    with Host([], tmp_path) as host:
        ends = time.monotonic() + 30
        while "New job" not in "\n".join(host.screen()) and time.monotonic() < ends:
            host.keys("a")
            time.sleep(0.02)
        host.shows("New job")
        host.keys("\x1b")
        host.loses("New job")
        host.keys("q")
        assert host.ends() == 0
