"""What bounds the notices of watches: every figure of them, on a clock that only moves when told (spec 2.4)."""

from dataclasses import dataclass, field

import pytest
from seeking import Output

from engine import Settings
from engine.watches.breaker import Breaker
from engine.watches.patterns import compile_patterns
from engine.watches.search import Match
from engine.watches.watch import Hit, Watch


@dataclass
class Told:
    """Notes what a watch tells."""

    hits: list[Hit] = field(default_factory=list)
    disabled: list[tuple[str, str]] = field(default_factory=list)

    def hit(self, watch: Watch, hit: Hit) -> None:
        self.hits.append(hit)

    def matched(self, match: Match) -> None:
        pass

    def redacted(self, match: Match) -> str:
        return match.piece

    def disable(self, watch: Watch, why: str, pattern: str) -> None:
        self.disabled.append((why, pattern))

    @property
    def delivered(self) -> list[str]:
        return [hit.text for hit in self.hits if hit.delivered]

    @property
    def held(self) -> list[tuple[int, str]]:
        return [(hit.count, hit.held_by) for hit in self.hits if not hit.delivered]


class Watched:
    """Jobs whose outputs are watched, under one breaker."""

    def __init__(self, count: int = 1, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.outputs = [Output(settings=self.settings) for _ in range(count)]
        self.clock = self.outputs[0].clock
        self.trips: list[float] = []
        self.releases: list[int] = []
        breaker = Breaker(self.clock, self.settings, self.trips.append, self.releases.append)
        self.told = [Told() for _ in range(count)]
        self.watches = []
        for output, told in zip(self.outputs, self.told, strict=True):
            watch = Watch("", compile_patterns(("hit",)), self.clock, self.settings, breaker, told)
            output.scanner.add(watch)
            self.watches.append(watch)

    def line(self, text: str = "hit\n", job: int = 0) -> None:
        self.outputs[job].write(text)

    def wait(self, seconds: float) -> None:
        self.clock.go(seconds)


def test_a_delivered_hit_opens_fifteen_seconds_in_which_hits_are_counted_and_not_delivered() -> None:
    job = Watched()
    job.line("hit 1\n")
    for number in (2, 3, 4):
        job.wait(4.9)
        job.line(f"hit {number}\n")
    assert job.told[0].delivered == ["hit 1"]
    job.wait(0.4)
    job.line("hit 5\n")
    assert job.told[0].delivered == ["hit 1", "hit 5"]
    assert [hit.suppressed for hit in job.told[0].hits if hit.delivered] == [0, 3]
    assert job.told[0].held == [(1, "cooldown")] * 3
    assert job.watches[0].hits == 5


def test_three_struck_windows_in_a_row_disable_and_it_is_said_once() -> None:
    job = Watched()
    for window in range(3):
        assert not job.told[0].disabled
        job.line(f"hit {window}\n")
        job.wait(5)
        job.line()
        job.wait(1)
        job.line()
        job.wait(9.5)
    assert len(job.told[0].disabled) == 1
    job.wait(100)
    job.line("hit too late\n")
    assert job.told[0].delivered == ["hit 0", "hit 1", "hit 2"]
    assert job.told[0].held[-1] == (1, "disabled")
    assert len(job.told[0].disabled) == 1
    assert job.watches[0].hits == 10


def test_a_window_without_a_drop_clears_the_strikes() -> None:
    job = Watched(settings=Settings(watch_lifetime_hits=1_000))
    for _ in range(5):
        for struck in (True, True, False):
            job.line()
            if struck:
                job.line()
            job.wait(15)
    assert not job.told[0].disabled
    assert len(job.told[0].delivered) == 15


def test_one_strike_a_window_however_many_are_dropped() -> None:
    job = Watched()
    for _ in range(2):
        job.line("hit\n" * 1_000)
        job.wait(15)
    job.line()
    assert not job.told[0].disabled
    assert [hit.suppressed for hit in job.told[0].hits if hit.delivered] == [0, 999, 999]


def test_eight_delivered_hits_in_its_life_disable() -> None:
    job = Watched()
    for number in range(10):
        job.line(f"hit {number}\n")
        job.wait(15.1)
    assert job.told[0].delivered == [f"hit {number}" for number in range(8)]
    assert len(job.told[0].disabled) == 1
    assert job.told[0].held == [(1, "disabled")] * 2


def test_more_than_fifteen_in_ten_seconds_over_all_jobs_trip_the_breaker_for_thirty() -> None:
    jobs = Watched(20)
    for number in range(15):
        jobs.line(job=number)
    assert not jobs.trips
    jobs.line(job=15)
    assert jobs.trips == [jobs.clock.wall() + 30]
    jobs.line(job=16)
    jobs.line("hit\nhit\nhit\n", job=16)
    assert [len(told.delivered) for told in jobs.told] == [1] * 15 + [0] * 5
    jobs.wait(29.9)
    assert not jobs.releases
    jobs.wait(0.2)
    assert jobs.releases == [5]
    assert [count for count, held_by in jobs.told[16].held if held_by == "breaker"] == [1, 3]
    jobs.line("hit again\n", job=16)
    assert jobs.told[16].delivered == ["hit again"]
    assert jobs.told[16].hits[-1].suppressed == 4
    jobs.wait(60)
    assert len(jobs.trips) == len(jobs.releases) == 1
    assert jobs.clock.waiting == 0


def test_fifteen_in_ten_seconds_do_not_trip_it() -> None:
    jobs = Watched(40)
    for number in range(40):
        jobs.line(job=number)
        jobs.wait(0.67)
    assert not jobs.trips
    assert all(told.delivered for told in jobs.told)


def test_hits_that_the_breaker_ate_count_neither_towards_the_eight_nor_as_strikes() -> None:
    jobs = Watched(17)
    for number in range(16):
        jobs.line(job=number)
    for _ in range(29):
        jobs.line(job=16)
        jobs.wait(1)
    jobs.wait(2)
    assert jobs.releases == [30]
    for number in range(7):
        jobs.line(f"hit {number}\n", job=16)
        jobs.wait(16)
    assert len(jobs.told[16].delivered) == 7
    assert not jobs.told[16].disabled


def test_hits_that_come_fast_are_one_event_for_many_ten_a_second_at_most_and_live() -> None:
    job = Watched()
    job.line("hit first\n")
    for number in range(1_000):
        job.line(f"hit {number}\n")
        job.wait(0.001)
    held = [hit for hit in job.told[0].hits if not hit.delivered]
    assert 9 <= len(held) <= 11
    job.wait(0.2)
    held = [hit for hit in job.told[0].hits if not hit.delivered]
    assert sum(hit.count for hit in held) == 1_000
    assert held[0].text == "hit 0"
    assert held[1].text.splitlines() == [f"hit {number}" for number in range(1, 21)]
    assert held[1].line == 2 and held[1].position == len("hit first\nhit 0\n")


def test_a_hit_carries_twenty_lines_and_two_thousand_characters_at_most() -> None:
    job = Watched()
    job.line("".join(f"hit {number}\n" for number in range(50)))
    assert job.told[0].hits[0].text.splitlines() == [f"hit {number}" for number in range(20)]
    job.wait(16)
    job.line("".join(f"hit {number} {'x' * 150}\n" for number in range(50)))
    assert len(job.told[0].hits[-2].text) <= 2_000
    job.wait(16)
    job.line("y" * 5_000 + "hit" + "z" * 5_000 + "\n")
    text = job.told[0].hits[-1].text
    assert len(text) == 2_000 and "hit" in text and text[0] == text[-1] == "…"


@pytest.mark.parametrize("lines", [1, 2, 7, 400])
def test_how_lines_arrive_changes_nothing_of_what_is_delivered_and_counted(lines: int) -> None:
    text = "".join(f"hit {number}\n" for number in range(400))
    apart, together = Watched(), Watched()
    for start in range(0, 400, lines):
        apart.line("".join(text.splitlines(keepends=True)[start : start + lines]))
    together.line(text)
    for job in (apart, together):
        job.wait(15)
        job.line("hit last\n")
    for job in (apart, together):
        delivered = [(hit.position, hit.line, hit.suppressed) for hit in job.told[0].hits if hit.delivered]
        assert delivered == [(0, 0, 0), (len(text), 400, 399)]
        assert sum(hit.count for hit in job.told[0].hits) == 401
