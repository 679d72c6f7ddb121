"""What became of the jobs of dead engines."""

import msgspec


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one job that an earlier engine had left unfinished."""

    session_id: str
    name: str
    command: str
    owner: str
    fate: str
    """``readopted`` (runs on, whole), ``finished`` (its receipt tells how), ``lost``, or ``detached``."""
    text: str
    """One line for people: what happened, and what can be done."""
    exit_code: int | None = None
    exited_at: float | None = None

    @property
    def over(self) -> bool:
        """Has the job ended?"""
        return self.fate in ("finished", "lost")


class Recovered(msgspec.Struct, frozen=True, tag=True):
    """What was found of engines that died: said once a recovery, kept until a console is there to hear it."""

    sequence: int
    at: float
    fates: tuple[Fate, ...]
