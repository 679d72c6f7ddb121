"""What a person would see on a job's terminal (spec 1.6)."""

from waiting import wait_until

from engine import Engine, JobSpec
from engine.results import Refused, Screened


def screened(engine: Engine, session_id: str) -> Screened:
    answer = engine.screen(session_id).result()
    assert isinstance(answer, Screened), answer
    return answer


def test_the_screen_as_it_is_drawn(engine: Engine) -> None:
    draws = r"printf 'first\nsecond\033]2;a title\007\033[1;3HX\033[3;5H'; read x; printf '\033[?1049hfull'; read x"
    session_id = engine.spawn(JobSpec(command=draws, pty=True, cols=40, rows=5)).result().session_id
    wait_until(lambda: screened(engine, session_id).cursor.row == 2, what="all of it to be drawn")
    shown = screened(engine, session_id)
    assert (shown.title, shown.lines) == ("a title", ("fiXst", "second", "", "", ""))
    assert (shown.cursor.row, shown.cursor.col, shown.cols, shown.rows, shown.alternate) == (2, 4, 40, 5, False)
    engine.submit(session_id, "").result()
    wait_until(lambda: "full" in screened(engine, session_id).lines)
    assert screened(engine, session_id).alternate
    engine.kill(session_id).result()
    assert screened(engine, session_id).status == "exited"


def test_secrets_on_it_are_masked(engine: Engine) -> None:
    token = "ghp_" + "a1B2" * 9
    session_id = engine.spawn(JobSpec(command=f"echo {token}; sleep 7801", pty=True)).result().session_id
    wait_until(lambda: screened(engine, session_id).cursor.row == 1, what="the whole line")
    assert token not in str(screened(engine, session_id)) and "ghp_a1" in screened(engine, session_id).lines[0]


def test_a_pipe_has_no_screen(engine: Engine) -> None:
    session_id = engine.spawn(JobSpec(command="sleep 7802")).result().session_id
    answer = engine.screen(session_id).result()
    assert isinstance(answer, Refused) and "log" in answer.error
