"""One ``via`` serves jobs with a terminal and without."""

import pytest

from engine.config.entries import HostEntry
from engine.hosts.host import Host, find_host
from engine.hosts.runners import Slurm, shells_on_the_way, slurm_of, way
from engine.spec import SpecError


@pytest.mark.parametrize(
    ("via", "with_terminal", "without", "shells"),
    [
        ("ssh -tt build1 --", "ssh -tt build1 --", "ssh -T build1 --", 1),
        ("/usr/bin/ssh -p 22 build1", "/usr/bin/ssh -tt -p 22 build1", "/usr/bin/ssh -T -p 22 build1", 1),
        ("ssh gate ssh -t inner", "ssh -tt gate ssh -tt inner", "ssh -T gate ssh -T inner", 2),
        ("docker exec -it box", "docker exec -i -t box", "docker exec -i box", 0),
        ("docker exec --user me box", "docker exec -i -t --user me box", "docker exec -i --user me box", 0),
        ("docker compose exec web", "docker compose exec web", "docker compose exec -T web", 0),
        ("kubectl -n x exec -it pod --", "kubectl -n x exec -i -t pod --", "kubectl -n x exec -i pod --", 0),
        ("srun --pty -p long", "srun --pty -p long", "srun -u -p long", 0),
        ("ssh h docker exec -i c", "ssh -tt h docker exec -i -t c", "ssh -T h docker exec -i c", 1),
        ("sudo -n -u me", "sudo -n -u me", "sudo -n -u me", 0),
        ("sudo ssh h", "sudo ssh -tt h", "sudo ssh -T h", 1),
    ],
)
def test_what_via_says_of_terminals_is_replaced(via: str, with_terminal: str, without: str, shells: int) -> None:
    host = Host("x", HostEntry(via=tuple(via.split())))
    assert way(host, pty=True) == with_terminal.split()
    assert way(host, pty=False) == without.split()
    assert shells_on_the_way(host) == shells


def test_a_number_of_shells_that_is_given_counts() -> None:
    assert shells_on_the_way(Host("x", HostEntry(via=("kubectl", "exec", "ssh", "--"), shells=0))) == 0


def test_slurm_is_known_by_its_last_leg() -> None:
    assert slurm_of(Host("x", HostEntry(via=("srun", "-p", "long")))) == Slurm(None, makes_jobs=True)
    assert slurm_of(Host("x", HostEntry(via=("srun", "--jobid=7")))) == Slurm(None, makes_jobs=False)
    assert slurm_of(Host("x", HostEntry(via=("srun", "ssh", "h")))) is None
    behind = slurm_of(Host("x", HostEntry(via=("ssh", "login", "srun"))))
    assert behind is not None and behind.before is not None and behind.before.entry.via == ("ssh", "login")


def test_an_unknown_host_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(SpecError, match=r"no host 'buidl1': there are a, build1; give it a table \[hosts\.buidl1\]"):
        find_host({"build1": HostEntry(via=("ssh",)), "a": HostEntry(via=("x",))}, "buidl1")
    with pytest.raises(SpecError, match="none is configured"):
        find_host({}, "x")
