"""A text is found in all that jobs have printed, with its line and position (spec 5.2)."""

import re
import sys

from hypothesis import given
from hypothesis import strategies as st

from engine import Caller, Engine, JobSpec, Settings
from engine.registry.searching import _Piece, _search
from engine.results import Found, Refused
from engine.watches.patterns import for_search


def ran(engine: Engine, command: str, *, caller: Caller | None = None, **fields: object) -> str:
    api = engine if caller is None else engine.api(caller)
    session_id = api.spawn(JobSpec(command=command, **fields)).result().session_id  # type: ignore[arg-type]
    engine.wait(session_id).result()
    return session_id


def found(engine: Engine, text: str, **how: object) -> Found:
    answer = engine.search(text, **how).result()  # type: ignore[arg-type]
    assert isinstance(answer, Found), answer
    return answer


def test_lines_of_all_jobs_with_number_and_position(engine: Engine) -> None:
    first = ran(engine, "printf 'one\\nan Error here\\n'; printf 'x\\nlast error'")
    second = ran(engine, r"printf '\033[31mer\033[0mror\n'", pty=True)
    told = found(engine, "error")
    assert [(one.session_id, one.line, one.text) for one in told.lines] == [
        (first, 1, "an Error here"), (first, 3, "last error"), (second, 0, "error"),
    ]  # fmt: skip
    assert [one.position for one in told.lines][:2] == [4, 20]
    assert told.total == 3
    assert [one.text for one in found(engine, "error", ignore_case=False).lines] == ["last error", "error"]


def test_a_text_is_no_expression_unless_asked_for(engine: Engine) -> None:
    ran(engine, "echo 'a.c [x] /y/'; echo abc")
    assert [one.text for one in found(engine, "a.c").lines] == ["a.c [x] /y/"]
    assert [one.text for one in found(engine, "/y/").lines] == ["a.c [x] /y/"]
    assert [one.text for one in found(engine, "^a.c$", regex=True).lines] == ["abc"]
    assert [one.text for one in found(engine, "[X]").lines] == ["a.c [x] /y/"]


def test_the_newest_are_told_and_all_are_counted(engine: Engine) -> None:
    ran(engine, "seq 1 5000 | sed 's/^/line /'")
    told = found(engine, "line", limit=3)
    assert ([one.text for one in told.lines], [one.line for one in told.lines], told.total) == (
        ["line 4998", "line 4999", "line 5000"], [4997, 4998, 4999], 5000,
    )  # fmt: skip


def test_lines_count_from_the_jobs_start_when_its_head_is_gone() -> None:
    with Engine(Settings(replay_chars=50_000)) as engine:
        ran(engine, "seq 1 60000")
        (one,) = found(engine, "60000").lines
        assert (one.line, one.text) == (59_999, "60000")


def test_secrets_are_masked_and_others_jobs_are_not_searched(engine: Engine) -> None:
    token = "ghp_" + "a1B2" * 9
    ran(engine, f"echo token {token}")
    mine = Caller(owner="conv_mine")
    ran(engine, "echo token of mine", caller=mine)
    assert token not in str(found(engine, "token"))
    answer = engine.api(mine).search("token").result()
    assert isinstance(answer, Found) and [one.text for one in answer.lines] == ["token of mine"]


def test_what_cannot_be_searched_for_is_refused_in_words(engine: Engine) -> None:
    for text, how in (("", {}), ("(", {"regex": True}), ("x", {"limit": 0}), ("a\nb", {})):
        answer = engine.search(text, **how).result()
        assert isinstance(answer, Refused) and answer.error


def test_a_line_of_a_megabyte_is_found_and_shown_in_part(engine: Engine) -> None:
    code = "print('x' * 500_000 + 'needle' + 'y' * 500_000)"
    ran(engine, f'{sys.executable} -c "{code}"')
    (one,) = found(engine, "needle").lines
    assert "needle" in one.text and len(one.text) <= 1_000


@given(
    st.lists(st.text("ab\nAB", max_size=40), max_size=12),
    st.sampled_from(["a", "ab", "B", "bb"]),
    st.booleans(),
    st.integers(1, 5),
)
def test_it_finds_what_a_plain_search_finds(texts: list[str], text: str, ignore_case: bool, limit: int) -> None:
    pieces, position, line = [], 0, 0
    for part in texts:
        pieces.append(_Piece(position, line, part + "\n"))
        position += len(part) + 1
        line += part.count("\n") + 1
    lines = "".join(piece.text for piece in pieces).split("\n")
    flags = re.IGNORECASE if ignore_case else 0
    wanted = [number for number, one in enumerate(lines) if re.search(re.escape(text), one, flags)]
    told, total = _search(pieces, for_search(text, regex=False, ignore_case=ignore_case), limit)
    assert total == len(wanted)
    assert [number for _position, number, _match in told] == wanted[-limit:]
