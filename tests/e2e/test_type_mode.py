"""Type mode through the real console: real programs are worked with by keys alone, to their ends."""

import shlex
import sys
from pathlib import Path

import pytest
from host import Host, pane_rows
from raw_reader import RAW, got, python
from waiting import wait_until

LEAVE = "\x1d"
PICKER = """
import curses, pathlib
def pick(screen):
    curses.curs_set(0)
    words, typed, at = ["apple", "apricot", "banana", "cherry"], "", 0
    while True:
        fits = [word for word in words if typed in word]
        at = max(0, min(at, len(fits) - 1))
        screen.erase()
        screen.addstr(0, 0, "> " + typed)
        for row, word in enumerate(fits):
            screen.addstr(row + 1, 0, ("* " if row == at else "  ") + word)
        key = screen.getch()
        if key == curses.KEY_DOWN: at += 1
        elif key == curses.KEY_UP: at -= 1
        elif key in (curses.KEY_BACKSPACE, 127): typed = typed[:-1]
        elif key == 10: return fits[at]
        elif 32 <= key < 127: typed += chr(key)
picked = curses.wrapper(pick)
pathlib.Path("picked").write_text(picked)
"""


def types(host: Host, *keys: str) -> None:
    """Begin to type, and wait until it is said."""
    host.keys("i")
    host.shows("TYPING")
    host.keys(*keys)


def test_vim_is_driven_and_saves(tmp_path: Path) -> None:
    with Host(["vim -u NONE -N notes; echo vim is gone; sleep 7741"], tmp_path) as host:
        host.shows("~")
        types(host, "i", "one two q x", "\r", "three\x1b[D\x1b[D\x1b[DX")
        wait_until(lambda: "thXree" in "\n".join(pane_rows(host.screen())), what="what was typed")
        host.keys("\x1b")
        wait_until(lambda: "INSERT" not in "\n".join(host.screen()), what="Esc to reach vim")
        host.keys("gg0dw")
        wait_until(lambda: "two q x" in pane_rows(host.screen()), what="a word to go")
        host.keys("\x03")
        wait_until(lambda: ":qa" in "\n".join(pane_rows(host.screen())), what="Ctrl+C to reach vim")
        host.keys(":wq\r")
        wait_until(lambda: "vim is gone" in pane_rows(host.screen()), what="vim to leave")
        assert (tmp_path / "notes").read_text() == "two q x\nthXree\n"
        host.shows("TYPING")
        host.keys(LEAVE)
        host.loses("TYPING")
        host.keys("q")
        host.shows("Kill and leave")


def test_readline_recalls_completes_and_is_interrupted(tmp_path: Path) -> None:
    line = shlex.join(
        [sys.executable, "-q", "-c", "import code, readline, time; code.interact(banner='here', local=globals())"]
    )
    with Host([line], tmp_path) as host:
        host.shows(">>>")
        types(host, "6 * 7\r")
        wait_until(lambda: "42" in pane_rows(host.screen()), what="the answer")
        host.keys("\x1b[A", "\x1b[D\x7f8\r")  # 6 * 87
        wait_until(lambda: "522" in pane_rows(host.screen()), what="the recalled line, changed")
        host.keys("while print('be' 'gun') is None: time.sleep(60)\r\r")
        wait_until(lambda: "begun" in pane_rows(host.screen()), what="it to be busy")
        host.keys("\x03")
        wait_until(lambda: "KeyboardInterrupt" in pane_rows(host.screen()), what="the interrupt")
        wait_until(lambda: [row for row in pane_rows(host.screen()) if row][-1] == ">>>", what="the prompt")
        host.keys("\x04")
        host.shows("exit 0")
        host.loses("TYPING")


def test_less_is_paged_and_left(tmp_path: Path) -> None:
    with Host(["seq 1 500 | less; echo less is gone; sleep 7742"], tmp_path) as host:
        wait_until(lambda: pane_rows(host.screen())[:1] == ["1"], what="the first page")
        types(host, "G")
        wait_until(lambda: "500" in pane_rows(host.screen()), what="the end")
        host.keys("g", "\x1b[B", "\x1b[B")
        wait_until(lambda: pane_rows(host.screen())[:1] == ["3"], what="two lines down")
        host.keys("\x1b[<65;60;10M")
        wait_until(lambda: pane_rows(host.screen())[:1] == ["6"], what="the wheel to press arrows")
        host.keys("q")
        wait_until(lambda: "less is gone" in pane_rows(host.screen()), what="less to leave")


def test_a_picker_is_filtered_moved_in_and_chosen_from(tmp_path: Path) -> None:
    (tmp_path / "picker.py").write_text(PICKER)
    with Host([shlex.join([sys.executable, "picker.py"])], tmp_path) as host:
        wait_until(lambda: "* apple" in pane_rows(host.screen()), what="the picker in its pane, not only in the stack")
        types(host, "ap")
        wait_until(lambda: "banana" not in "\n".join(pane_rows(host.screen())), what="the filter")
        host.keys("\x1b[B")
        host.shows("* apricot")
        host.keys("\x7f\x7f", "an", "\r")
        host.shows("exit 0")
        assert (tmp_path / "picked").read_text() == "banana"
        host.loses("TYPING")


def test_a_password_is_typed_unseen(tmp_path: Path) -> None:
    asks = "import getpass; word = getpass.getpass(); print('its length:', len(word)); input()"
    with Host([python(asks)], tmp_path) as host:
        host.shows("Password:")
        types(host, "hunter2\r")
        host.shows("its length: 7")
        assert b"hunter2" not in host.said


@pytest.mark.parametrize(
    ("modes", "sent", "read"),
    [
        (r"\x1b[?1h", "\x1b[A\x1bOB\x1b[1;5C", b"\x1bOA\x1bOB\x1b[1;5C"),
        (r"\x1b[?1l", "\x1b[A\x1bOB\x1bOP\x1b[15~", b"\x1b[A\x1b[B\x1bOP\x1b[15~"),
        ("", "\x1b[1~\x1b[4~\x1b[3~\x1b[Z\x1b\x7f\x1bx", b"\x1b[H\x1b[F\x1b[3~\x1b[Z\x1b\x7f\x1bx"),
        ("", "\x1b[97;5u\x1b[120;3u\x1b[57417u\x1b[57441;2u\x1b[0;;228u", b"\x01\x1bx\x1b[D\xc3\xa4"),
        ("", "\x03\x1a\x1c\x11\x13\t\x10\x00qz1?", b"\x03\x1a\x1c\x11\x13\t\x10\x00qz1?"),
        (r"\x1b[?2004h", "\x1b[200~a\nb\x1b[31m\x1b[201~", b"\x1b[200~a\rb\x1b[31m\x1b[201~"),
        ("", "\x1b[200~a\nb\x1b[201~", b"a\rb"),
        (r"\x1b[?1004h", "\x1b[O\x1b[I", b"\x1b[I\x1b[O\x1b[I"),
        ("", "\x1b[O\x1b[I", b""),
    ],
)
def test_a_program_reads_what_xterm_would_send_it(tmp_path: Path, modes: str, sent: str, read: bytes) -> None:
    with Host([python(RAW, modes)], tmp_path) as host:
        wait_until(lambda: "ready" in pane_rows(host.screen()), what="the program to be ready")
        types(host, sent)
        host.keys(".")
        wait_until(lambda: "over" in pane_rows(host.screen()), what="the program to have read the dot")
        assert got(tmp_path).removeprefix(b"\x1b[I" if not read.startswith(b"\x1b[I") else b"") == read + b"."


@pytest.mark.parametrize(
    ("modes", "read"),
    [
        (r"\x1b[?1000;1006h", "\x1b[<0;1;1M\x1b[<0;3;2m\x1b[<64;1;1M"),
        (r"\x1b[?1002h", '\x1b[M !!\x1b[M@#"\x1b[M##"\x1b[M`!!'),
        (r"\x1b[?1003;1015h", "\x1b[67;1;1M\x1b[32;1;1M\x1b[64;3;2M\x1b[35;3;2M\x1b[96;1;1M"),
        ("", ""),
    ],
)
def test_the_mouse_goes_to_a_program_that_asks_for_it_and_to_no_other(tmp_path: Path, modes: str, read: str) -> None:
    with Host([python(RAW, modes)], tmp_path) as host:
        rows = wait_until(lambda: rows if "ready" in pane_rows(rows := host.screen()) else [])
        y = 4
        x = rows[y - 1].index("ready", rows[y - 1].index("▕")) + 1
        types(host, f"\x1b[<35;{x};{y}M")
        host.keys(f"\x1b[<0;{x};{y}M", f"\x1b[<32;{x + 2};{y + 1}M", f"\x1b[<0;{x + 2};{y + 1}m", f"\x1b[<64;{x};{y}M")
        host.keys(".")
        wait_until(lambda: "over" in pane_rows(host.screen()), what="the program to have read the dot")
        assert got(tmp_path).decode() == read + "."


def test_the_way_out_works_under_a_flood_and_keys_then_are_the_consoles(tmp_path: Path) -> None:
    with Host(["yes flooded"], tmp_path) as host:
        host.shows("flooded")
        for leave in (LEAVE, "\x1b[24~", "\x1b[93;5u"):
            types(host, "x")
            host.keys(leave)
            host.loses("TYPING")
        types(host, "\x03")
        host.shows("SIGINT")
        host.loses("TYPING")


def test_keys_that_come_in_one_burst_with_i_go_to_the_job(tmp_path: Path) -> None:
    with Host(["cat > said"], tmp_path) as host:
        host.shows("i types")
        host.keys("iquit x c\r\x04")
        host.shows("exit 0")
        assert (tmp_path / "said").read_text() == "quit x c\n"


def test_keys_meant_for_a_job_that_has_just_ended_do_nothing_to_the_console(tmp_path: Path) -> None:
    with Host(["read line", "sleep 7743"], tmp_path) as host:
        host.shows("2 running")
        types(host, "end\r")
        host.shows("exit 0")
        host.keys("r", "q", "c", "x")
        host.shows("1 running")
        host.loses("TYPING")
        assert "Kill and leave" not in "\n".join(host.screen())


def test_a_click_elsewhere_leaves_type_mode(tmp_path: Path) -> None:
    with Host(["cat", "sleep 7744"], tmp_path) as host:

        def row_of_sleep() -> int:
            rows = host.screen()
            return next((y for y, row in enumerate(rows, 1) if "sleep 7744" in row and "●" in row[:4]), 0)

        host.shows("2 running")
        y = wait_until(row_of_sleep, what="the row of the other job")
        types(host, "a")
        host.keys(f"\x1b[<0;5;{y}M\x1b[<0;5;{y}m")
        host.loses("TYPING")
        host.keys("?")
        host.shows("Esc closes")


def test_input_that_a_job_does_not_read_is_refused_calmly(tmp_path: Path) -> None:
    with Host(["stty raw; echo waits; sleep 7745"], tmp_path) as host:
        wait_until(lambda: "waits" in pane_rows(host.screen()), what="its terminal to be raw")
        types(host, "\x1b[200~" + "x" * 3_000_000 + "\x1b[201~")
        host.shows("not sent")
        host.keys(LEAVE)
        host.loses("TYPING")
