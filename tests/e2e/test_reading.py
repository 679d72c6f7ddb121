"""Reading in panes of the real console, by keys and by the mouse, on a terminal of the test's own."""

import base64
import re
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from host import Host
from raw_reader import python
from sizes import SIZES
from waiting import wait_until


def pane_rows(rows: list[str]) -> list[str]:
    """The pane's part of each row, from its first line of output on."""
    return [row.split("▕", 1)[1][1:].rstrip(" ▁▂▃▄▅▆▇█") for row in rows[3:-2] if "▕" in row]


def _mouse(x: int, y: int, final: str, button: int = 0) -> str:
    """What a terminal says of the mouse at a cell, from 0: ``M``, a button goes down; ``m``, up."""
    return f"\x1b[<{button};{x + 1};{y + 1}{final}"


def press(host: Host, x: int, y: int, *, button: int = 0) -> None:
    """A button goes down at a cell of the terminal, from 0."""
    host.keys(_mouse(x, y, "M", button))


def let_go(host: Host, x: int, y: int) -> None:
    host.keys(_mouse(x, y, "m"))


def place(host: Host, text: str) -> tuple[int, int]:
    """Where this stands right of the stack; the lowest such place."""
    host.shows(text)

    def found() -> tuple[int, int]:
        rows = host.screen()
        y = next((y for y in reversed(range(len(rows))) if text in rows[y].split("▕", 1)[-1]), -1)
        with suppress(ValueError):  # the next frame has it elsewhere
            return (host.cell_of(y, text), y) if y >= 0 else (0, 0)
        return 0, 0

    return wait_until(lambda: at if any(at := found()) else (), what=text)  # type: ignore[return-value]


def click(host: Host, text: str, *, times: int = 1) -> None:
    """Click on the first place of the terminal that shows this."""
    x, y = place(host, text)
    # At once: clicks that come half a second apart, as a slow machine might have it, are single ones.
    host.keys((_mouse(x, y, "M") + _mouse(x, y, "m")) * times)


def drag(host: Host, start: tuple[int, int], end: tuple[int, int]) -> None:
    press(host, *start)
    for part in (1, 2, 3):
        x = start[0] + (end[0] - start[0]) * part // 3
        y = start[1] + (end[1] - start[1]) * part // 3
        press(host, x, y, button=32)
    let_go(host, *end)


def copied(host: Host) -> list[str]:
    """What was given to the terminal's clipboard."""
    return [base64.b64decode(data).decode() for data in re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", bytes(host.said))]


@pytest.fixture(autouse=True)
def _no_clipboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tester's own clipboard is not touched."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)


def test_scrolling_follows_no_more_and_what_is_new_below_is_counted_and_gone_to(tmp_path: Path) -> None:
    more = "seq -f L%g 1 30000; until [ -e more ]; do sleep 0.05; done; seq -f M%g 1 50; sleep 7751"
    with Host([more], tmp_path) as host:
        wait_until(lambda: "L30000" in pane_rows(host.screen()), what="the last line")
        host.keys("\t", "g")

        def told_and_shown() -> bool:
            rows = host.screen()
            gone = re.search(r"↑ ([\d,]+) earlier lines", "\n".join(rows))
            first = int(gone[1].replace(",", "")) + 1 if gone is not None else 0
            shown = pane_rows(rows)
            painted = shown[:2] == [f"L{first}", f"L{first + 1}"] and "L30000" not in shown  # the whole of the frame
            return 0 < first <= 20_001 and painted

        wait_until(told_and_shown, what="the oldest that is kept, after those that are told to be gone")
        host.keys("f")
        host.shows("follow ▼")
        wait_until(lambda: {"L29990", "L30000"} <= set(pane_rows(host.screen())))
        press(host, 60, 10, button=64)
        host.shows("scrolled")
        before = wait_until(lambda: rows if "L30000" not in (rows := pane_rows(host.screen())) else [])
        (tmp_path / "more").touch()
        host.shows("▼ 50 new lines below")
        assert pane_rows(host.screen()) == before
        click(host, "▼ 50 new lines")
        wait_until(lambda: "M50" in pane_rows(host.screen()), what="the newest")
        host.shows("follow ▼")
        host.keys("k", "k", "k")
        host.shows("scrolled")
        host.keys("G")
        host.shows("follow ▼")


def test_searching_by_keys_and_by_the_mouse(tmp_path: Path) -> None:
    with Host(["seq -f 'Row %g' 1 9000; printf 'row 日本語 %0150d end\\n' 7; sleep 7752"], tmp_path) as host:
        wait_until(lambda: "end" in "\n".join(pane_rows(host.screen())))
        host.keys("\t", "/", "row")
        host.shows("9,001/9,001")
        host.keys("\x1b[A")
        host.shows("9,000/9,001")
        click(host, "Aa")
        host.shows("1/1")
        host.keys("\x7f" * 3)
        host.shows("a text in the output")
        host.keys("7 eNd")
        host.shows("nothing found")
        host.keys("\x1bc")
        host.shows("1/1")
        host.keys("\x7f" * 5)
        host.shows("a text in the output")
        host.keys("^row [12]$", "\x12")
        host.shows("1/2")
        wait_until(lambda: "Row 2" in pane_rows(host.screen()))
        host.keys("\r", "n")
        host.shows("2/2")
        click(host, "▼ n")
        host.shows("↻ 1/2")
        host.keys("N")
        host.shows("↻ 2/2")
        click(host, "▲ N")
        host.shows("1/2")
        host.keys("\x1b")
        host.loses("1/2")
        host.keys("/")
        host.shows("1/2")
        click(host, "×")
        host.loses("1/2")


def test_selecting_copies_what_was_meant_over_the_terminals_clipboard(tmp_path: Path) -> None:
    with Host(["printf 'A%.0s' $(seq 300); echo; echo '日本語 (some/path.py:12) end'; sleep 7753"], tmp_path) as host:
        wait_until(lambda: "日本語 (some/path.py:12) end" in pane_rows(host.screen()))
        left, y = place(host, "日本語 (some")
        drag(host, (left, 3), (left + 5, y - 1))
        host.keys("y")
        host.shows("Copied 246 characters")
        wait_until(lambda: copied(host) == ["A" * 246], what="the copy")
        drag(host, (left, 3), (left + 79, y - 1))
        host.keys("\x03")
        wait_until(lambda: copied(host)[-1] == "A" * 300)
        click(host, "some/path", times=2)
        host.keys("\x03")
        wait_until(lambda: copied(host)[-1] == "some/path.py:12")
        click(host, "some/path", times=3)
        host.keys("y")
        wait_until(lambda: copied(host)[-1] == "日本語 (some/path.py:12) end")
        host.shows("esc clear")
        host.keys("\x1b")
        host.shows("follow ▼")  # a press clears too, for a moment, and then Esc and y would be one key
        host.loses("esc clear")
        host.keys("y")
        host.shows("Copied the command")
        host.keys("\x1b[1;2F", "y")
        wait_until(lambda: copied(host)[-1] == "some/path.py:12) end")


def test_marks_and_times_by_keys_and_by_the_mouse(tmp_path: Path) -> None:
    with Host(["seq -f 'row %g' 1 400; sleep 7754"], tmp_path) as host:
        wait_until(lambda: "row 400" in pane_rows(host.screen()), what="the last row")
        gutter, y = place(host, "row 390")
        gutter -= 1
        press(host, gutter, y)
        let_go(host, gutter, y)
        wait_until(lambda: "◆row 390" in host.screen()[y])
        host.keys("\t", "g", "m")
        wait_until(lambda: "◆row 1 " in host.screen()[3] + " ")
        host.keys("'")
        wait_until(lambda: any("◆row 390" in row for row in host.screen()))
        host.shows("Mark 2 of 2")
        host.keys("t")
        wait_until(lambda: re.search(r"\d\d:\d\d:\d\d row \d+", "\n".join(host.screen())), what="times")
        host.keys("t")
        wait_until(lambda: not re.search(r"\d\d:\d\d:\d\d row \d+", "\n".join(host.screen())), what="no times")


def test_what_a_job_says_to_the_terminal_stays_in_its_pane_and_its_title_in_the_foot(tmp_path: Path) -> None:
    says = r"printf '\033]52;c;aGFja2Vk\a\033]0;TITLE [b]x\a\033[?1049h\033[?1000h'; echo inside; sleep 7755"
    with Host([says], tmp_path, cols=160) as host:
        host.shows("inside")
        host.shows("· TITLE [b]x ·")
        host.keys("?")
        host.shows("Keys")
        said = bytes(host.said)
        assert re.findall(rb"\x1b\](?:52|0|2);", said) == []
        assert said.count(b"\x1b[?1049h") == 1


def test_brackets_are_brackets_wherever_they_stand(tmp_path: Path) -> None:
    text = 'this [prints] and [b]not markup[/b] [bold red]x[/] [with spaces] {"h": ["example.com"]}'
    with Host([f"echo '{text}'; sleep 7756"], tmp_path, cols=200) as host:
        wait_until(lambda: pane_rows(host.screen())[:1] == [text])
        host.keys("\t", "/", "[b]not")
        host.shows("1/1")
        host.keys("\r", "\x1b")
        host.loses("1/1")
        host.keys("y")
        host.shows("Copied the command: echo 'this [prints] and [b]not")
        wait_until(lambda: sum("[b]not markup[/b]" in row for row in host.screen()) >= 2, what="stack and pane")


def sizes(host: Host, count: int) -> list[str]:
    """The pane's rows with text, once there are so many."""
    rows = [row for row in pane_rows(host.screen()) if re.fullmatch(r"\d+ \d+", row)]
    return rows if len(rows) == count else []


def test_a_program_is_told_each_size_once_and_the_first_is_the_panes(tmp_path: Path) -> None:
    with Host([python(SIZES)], tmp_path) as host:
        wait_until(partial(sizes, host, 1), what="the first size")
        for seen, (cols, rows) in enumerate(((100, 30), (140, 40), (120, 36)), 2):
            host.resize(cols, rows)
            lines = wait_until(partial(sizes, host, seen), what=f"size {seen}")
            border = host.screen()[1].index("▕")
            assert lines[-1] == f"{rows - 5} {cols - border - 3}"


def test_a_closed_tab_reopened_has_all_there_is_once_and_in_order(tmp_path: Path) -> None:
    job = "echo A; echo B; until [ -e go ]; do sleep 0.05; done; echo C; sleep 7757"
    with Host([job], tmp_path) as host:
        wait_until(lambda: pane_rows(host.screen())[:2] == ["A", "B"])
        host.keys("c")
        host.loses("pty ")
        (tmp_path / "go").touch()
        wait_until(lambda: any(re.search(r"^▌?\s+C\b", row) for row in host.screen()), what="C in the stack")
        host.keys("\r")
        wait_until(lambda: [row for row in pane_rows(host.screen()) if row] == ["A", "B", "C"])
