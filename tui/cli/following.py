"""``jobdeck log -f``: the last lines of a job's output, then what comes, until the job ends."""

import re
import sys
from typing import Any

from engine.output.cleaning import clean
from engine.wire.short import Short
from tui.cli.asking import Plain
from tui.cli.reaching import Answering

_QUIET_SECONDS = 0.1
"""A line that isn't finished is shown when nothing has come for so long: it may be a prompt."""
_LONGEST = 65_536
"""Characters of a line that are kept back; then it is cut there."""
_LINES = 200
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)?\Z")
"""A sequence whose end hasn't come."""


class Printer:
    """Prints text as it comes, cut anywhere, as whole cleaned lines; an unfinished one once it is quiet."""

    def __init__(self, *, raw: bool) -> None:
        self._raw = raw
        self._line = ""
        """What has come of the unfinished line."""
        self._shown = ""
        """What of it is on the screen."""

    @property
    def waits(self) -> bool:
        """Has some come that isn't shown?"""
        return bool(self._line)

    def feed(self, text: str) -> None:
        """More has come."""
        if self._raw:
            self._write(text)
            return
        text = self._line + text
        cut = text.rfind("\n") + 1
        if not cut and len(text) > _LONGEST:
            cut = len(text)
        self._line = text[cut:]
        if cut:
            self._show(clean(text[:cut]))
            self._shown = ""

    def quiet(self) -> None:
        """Nothing more comes for now."""
        if self._line:
            cleaned = clean(_UNFINISHED.sub("", self._line))
            if cleaned != self._shown:
                self._show(cleaned)
                self._shown = cleaned

    def _show(self, cleaned: str) -> None:
        if cleaned.startswith(self._shown):
            self._write(cleaned[len(self._shown) :])
        else:  # what was shown has been overwritten meanwhile
            self._write(("\r\x1b[K" if sys.stdout.isatty() else "\n") + cleaned)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def follow_log(engine: Answering, session_id: str, limit: int | None, *, raw: bool) -> Plain:
    """Print until the job ends. The engine tells when there is more: nothing polls."""
    first = engine.ask("log", {"session_id": session_id, "limit": limit, "raw": raw})
    printer = Printer(raw=raw)
    if "error" in first:
        return dict(first)
    if first["status"] == "exited":
        printer.feed(first["output"])
        printer.quiet()
        return {"status": "ok"}
    if first["status"] != "running":
        return {"status": "error", "error": f"log: there are {first['showing']}"}
    assert isinstance(engine, Short)  # a job that goes on is an engine's
    attached = engine.ask("attach", {"session_id": session_id, "at": None, "redacted": True})
    if "error" in attached:
        return dict(attached)
    _Following(engine, attached["attachment"], printer, limit or _LINES).run()
    return {"status": "ok"}


class _Following:
    def __init__(self, engine: Short, attachment: int, printer: Printer, limit: int) -> None:
        self._engine = engine
        self._attachment = attachment
        self._printer = printer
        self._limit = limit
        self._position: int | None = None
        """Up to here it is printed; None before the first."""
        self._quiet = False
        """What isn't finished is shown already."""

    def run(self) -> None:
        while True:
            try:
                message = self._engine.next(_QUIET_SECONDS if self._printer.waits and not self._quiet else None)
            except TimeoutError:
                self._quiet = True
                self._printer.quiet()
                continue
            self._quiet = False
            if message["method"] == "output" and self._take(message["params"]):
                return

    def _take(self, params: dict[str, Any]) -> bool:
        item = params["item"]
        if item["type"] == "end":
            self._printer.quiet()
            return True
        text = item.get("text", "")
        if item["type"] == "replay":
            text = "".join([*item["pieces"], *(self._part() for _ in range(params.get("parts", 0)))])
        self._print(item["start"], text)
        self._engine.tell("grant", {"attachment": self._attachment})
        return False

    def _part(self) -> str:
        while True:
            message = self._engine.next()
            if message["method"] == "output_part":
                return str(message["params"]["text"])

    def _print(self, start: int, text: str) -> None:
        if self._position is None:
            self._printer.feed(_last_lines(text, self._limit))
        else:
            if start > self._position:
                sys.stderr.write(f"[{start - self._position:,} characters came too fast, and are not shown]\n")
            self._printer.feed(text[max(0, self._position - start) :])
        self._position = start + len(text)


def _last_lines(text: str, count: int) -> str:
    at = len(text) - text.endswith("\n")
    for _ in range(count):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return text
    return text[at + 1 :]
