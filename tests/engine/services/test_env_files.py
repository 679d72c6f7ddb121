"""Environment files as people write them."""

import os
from pathlib import Path

import pytest

from engine.services.env_files import read_env_file
from engine.spec import SpecError


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"A=1\nB = two words # said\n\n# C=3\nD=\n", {"A": "1", "B": "two words", "D": ""}),
        (b"export A=1\n export  B=2\n", {"A": "1", "B": "2"}),
        (b"\xef\xbb\xbfA=1\r\nB=\"2\"\r\n", {"A": "1", "B": "2"}),
        (b"A=\"x \\\"y\\\" \\n\\$z\" # c\nB='$x \\n'\n", {"A": 'x "y" \n$z', "B": "$x \\n"}),
        (b'K="-BEGIN\nabc=\n-END" # c\nB=\'1\n2\'\nC=3', {"K": "-BEGIN\nabc=\n-END", "B": "1\n2", "C": "3"}),
        (b"A=it's\nB=\"open\nC=#d\nD=a#b\n", {"A": "it's", "B": '"open', "C": "", "D": "a#b"}),
        (b"A=1\nA=2\n", {"A": "2"}),
    ],
)  # fmt: skip
def test_what_a_file_says(tmp_path: Path, text: bytes, found: dict[str, str]) -> None:
    (tmp_path / ".env").write_bytes(text)
    assert read_env_file(tmp_path / ".env") == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"A=1\nnothing\n", "line 2 of .* isn't NAME=value"),
        (b"A='1\n2'\n\nA B=1\n", "line 4 of .* isn't NAME=value"),
        (b"A=\xff\n", "isn't UTF-8"),
        (b"A=\0\n", "A in .* holds a NUL character"),
        (b"A=1\n" * 2_000_000, "can't be read: it has more than 4 MiB"),
    ],
)
def test_what_is_none_is_said(tmp_path: Path, text: bytes, why: str) -> None:
    (tmp_path / ".env").write_bytes(text)
    with pytest.raises(SpecError, match=why):
        read_env_file(tmp_path / ".env")


def test_a_pipe_or_a_folder_in_its_place_holds_up_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("pipe", "it is no file"), (".", "it is a folder"), ("none", "No such file")):
        with pytest.raises(SpecError, match=why):
            read_env_file(tmp_path / name)
