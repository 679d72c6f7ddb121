"""What a check has found."""

from typing import NamedTuple


class Finding(NamedTuple):
    """One line of the doctor's."""

    subject: str
    said: str
    """How it is."""
    mend: str = ""
    """What to do about it; empty where nothing is wrong."""
    bad: bool = False
    """jobdeck can't do its work so. False with a ``mend``: it can, less well."""

    @property
    def status(self) -> str:
        """``good``, ``note`` or ``bad``."""
        return "bad" if self.bad else "note" if self.mend else "good"


def bad(subject: str, said: str, mend: str) -> Finding:
    """One that jobdeck can't work with."""
    return Finding(subject, said, mend, bad=True)
