"""The costs of frames as a row of a table."""

import statistics

FRAME_MS = 16.0
"""CPU milliseconds that a frame may take."""


class Frames:
    """The CPU time of frames of one kind."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.costs: list[float] = []

    def row(self) -> str:
        """A line of the table."""
        costs = sorted(self.costs)
        p99 = costs[min(len(costs) - 1, int(len(costs) * 0.99))]
        over = sum(cost > FRAME_MS for cost in costs)
        return f"{self.name:38} {len(costs):6} {statistics.median(costs):8.1f} {p99:8.1f} {costs[-1]:8.1f} {over:6}"
