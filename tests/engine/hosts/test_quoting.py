"""Words arrive unchanged at the far side, whatever shells read them on the way (spec 4.7)."""

import os
import shutil
import subprocess
from collections.abc import Sequence

import pytest
from nasty import nasty_vectors

from engine.hosts.quoting import script_words
from engine.hosts.run_script import run_script

VECTORS = nasty_vectors(200)


def printed(words: Sequence[str]) -> bytes:
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout


def wanted(vector: Sequence[str]) -> bytes:
    return b"".join(b"%s\0" % os.fsencode(word) for word in ("word", *vector))


def prints(vector: Sequence[str]) -> str:
    """A script that prints its words, each with a NUL, by a program and not by the shell itself."""
    from engine.hosts.quoting import for_sh

    return " ".join(map(for_sh, ["exec", "env", "printf", r"%s\0", "word", *vector]))


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "ksh", "fish", "tcsh", "busybox"])
def test_200_nasty_vectors_through_a_login_shell(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    line = [shell, "sh", "-c"] if shell == "busybox" else [shell, "-c"]
    at_once = 1 if shell == "sh" else 20
    for first in range(0, len(VECTORS), at_once):
        words = [word for vector in VECTORS[first : first + at_once] for word in ("-", *vector)]
        assert printed([*line, " ".join(script_words(prints(words), 1))]) == wanted(words), words


@pytest.mark.parametrize("shells", [0, 2, 3])
def test_200_nasty_vectors_through_no_shell_and_through_several(shells: int) -> None:
    for first in range(0, len(VECTORS), 20):
        vector = [word for vector in VECTORS[first : first + 20] for word in ("-", *vector)]
        words = script_words(prints(vector), shells)
        for _ in range(shells):
            words = _read_by_sh(" ".join(words))  # ssh hands the next shell all words in one line
        assert printed(words) == wanted(vector), vector


def _read_by_sh(line: str) -> list[str]:
    said = subprocess.run(["sh", "-c", f"printf '%s\\0' {line}"], stdout=subprocess.PIPE, check=True).stdout
    return [os.fsdecode(word) for word in said.split(b"\0")[:-1]]


def test_nothing_but_the_blanks_of_a_script_is_filled_in() -> None:
    script = run_script("t0ken", None, ("@COMMAND@", "@TOKEN@"), "@TOKEN@", {"A-": "@COMMAND@"}, joined=True)
    assert "exec env 'A-=@COMMAND@' @COMMAND@ @TOKEN@\n" in script
    assert "cd -- @TOKEN@ ||" in script
