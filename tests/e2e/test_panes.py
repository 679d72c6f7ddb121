"""Jobs that other managers show wrongly, in panes of the real console on a terminal of the test's own."""

import re
from pathlib import Path

import psutil
from host import Host, pane_rows
from waiting import wait_until

MEGABYTE = 1 << 20
LONG = 80.0
"""Seconds for many megabytes to pass through terminals on a slow machine."""


def memory(host: Host) -> int:
    """Bytes of the console alone."""
    return int(psutil.Process(host.pid).memory_info().rss)


def test_screens_widths_and_answers(tmp_path: Path) -> None:
    alternate = "echo before; tput smcup; echo INALT; sleep 0.3; tput rmcup; echo after; sleep 7731"
    halves = r"printf 'コココ\033[1G x\n'; sleep 7732"
    clusters = "printf '日本語 👩‍👩‍👧|🇯🇵|⚠️|☎️|e\\314\\201|end\\n'; sleep 7733"
    asks = "stty raw -echo; printf '\\033[6n'; IFS= read -r -d R -t 90 x; stty sane; printf '%q\\n' \"$x\"; sleep 7734"
    with Host([alternate, halves, clusters, asks], tmp_path) as host:
        host.shows("4 running")
        border = wait_until(lambda: host.screen()[10].find("▕") + 1, what="the stack's border") - 1

        host.keys("1")
        wait_until(lambda: pane_rows(host.screen())[:2] == ["before", "after"], what="the main screen again")
        assert "INALT" not in pane_rows(host.screen())

        host.keys("2")
        wait_until(
            lambda: pane_rows(host.screen())[:1] == ["xココ"], what="a wide character's other half to be blanked"
        )

        host.keys("3")
        wait_until(lambda: "|end" in "\n".join(pane_rows(host.screen())), what="the clusters")
        first = pane_rows(host.screen())[0]
        assert [part for part in ("日本語", "👩‍👩‍👧", "🇯🇵", "⚠️", "☎️", "é") if part not in first] == []
        wait_until(lambda: set(host.column(border)[2:-1]) == {"▕"}, what="a border that isn't bent")
        host.keys("4")
        wait_until(lambda: r"$'\E[1;1'" in "\n".join(pane_rows(host.screen())), what="the cursor's place")
        host.keys("3")
        wait_until(lambda: pane_rows(host.screen())[:1] == [first], what="the same after the switch")


def test_all_of_it_in_order_and_at_once(tmp_path: Path) -> None:
    dots = "for i in 1 2 3; do printf .; until [ -e seen$i ]; do sleep 0.05; done; done; sleep 7735"
    with Host([dots, "seq 1 20000; exit 3", "seq -f L%g 1 5000; sleep 7736"], tmp_path) as host:
        host.shows("q quit")
        host.keys("1")
        for count in (1, 2, 3):
            wait_until(lambda: pane_rows(host.screen())[:1] == ["." * count], what=f"{count} dots")  # noqa: B023
            (tmp_path / f"seen{count}").touch()
        host.keys("2")
        wait_until(lambda: "20000" in pane_rows(host.screen()), what="the last line")
        assert "exit 3" in "\n".join(host.screen())
        host.keys("3")
        wait_until(lambda: "L5000" in pane_rows(host.screen()), what="the last line")
        host.keys("\t", "g")
        wait_until(lambda: pane_rows(host.screen())[:2] == ["L1", "L2"], what="the first lines: all are kept")


def test_one_long_line_holds_up_nobody(tmp_path: Path) -> None:
    line = r"head -c 3000000 /dev/zero | tr '\0' B; echo; echo LASTLINE; sleep 7737"
    with Host([line], tmp_path) as host:
        wait_until(lambda: "LASTLINE" in pane_rows(host.screen()), LONG, "the last line")
        host.keys("?")
        host.shows("Keys")


def test_a_string_without_end_costs_no_memory(tmp_path: Path) -> None:
    endless = r"printf '\033]0;never ends'; head -c 50000000 /dev/zero | tr '\0' A; touch said; sleep 7738"
    with Host([endless], tmp_path) as host:
        host.shows("1 running")
        before = memory(host)
        wait_until((tmp_path / "said").exists, LONG, "the string to be written")
        assert memory(host) - before < 50 * MEGABYTE
        host.keys("X")
        host.shows("killed")


def test_a_long_log_in_a_closed_tab_costs_no_memory_and_is_there_when_reopened(tmp_path: Path) -> None:
    big = "yes \"$(printf 'x%.0s' $(seq 200))\" | head -c 20000000; echo; echo BIGDONE; sleep 7739"
    with Host([big], tmp_path) as host:
        host.shows("1 running")
        before = memory(host)
        host.keys("c")
        host.loses("pty ")
        wait_until(lambda: "BIGDONE" in "\n".join(host.screen()), LONG, "the last line in the stack")
        host.keys("\r")
        wait_until(lambda: "BIGDONE" in pane_rows(host.screen()), what="the reopened pane")
        # Where the machine has no time to take in what isn't kept, that is told first.
        told = re.compile(r"[\d,]+ earlier lines no longer kept|more came than is kept")
        wait_until(lambda: told.search("\n".join(host.screen())), what="what the pane doesn't begin with")
        assert memory(host) - before < 150 * MEGABYTE
