"""What one client of a crowd asks, and what it may be answered."""

import random
from collections.abc import Callable, Sequence

from tests.bench.crowd import Answer, Client, Wrong

_WAIT_SECONDS = 0.3


class Mix:
    """What one client asks, a number of calls one after another, and a `wait` beside them."""

    def __init__(self, client: Client, foreign: Sequence[str], calls: int) -> None:
        self._client = client
        self._foreign = foreign
        self._left = calls
        self._chance = random.Random(client.name)
        self._jobs = list(client.jobs)
        self.next({})
        self._wait({})

    def next(self, _answer: Answer) -> None:
        """The next call."""
        if not self._left:
            return
        self._left -= 1
        client, job = self._client, self._chance.choice(self._jobs)
        match self._chance.choices(("poll", "since", "log", "list", "submit", "other"), (60, 5, 10, 5, 15, 5))[0]:
            case "poll":
                client.ask("poll", {"session_id": job}, self._own(job, "output_preview"))
            case "since":
                client.ask("poll", {"session_id": job, "since": 0}, self._own(job, "new_output"))
            case "log":
                client.ask("log", {"session_id": job}, self._own(job, "output"))
            case "list":
                client.ask("list", {}, self._listed)
            case "submit":
                text = f"line-{len(client.submitted[job])}"
                client.submitted[job].append(f"{client.jobs[job]} {text}")
                client.ask("submit", {"session_id": job, "data": text}, self.next)
            case "other":
                client.ask("poll", {"session_id": self._chance.choice(self._foreign)}, self._not_found)

    def _wait(self, _answer: Answer) -> None:
        if self._left:
            job = self._chance.choice(self._jobs)
            params = {"session_id": job, "timeout": _WAIT_SECONDS}
            self._client.ask("wait", params, self._own(job, "output", self._wait))

    def _own(self, job: str, output: str, then: Callable[[Answer], None] | None = None) -> Callable[[Answer], None]:
        def look(answer: Answer) -> None:
            word = self._client.jobs[job]
            if answer["session_id"] != job or any(not line.startswith(word) for line in _whole_lines(answer[output])):
                raise Wrong(f"{self._client.name} asked for {job} ({word}) and got {answer}")
            (then or self.next)(answer)

        return look

    def _listed(self, answer: Answer) -> None:
        if {row["session_id"] for row in answer["processes"]} != set(self._jobs):
            raise Wrong(f"{self._client.name} has {self._jobs} and was told {answer}")
        self.next(answer)

    def _not_found(self, answer: Answer) -> None:
        if answer.get("status") != "not_found":
            raise Wrong(f"{self._client.name} reached another's job: {answer}")
        self.next(answer)


def _whole_lines(output: str | None) -> list[str]:
    """Without the first and last, which may be cut."""
    return (output or "").splitlines()[1:-1]
