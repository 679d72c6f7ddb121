"""Jobs by way of a real ssh server: output, input, terminal, exit code, signals and kill (spec 4.7)."""

import contextlib
import os
import subprocess
import uuid

import msgspec
import pytest
from far_jobs import far_tree, output, place, run, start, view
from living import alive
from nasty import nasty_vectors
from ssh_server import SshServer
from waiting import PATIENCE, wait_until

from engine import Engine
from engine.hosts.quoting import for_sh, script_words
from engine.results import Done, Killed, Written

FAR, DOWN = "far", "down"
ENDS_ON_INPUT = "echo ready; read -r line"


def test_output_exit_code_folder_and_environment_are_those_of_the_far_side(ssh_engine: Engine) -> None:
    line = 'echo "$MADE|${GONE-none}|$JOBDECK_SESSION_ID"; pwd; echo err >&2; exit 3'
    done = run(ssh_engine, FAR, command=line, cwd="/", env={"MADE": "it's\n2", "GONE": None, "odd-name": "x"})
    assert (done.exit_code, done.completion_reason) == (3, "exited")
    assert done.output == f"it's\n2|none|{done.session_id}\n/\nerr\n"


def test_exact_arguments_arrive_and_a_missing_program_is_its_own_exit_code(ssh_engine: Engine) -> None:
    done = run(ssh_engine, FAR, argv=("printf", "%s|", "", "a  b", "'", "$HOME", "\n", "ä"))
    assert (done.exit_code, done.output) == (0, "|a  b|'|$HOME|\n|ä|")
    assert run(ssh_engine, FAR, argv=("no-such-program-here",)).exit_code == 127
    missing = run(ssh_engine, FAR, command="echo never", cwd="/no/such/folder")
    assert missing.exit_code == 126 and "/no/such/folder" in missing.output and "never" not in missing.output


def test_255_of_the_job_is_its_own_and_255_of_ssh_is_none(ssh_engine: Engine) -> None:
    done = run(ssh_engine, FAR, command="exit 255")
    assert (done.exit_code, done.completion_reason) == (255, "exited")
    down = run(ssh_engine, DOWN, command="exit 255")
    assert (down.exit_code, down.completion_reason) == (None, "failed_start")
    shown = view(ssh_engine, down.session_id)
    assert shown.start_error == "ssh ended with 255 before the command began on down; nothing ran"
    assert "refused" in down.output
    assert (shown.host, shown.link) == (DOWN, "connecting")


def test_death_by_a_signal_is_told(ssh_engine: Engine) -> None:
    done = run(ssh_engine, FAR, command="kill -SEGV $$")
    assert done.exit_code == 139
    assert view(ssh_engine, done.session_id).label == "SIGSEGV"


def test_what_a_job_can_print_of_itself_ends_nothing_and_no_mark_shows(ssh_engine: Engine) -> None:
    line = "ps -ef; cat /proc/$PPID/cmdline /proc/$PPID/environ; env; echo done; exit 7"
    for pty in (False, True):
        done = run(ssh_engine, FAR, command=line, pty=pty)
        assert (done.exit_code, done.completion_reason) == (7, "exited")
        assert done.output.endswith("done\n")
        attached = ssh_engine.registry.jobs[done.session_id].stream.buffer.text(0)
        assert "\x1b_jobdeck" not in attached


@pytest.mark.parametrize("pty", [False, True])
def test_an_environment_of_any_size_arrives_and_stands_in_no_command_line(ssh_engine: Engine, pty: bool) -> None:
    env: dict[str, str | None] = {f"MADE_{number}": f"it's\t{number}\n" + "x" * 900 for number in range(20)}
    word = uuid.uuid4().hex  # the test's own: other programs' command lines are nobody's business
    env["KEY"] = word
    line = f"ps -eo args | grep -c [{word[0]}]{word[1:]}; env | grep -c '^x\\{{900\\}}$'"
    line += f"; test \"$KEY\" = {word[:9]}''{word[9:]}"
    done = run(ssh_engine, FAR, command=line, env=env, pty=pty)
    assert (done.exit_code, done.output.split()) == (0, ["0", "20"])


@pytest.mark.parametrize("stdin", ["pipe", "null"])
def test_input_by_a_pipe_and_its_end(ssh_engine: Engine, stdin: str) -> None:
    session_id = start(ssh_engine, FAR, command="cat; echo end", stdin=stdin)
    if stdin == "pipe":
        assert isinstance(ssh_engine.write(session_id, "early\n").result(), Written)
        wait_until(lambda: "early" in output(ssh_engine, session_id))
        ssh_engine.close(session_id).result()
    wait_until(lambda: "end" in output(ssh_engine, session_id))
    assert output(ssh_engine, session_id).strip() == ("early\nend" if stdin == "pipe" else "end")


def test_a_terminal_has_its_size_follows_a_resize_and_takes_input_and_its_end(ssh_engine: Engine) -> None:
    line = (
        "trap 'stty size' WINCH; test -t 0 && test -t 2 && stty size; while read -r it; do echo got $it; done; exit 9"
    )
    session_id = start(ssh_engine, FAR, "22 77", command=line, pty=True, cols=77, rows=22)
    ssh_engine.resize(session_id, 101, 33).result()
    # A shell runs its trap when the line that it reads has come.
    wait_until(lambda: ssh_engine.submit(session_id, "again").result() and "33 101" in output(ssh_engine, session_id))
    ssh_engine.submit(session_id, "one").result()
    wait_until(lambda: "got one" in output(ssh_engine, session_id))
    ssh_engine.close(session_id).result()
    done = ssh_engine.wait(session_id, PATIENCE).result().to_dict()
    assert done["exit_code"] == 9
    assert "Connection to" not in output(ssh_engine, session_id)


def test_ctrl_c_reaches_the_job_and_its_end_is_its_own(ssh_engine: Engine) -> None:
    session_id = start(ssh_engine, FAR, "ready", command="trap 'exit 42' INT; echo ready; read -r x", pty=True)
    ssh_engine.write(session_id, "\x03").result()
    assert ssh_engine.wait(session_id, PATIENCE).result().to_dict()["exit_code"] == 42


def test_bytes_come_through_a_pipe_unchanged(ssh_engine: Engine) -> None:
    done = run(
        ssh_engine, FAR, command=r"printf '\033[1m\033\033_x\r\n\t\303\244'; head -c 300000 /dev/zero | tr '\0' x"
    )
    text = ssh_engine.registry.jobs[done.session_id].stream.buffer.text(0)
    assert text == "\x1b[1m\x1b\x1b_x\r\n\tä" + "x" * 300_000


def test_a_job_ends_though_something_holds_its_link_open(ssh_engine: Engine) -> None:
    session_id = start(ssh_engine, FAR, "pid", command="sleep 7401 & echo pid $!; exit 4")
    done = ssh_engine.wait(session_id, PATIENCE).result().to_dict()
    assert (done["exit_code"], done["completion_reason"]) == (4, "exited")
    os.kill(int(output(ssh_engine, session_id).split()[1]), 9)


@pytest.mark.parametrize("pty", [False, True])
def test_a_kill_ends_the_far_tree_with_grace_and_proof(ssh_engine: Engine, pty: bool) -> None:
    line = "trap '' TERM; (trap '' HUP; sleep 7402) & echo ready; while :; do sleep 0.1; done"
    session_id = start(ssh_engine, FAR, "ready", command=line, pty=pty)
    there = wait_until(lambda: tree if len(tree := far_tree(ssh_engine, session_id)) >= 3 else None)
    assert there is not None
    answer = ssh_engine.kill(session_id).result()
    assert isinstance(answer, Killed)
    assert (answer.status, answer.exit_code, answer.completion_reason) == ("killed", -15, "killed")
    assert alive(there) == []
    assert view(ssh_engine, session_id).link == "over"


def test_last_words_of_a_killed_job_are_kept(ssh_engine: Engine) -> None:
    settings = msgspec.structs.replace(ssh_engine.registry.settings, term_grace_seconds=PATIENCE)
    ssh_engine.call("patience", lambda: setattr(ssh_engine.registry, "settings", settings)).result()
    line = "trap 'echo LAST; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    session_id = start(ssh_engine, FAR, "ready", command=line)
    assert "LAST" in ssh_engine.kill(session_id).result().to_dict()["output"]
    shown = view(ssh_engine, session_id)
    assert (shown.exit_code, shown.raw_exit_code) == (-15, 0)


def test_a_signal_goes_to_the_far_side_and_not_to_the_link(ssh_engine: Engine) -> None:
    line = "trap 'echo got usr1' USR1; echo ready; read -r line"
    session_id = start(ssh_engine, FAR, "ready", command=line, stdin="pipe")
    assert isinstance(ssh_engine.signal(session_id, "USR1").result(), Done)
    wait_until(lambda: "got usr1" in output(ssh_engine, session_id))
    ssh_engine.kill(session_id).result()


@pytest.mark.parametrize("pty", [False, True])
def test_a_dead_link_is_lost_and_what_runs_over_there_can_still_be_killed(ssh_engine: Engine, pty: bool) -> None:
    line = "trap '' HUP PIPE; echo ready; while :; do sleep 0.1; done"
    session_id = start(ssh_engine, FAR, "ready", command=line, pty=pty)
    there = far_tree(ssh_engine, session_id)
    os.kill(ssh_engine.poll(session_id).result().to_dict()["pid"], 9)
    done = ssh_engine.wait(session_id, PATIENCE).result().to_dict()
    assert (done.get("exit_code"), done["completion_reason"]) == (None, "lost")
    shown = view(ssh_engine, session_id)
    where = place(ssh_engine, session_id)
    assert shown.start_error == f"ssh was killed by signal 9; process {where.pid} on {where.node} (far) may still run"
    assert (shown.label, shown.link) == ("lost", "up")
    assert len(alive(there)) >= 2
    assert ssh_engine.kill(session_id).result().status == "killed"
    assert alive(there) == []
    assert view(ssh_engine, session_id).completion_reason == "lost"
    assert ssh_engine.kill(session_id).result().status == "already_exited"


def test_a_connection_that_the_server_drops_is_lost(ssh_engine: Engine, server: SshServer) -> None:
    session_id = start(ssh_engine, FAR, "ready", command=ENDS_ON_INPUT, stdin="pipe")
    for pid in server.sessions():
        with contextlib.suppress(ProcessLookupError):  # that of an earlier test may be just ending
            os.kill(pid, 9)
    done = ssh_engine.wait(session_id, PATIENCE).result().to_dict()
    assert (done.get("exit_code"), done["completion_reason"]) == (None, "lost")
    assert "ssh ended with 255" in view(ssh_engine, session_id).start_error
    ssh_engine.kill(session_id).result()


def test_a_stranger_with_the_number_of_the_far_process_is_left_alone(ssh_engine: Engine) -> None:
    session_id = start(ssh_engine, FAR, "ready", command=ENDS_ON_INPUT, stdin="pipe")
    far = ssh_engine.registry.jobs[session_id].far
    assert far is not None and far.place is not None
    with subprocess.Popen(["sleep", "7403"], start_new_session=True) as stranger:
        true, far.place = far.place, msgspec.structs.replace(far.place, pid=stranger.pid)
        os.kill(ssh_engine.poll(session_id).result().to_dict()["pid"], 9)
        ssh_engine.wait(session_id, PATIENCE).result()
        ssh_engine.kill(session_id).result()
        assert stranger.poll() is None
        stranger.kill()
    far.place, far.state = true, type(far.state)("up")
    ssh_engine.kill(session_id).result()


def test_200_nasty_vectors_through_ssh(server: SshServer, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Twenty in one command; each in one of its own with ``JOBDECK_TEST_EACH_VECTOR`` set."""
    vectors, at_once = nasty_vectors(200), 1 if "JOBDECK_TEST_EACH_VECTOR" in os.environ else 20
    shared = tmp_path_factory.mktemp("s") / "s"
    ssh = [server.via[0], "-S", str(shared), *server.via[1:]]
    master = subprocess.Popen([*ssh[:-2], "-M", "-N", ssh[-2]])
    try:
        wait_until(shared.exists, what="the shared connection")
        for first in range(0, len(vectors), at_once):
            words = [word for vector in vectors[first : first + at_once] for word in ("word", *vector)]
            script = " ".join(map(for_sh, ["exec", "env", "printf", r"%s\0", *words]))
            said = subprocess.check_output([*ssh, *script_words(script, 1)], stdin=subprocess.DEVNULL)
            assert said == b"".join(b"%s\0" % os.fsencode(word) for word in words), words
    finally:
        # ssh may miss a signal that comes just before it goes to sleep.
        while master.poll() is None:
            master.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                master.wait(1)
