"""What goes wrong around a job costs neither the job, nor its output, nor the engine."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from viewing import Viewing
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, Settings, SpecError, StartError
from engine.events import JobExited, Snapshot
from engine.results import Refused
from engine.store.home import HomeError


def preview(engine: Engine, session_id: str) -> str:
    return str(engine.poll(session_id).result().to_dict()["output_preview"])


@pytest.mark.parametrize("odd", [r"\033[1 m", r"\033[1\047m", r"\033[0?m", r"\033[4:m", r"\033[38:5m", r"\033[;:m"])
@pytest.mark.parametrize("pty", [False, True])
def test_no_sequence_in_the_output_keeps_a_job_from_ending(engine: Engine, odd: str, pty: bool) -> None:
    feed = engine.events()
    line = f"yes | head -c 200000; printf '{odd}after\\n'; exit 3"
    session_id = engine.spawn(JobSpec(argv=("bash", "-c", line), pty=pty)).result().session_id
    viewing = Viewing(engine, session_id)
    assert engine.wait(session_id).result().to_dict()["exit_code"] == 3
    assert viewing.ended.wait(PATIENCE)
    assert "after" in viewing.text
    assert not [event for event in feed.take() if hasattr(event, "text")]


WITHOUT_DESCRIPTORS = """
import contextlib, os, resource, time
from engine import Engine, JobSpec, StartError

@contextlib.contextmanager
def no_descriptors_left():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 64, hard))
    held = []
    for _ in range(2):  # a thread may have had a file open, and freed its descriptor since
        with contextlib.suppress(OSError):
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        time.sleep(0.5)
    try:
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

with Engine() as engine:
    stays = engine.spawn(JobSpec(command="sleep 7801")).result().session_id
    ends = engine.spawn(JobSpec(argv=("cat",), stdin="pipe")).result().session_id
    while engine.call("look", lambda: bool(engine.registry._background)).result():  # what it does at its start
        time.sleep(0.02)
    assert engine.registry.writer.flush(30)  # it has a file open now and then
    with no_descriptors_left():
        try:
            engine.spawn(JobSpec(command="true", pty=True)).result()
        except StartError as error:
            print("descriptor" in str(error))
        print(engine.kill(stays).result().status)
        engine.close(ends).result()
        print(engine.wait(ends).result().exit_code)
    print(engine.poll(stays).result().status)
    print(engine.kill(stays).result().status)
"""


def test_without_descriptors_ends_are_told_and_what_fails_can_be_done_again() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DESCRIPTORS], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["True", "error", "0", "running", "killed"]


def test_a_program_that_is_a_fifo_holds_nothing_up(engine: Engine, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    fifo.chmod(0o755)
    for _ in range(9):
        with pytest.raises(StartError, match="not a program"):
            engine.spawn(JobSpec(argv=(str(fifo),))).result()
    session_id = engine.spawn(JobSpec(command="true")).result().session_id
    assert engine.wait(session_id).result().status == "exited"


def test_a_terminal_that_its_job_closes_and_opens_again_is_read_on(engine: Engine) -> None:
    line = "echo A; exec 0<&- 1>&- 2>&-; sleep .3; exec 1>/dev/tty; echo B; seq 1 5000; exit 5"
    session_id = engine.spawn(JobSpec(argv=("bash", "-c", line), pty=True)).result().session_id
    assert engine.wait(session_id).result().to_dict()["exit_code"] == 5
    assert Viewing(engine, session_id).text.split() == ["A", "B", *map(str, range(1, 5001))]


def test_events_are_told_to_their_owner_and_the_operator_alone(engine: Engine) -> None:
    mine, theirs = engine.api(Caller("conv-a")), engine.api(Caller("conv-b"))
    feeds = {"a": mine.events(), "b": theirs.events(), "operator": engine.events()}
    session_id = mine.spawn(JobSpec(command="echo private")).result().session_id
    engine.wait(session_id).result()
    mine.dismiss(session_id).result()
    seen = {name: feed.take() for name, feed in feeds.items()}
    kinds = {name: [type(event).__name__ for event in events] for name, events in seen.items()}
    assert kinds["b"] == ["Snapshot"]
    assert kinds["a"] == kinds["operator"]
    assert kinds["a"][0] == "Snapshot" and kinds["a"][-1] == "JobDismissed"
    assert isinstance(seen["b"][0], Snapshot)


def test_no_end_is_lost_to_a_subscriber_that_does_not_take(engine: Engine) -> None:
    feed = engine.events()
    feed.next()
    calls = [engine.spawn(JobSpec(argv=("true",))) for _ in range(150)]
    ids = {call.result().session_id for call in calls}
    for session_id in ids:
        engine.wait(session_id).result()
    assert {event.job.session_id for event in feed.take() if isinstance(event, JobExited)} == ids


@pytest.mark.parametrize("spec", [{"command": "echo \ud800"}, {"argv": ("echo", "\ud800")}, {"env": {"A": "\ud800"}}])
def test_half_a_surrogate_pair_is_refused(engine: Engine, spec: dict[str, object]) -> None:
    with pytest.raises(SpecError, match="surrogate"):
        engine.spawn(JobSpec(**{"command": "true", **spec} if "argv" not in spec else spec)).result()  # type: ignore[arg-type]
    session_id = engine.spawn(JobSpec(argv=("cat",), stdin="pipe")).result().session_id
    assert isinstance(engine.write(session_id, "\ud800").result(), Refused)


def test_writing_to_a_job_that_closed_its_stdin_kills_no_host(engine: Engine) -> None:
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        session_id = engine.spawn(JobSpec(argv=("bash", "-c", "exec <&-; echo up; sleep 7802"), stdin="pipe")).result()
        wait_until(lambda: "up" in preview(engine, session_id.session_id))
        engine.write(session_id.session_id, "x" * 1000).result()
        assert engine.poll(session_id.session_id).result().status == "running"
    finally:
        signal.signal(signal.SIGPIPE, before)


def test_a_child_that_dies_before_its_gate_leaks_nothing(no_fd_leak: None, engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "libc.so.6").write_bytes(b"junk")
    for pty in (False, True):
        for _ in range(10):
            try:
                spec = JobSpec(command="true", env={"LD_LIBRARY_PATH": str(tmp_path)}, pty=pty)
                started = engine.spawn(spec).result()
            except StartError:
                continue
            engine.wait(started.session_id).result()


def test_the_folder_is_the_kernels_when_a_link_is_left(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "real" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "sub")
    started = engine.spawn(JobSpec(argv=("pwd", "-P"), cwd=f"{tmp_path}/link/..")).result()
    engine.wait(started.session_id).result()
    assert preview(engine, started.session_id).strip() == str(tmp_path / "real")


@pytest.mark.parametrize("line", ["-x foo", "+x foo"])
def test_a_shell_line_is_never_taken_for_options(engine: Engine, line: str) -> None:
    session_id = engine.spawn(JobSpec(command=line)).result().session_id
    assert engine.wait(session_id).result().to_dict()["exit_code"] == 127


HOST = """
import os, sys, time
from engine import Engine, JobSpec
engine = Engine()
started = engine.spawn(JobSpec(command="sleep 7803")).result()
if os.fork() == 0:
    engine.shutdown()
    os.close(1)
    time.sleep(600)
    os._exit(0)
print(started.pid, flush=True)
time.sleep(600)
"""


def test_a_forked_child_of_the_host_keeps_no_job_alive() -> None:
    host = subprocess.Popen([sys.executable, "-W", "ignore", "-c", HOST], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    job = psutil.Process(int(host.stdout.readline()))
    children = psutil.Process(host.pid).children()
    host.kill()
    host.wait()
    host.stdout.close()
    try:
        wait_until(lambda: not job.is_running() or job.status() == psutil.STATUS_ZOMBIE, what="the job to end")
    finally:
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()


def test_an_interrupted_shutdown_can_be_done_again(tmp_path: Path) -> None:
    code = """
import os, signal, threading, time
from pathlib import Path
from engine import Engine, JobSpec, Settings
engine = Engine(Settings(term_grace_seconds=60.0))
line = "trap 'touch asked' TERM; touch up; until [ -e over ]; do sleep 0.05; done"
job = engine.spawn(JobSpec(command=line)).result()
while not Path("up").exists():
    time.sleep(0.01)
def interrupt():
    while not Path("asked").exists():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)  # as from a terminal: it wakes the main thread
threading.Thread(target=interrupt).start()
try:
    engine.shutdown()
except KeyboardInterrupt:
    threading.Timer(0.2, Path("over").touch).start()
    engine.shutdown()
    print("again", Path(f"/proc/{job.pid}").exists())
"""
    env = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=tmp_path, env=env
    )
    assert done.stdout == "again False\n"


def test_a_host_that_ignores_its_children_gets_no_invented_code() -> None:
    code = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from engine import Engine, JobSpec
with Engine() as engine:
    started = engine.spawn(JobSpec(command="exit 3")).result()
    print(engine.wait(started.session_id, 60).result().completion_reason)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "lost\n"


def test_an_engine_that_cannot_begin_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[asyncio.AbstractEventLoop] = []
    new_event_loop = asyncio.new_event_loop

    def kept() -> asyncio.AbstractEventLoop:
        made.append(new_event_loop())
        return made[-1]

    monkeypatch.setattr(asyncio, "new_event_loop", kept)
    monkeypatch.setenv("JOBDECK_HOME", "~no-such-user/jobdeck")
    with pytest.raises(HomeError, match="no such user"):
        Engine()
    assert [loop.is_closed() for loop in made] == [True]


def test_what_is_cancelled_as_the_engine_ends_may_begin_something_in_its_stead(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    async def waits_for_ever() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            begun.append(asyncio.get_running_loop().create_task(asyncio.sleep(3600)))

    begun: list[asyncio.Task[None]] = []
    with Engine(settings) as engine:
        loop = engine.registry.loop
        begun.append(engine.call("begin", lambda: loop.create_task(waits_for_ever())).result())
        engine.call("let it begin", lambda: None).result()
    done = [task.done() for task in begun]
    assert done == [True, True]
    assert capfd.readouterr().err == ""


def test_what_outlives_the_engines_loop_is_written_down_and_not_printed(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    with Engine(settings) as engine:
        loop, unhandled = engine.registry.loop, engine._unhandled  # which asyncio calls whenever it likes
    unhandled(loop, {"message": "Task was destroyed but it is pending!"})
    assert "Task was destroyed" in (engine.registry.home / "logs" / "jobdeck.log").read_text()
    assert capfd.readouterr().err == ""
