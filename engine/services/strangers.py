"""Who had a port before the job came that is waited for there: it isn't the job that answers.

Of ports alone: what answers at an address may rightly be older, a proxy before the job.
"""

from typing import NamedTuple

from engine.process.identity import Identity, identify, is_alive
from engine.process.ports import listening


class Stranger(NamedTuple):
    """A process that listens on a job's port and is older than that job."""

    identity: Identity
    name: str
    port: int

    @property
    def words(self) -> str:
        """For people, after the job's name."""
        return f"finds port {self.port} taken by {self.name} (process {self.identity.pid})"

    def is_there(self) -> bool:
        """Does it still have the port? Blocks: not for a loop."""
        return is_alive(self.identity) and self.port in listening(self.identity.pid)


def stranger_on(port: int, leader: int | None) -> Stranger | None:
    """Who listens there and began before the job's process ``leader`` did; None where nobody is or it can't be told
    (another user's). Blocks: not for a loop."""
    import psutil

    try:
        began = psutil.Process(leader).create_time() if leader else 0.0
        listeners = [one for one in psutil.net_connections("tcp") if one.status == psutil.CONN_LISTEN and one.laddr]
        for pid in {one.pid for one in listeners if one.pid and one.laddr and one.laddr.port == port}:
            process = psutil.Process(pid)
            identity = identify(pid)
            if identity is not None and process.create_time() < began:
                return Stranger(identity, process.name(), port)
    except (psutil.Error, OSError):
        return None
    return None
