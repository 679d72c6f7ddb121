"""Who keeps a job as the configuration says, as the verbs see it."""

from typing import TYPE_CHECKING, Protocol

from engine.events import JobView
from engine.results import Refused, Started

if TYPE_CHECKING:
    from engine.registry.job import Job


class Keeper(Protocol):
    """One job of the file, over all its runs. It alone starts them, so that there are never two."""

    place: int
    """Which of the file's jobs it is, counted from 1."""

    @property
    def pauses(self) -> bool:
        """Has it no run that goes on, and is it to be started by itself?"""

    def stopped(self) -> None:
        """It is ended by hand: it stays so until it is started by hand."""

    def remembers(self, job: "Job") -> None:
        """This was its last run, under an earlier engine; it has had none since."""

    async def restart(self) -> Started | Refused:
        """End it if it runs, start it as soon as it may be."""

    def hidden(self) -> None:
        """It is taken off the list by hand, until something happens to it."""

    def forgotten(self) -> None:
        """Its last run has left the shelf."""

    def view(self) -> JobView:
        """Its row while it has no run."""

    async def next_run(self) -> "Job | str":
        """Its run, as soon as it has one; or why none comes before somebody does something, in words."""


class Keepers(Protocol):
    """All jobs of the file."""

    def find(self, session_id: str) -> Keeper | None:
        """The one that has no run yet and is known by this id."""

    def name_at(self, slot: str) -> str:
        """What the file calls the job of this place in lists now; empty: it is none of the file's."""

    def views(self) -> tuple[JobView, ...]:
        """Those without a run on the shelf, as front ends show them."""

    def stand_still(self, on: bool) -> None:
        """Start nothing until this ends."""
