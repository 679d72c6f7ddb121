"""How much memory a job may use (spec 3.7)."""

import os

import pytest
from scoped import BOUND

from engine import Settings
from engine.process.cgroup import cgroup_of
from engine.process.memory_bound import memory_bound


def test_the_bound_is_the_least_of_all_and_the_setting_only_tightens_it() -> None:
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    limit = cgroup_of(os.getpid()).least_memory_max() or half
    usual = min(half, limit, 4 * 1024**3)
    assert memory_bound(Settings()).size == usual
    assert memory_bound(Settings(memory_max=usual * 2)) == memory_bound(Settings())
    tight = memory_bound(Settings(memory_max=BOUND))
    assert (tight.size, tight.why, tight.raisable, str(tight)) == (BOUND, "memory_max", True, "64 MiB")
    assert memory_bound(Settings(memory_ram_share=1e-3)).why == "0% of this machine's memory"


@pytest.mark.parametrize("wrong", [1, BOUND - 1, -1])
def test_a_wrong_bound_is_a_clear_error(wrong: int) -> None:
    with pytest.raises(ValueError, match=rf"memory_max is {wrong}: .* at least 67108864 \(64 MiB\)"):
        Settings(memory_max=wrong)
