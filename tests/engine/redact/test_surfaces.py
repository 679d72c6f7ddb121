"""No verb, event, notice or file of a real engine tells a secret that a job prints or was started with (E06)."""

from pathlib import Path

import msgspec
import pytest
from secret_shapes import SHAPES
from viewing import Viewing
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, Settings
from engine.events import Completion, JobExited, WatchHit
from engine.results import Logged, Polled
from engine.spec import Caller, WaitSpec

SECRET = next(shape.secret for shape in SHAPES if shape.kind == "OpenAI test")
MASKED = f"{SECRET[:6]}...{SECRET[-4:]}"
HALF = len(SECRET) // 2
KEY = next(shape.printed for shape in SHAPES if shape.kind == "block RSA")
AGENT = Caller("conv_agent")


def tells(value: object, secret: str = SECRET) -> str:
    """What of the secret is in there that its mask doesn't show."""
    text = value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=repr).decode()
    inner = secret[6:-4]
    return next((inner[at : at + 8] for at in range(len(inner) - 7) if inner[at : at + 8] in text), "")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path))
    return tmp_path


def test_e06_a_secret_is_masked_everywhere_but_in_the_operators_pane(home: Path, engine: Engine) -> None:
    agent = engine.api(AGENT)
    feed, inbox = engine.events(), agent.notices()
    line = f'echo OPENAI_API_KEY={SECRET}; printf %s "$A"; read -r go; echo "$B"; read -r go; exit 3'
    spec = JobSpec(
        argv=("bash", "-c", line),
        env={"A": SECRET[:HALF], "B": SECRET[HALF:]},
        stdin="pipe",
        notify_on_complete=True,
        pty=False,
    )
    session_id = agent.spawn(spec).result(PATIENCE).session_id
    engine.set_watches(session_id, ("OPENAI", "sk-test")).result(PATIENCE)
    pane = Viewing(engine, session_id)
    first = f"OPENAI_API_KEY={SECRET}\n{SECRET[:HALF]}"
    wait_until(lambda: pane.text == first)

    def polled(since: int | None = None) -> Polled:
        answer = agent.poll(session_id, since).result(PATIENCE)
        assert isinstance(answer, Polled) and not tells(answer), answer
        return answer

    half = polled(0)
    assert half.new_output == f"OPENAI_API_KEY={MASKED}\n"
    assert half.position == len(first) - HALF
    assert half.output_preview == f"OPENAI_API_KEY={MASKED}\n***"
    barrier = engine.wait_for(WaitSpec(session_id=session_id, on="match", pattern="sk-test")).result(PATIENCE)
    assert not tells(barrier)
    agent.submit(session_id, "").result(PATIENCE)
    wait_until(lambda: pane.text == f"{first}{SECRET[HALF:]}\n")
    assert polled(half.position).new_output == f"{MASKED}\n"
    assert polled(half.position and half.position + HALF).new_output == "***\n"
    listed = agent.list().result(PATIENCE)
    assert MASKED in listed.processes[0].command and not tells(listed)
    logged = engine.log(session_id).result(PATIENCE)
    assert isinstance(logged, Logged) and logged.output == f"OPENAI_API_KEY={MASKED}\n{MASKED}\n"
    assert not tells(engine.log(session_id, raw=True).result(PATIENCE))
    assert not tells(agent.wait(session_id, 0.01).result(PATIENCE))
    assert not tells((home / "ledger.json").read_text("utf-8"))
    agent.submit(session_id, "").result(PATIENCE)
    events = list(feed.take())

    def over() -> bool:
        events.extend(feed.take())
        return any(isinstance(event, JobExited) for event in events)

    wait_until(over)
    notice = inbox.next(PATIENCE)
    assert isinstance(notice, Completion) and MASKED in notice.output and MASKED in notice.command
    assert any(isinstance(event, WatchHit) for event in events)
    for told in (notice, *events, agent.kill(session_id).result(PATIENCE)):
        assert not tells(told), told


def test_a_page_that_begins_inside_a_private_key_shows_nothing_of_it(engine: Engine) -> None:
    session_id = engine.spawn(JobSpec(argv=("printf", "%s", f"before\n{KEY}after\n"))).result(PATIENCE).session_id
    engine.wait(session_id).result(PATIENCE)
    body = KEY.split("\n", 1)[1].rsplit("\n", 2)[0]
    for offset in range(KEY.count("\n") + 2):
        page = engine.log(session_id, offset, 2).result(PATIENCE)
        assert isinstance(page, Logged)
        assert not any(tells(page, line) for line in body.split("\n")), page
        assert page.output.count("\n") == (2 if offset < page.total_lines - 1 else 1)


def test_a_line_of_a_private_key_that_matches_is_told_masked(engine: Engine) -> None:
    feed = engine.events()
    body = KEY.split("\n")[3]
    spec = JobSpec(argv=("printf", "%s", KEY), watch_patterns=(body[20:30],))
    session_id = engine.spawn(spec).result(PATIENCE).session_id
    engine.wait(session_id).result(PATIENCE)
    hit = wait_until(lambda: next((event for event in feed.take() if isinstance(event, WatchHit)), None))
    assert hit is not None and hit.text == "***"


def test_assignments_are_masked_for_a_job_that_dumps_its_environment(engine: Engine) -> None:
    env: dict[str, str | None] = {"DB_PASSWORD": "hunter2", "MAX_TOKENS": "100"}
    dump = engine.spawn(JobSpec(command="env", env=env)).result(PATIENCE).session_id
    listing = engine.spawn(JobSpec(command="echo DB_PASSWORD=$DB_PASSWORD", env=env)).result(PATIENCE).session_id
    for session_id in (dump, listing):
        engine.wait(session_id).result(PATIENCE)
    shown = engine.log(dump).result(PATIENCE)
    assert isinstance(shown, Logged)
    assert "DB_PASSWORD=***\n" in shown.output and "MAX_TOKENS=100\n" in shown.output
    shown = engine.log(listing).result(PATIENCE)
    assert isinstance(shown, Logged) and shown.output == "DB_PASSWORD=hunter2\n"


def test_a_name_that_is_taken_from_the_command_holds_no_secret(engine: Engine) -> None:
    started = engine.spawn(JobSpec(command=f"true {SECRET}", name="")).result(PATIENCE)
    assert f"true {MASKED}" in started.output and not tells(started)
    assert not tells(engine.list().result(PATIENCE))


def test_panes_are_masked_by_a_setting_with_true_positions(home: Path) -> None:
    line = f'printf %s "$A"; read -r go; echo "$B"; echo {SECRET}; printf sk-'
    env: dict[str, str | None] = {"A": SECRET[:HALF], "B": SECRET[HALF:]}
    with Engine(Settings(redact_panes=True)) as engine:
        spec = JobSpec(argv=("bash", "-c", line), env=env, stdin="pipe")
        session_id = engine.spawn(spec).result(PATIENCE).session_id
        wait_until(lambda: "***" in str(engine.poll(session_id).result(PATIENCE).to_dict()["output_preview"]))
        pane = Viewing(engine, session_id)
        assert pane.text == ""
        engine.submit(session_id, "").result(PATIENCE)
        assert pane.ended.wait(PATIENCE)
        again = Viewing(engine, session_id)
        assert again.ended.wait(PATIENCE)
        for text in (pane.text, again.text):
            assert text.replace("\0", "") == f"{MASKED}\n{MASKED}\nsk-"
            assert len(text) == 2 * len(SECRET) + 5
        part = Viewing(engine, session_id, 10)
        assert part.ended.wait(PATIENCE)
        assert part.text.replace("\0", "") == f"***\n{MASKED}\nsk-"
