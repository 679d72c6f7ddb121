"""Shell lines that send a whole list to the background, rewritten so that no subshell waits for it.

``A && B &`` makes a subshell that runs A, then waits for B with the job's pipe open. ``A && { B & }`` doesn't.
"""

import os
import re
from pathlib import Path

_CHECK_SECONDS = 10.0
_POSIX_LIKE = frozenset({"sh", "ash", "bash", "dash", "ksh", "ksh93", "mksh", "busybox", "zsh"})
_STILL_FRESH = frozenset({"!", "time", "then", "else", "elif", "if", "while", "until", "do"})
"""Words after which a command begins, so that a brace there opens or closes a group."""
_COMPOUND = _STILL_FRESH - {"!", "time"} | {"fi", "for", "done", "case", "esac", "select", "function", "coproc", "[["}
_BARE = re.compile(r"[^\s;&|<>()\\'\"$`]+")
_WHOLE_WORD = re.compile(r"[^\s;&|<>()\\'\"$`]+(?=[\s;&|<>()]|\Z)")
_REDIRECTION = re.compile(r"<<<|[<>]{1,2}[&|]?")
_HERE = re.compile(r"<<(-?)[ \t]*((?:'[^'\n]*'|\"[^\"\n$`\\]*\"|\\[^\n]|[^\s;&|<>()'\"\\$`])+)")
_NEXT = re.compile(r"(?:[ \t\r]|\\\n)*+(.|\n)")
_IN_QUOTES = re.compile(r"[^\\\"$`]+")
_IN_BRACES = re.compile(r"[^\\\"'$`}]+")


def detach_compound(line: str) -> str:
    """The line with ``A && B &`` as ``A && { B & }``; the line itself where there is nothing to do or no certainty."""
    if "&" not in line:
        return line
    try:
        edits = _Scan(line).edits()
    except _UnsureError:
        return line
    out: list[str] = []
    end = 0
    for at, text in edits:
        out += (line[end:at], text)
        end = at
    return "".join(out) + line[end:]


def parses(line: str, shell: str = "/bin/sh") -> bool:
    """True if the shell finds no syntax error. Runs it, without the line's commands; blocks for 10 s at most."""
    environment = {name: value for name, value in os.environ.items() if name not in ("BASH_ENV", "ENV")}
    options = {"zsh": ["-f", "-n"], "busybox": ["sh", "-n"]}.get(Path(shell).name, ["-n"])  # no start-up files
    import subprocess  # most lines need no check, and a start shouldn't pay for it

    try:
        done = subprocess.run(
            [shell, *options],
            input=line.encode(errors="surrogateescape") + b"\n",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_CHECK_SECONDS,
            env=environment,
            check=False,
        )
    except (OSError, UnicodeEncodeError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def background_safe(line: str, shell: str = "/bin/sh") -> str:
    """The line as it should run: rewritten if that changes it and the shell takes the result, else as it is.

    Starts the shell (see `parses`) only for lines that are rewritten.
    """
    if Path(shell).name not in _POSIX_LIKE:
        return line
    rewritten = detach_compound(line)
    return rewritten if rewritten != line and parses(rewritten, shell) else line


class _UnsureError(Exception):
    """The line has something that this scanner doesn't follow."""


class _Scan:
    """One pass over a line, with a stack of what is open: ``(``, ``$(``, ``{``, ``"``, ``${``."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0
        self.open: list[str] = []
        self.fresh = True  # a command may begin here
        self.in_word = False
        self.start = -1  # of the pipeline at depth 0
        self.compound = False  # the list at depth 0 has a && or || before that pipeline
        self.wanting = False  # an operator at depth 0 waits for its right side
        self.here: list[tuple[str, bool]] = []
        self.found: list[tuple[int, str]] = []

    def edits(self) -> list[tuple[int, str]]:
        """What to insert and where, in order."""
        while self.at < len(self.line):
            if self.open and self.open[-1] in ('"', "${"):
                self._quoted()
            else:
                self._command()
        if self.open or self.here:
            raise _UnsureError
        return self.found

    def _quoted(self) -> None:
        line, at, inside = self.line, self.at, self.open[-1]
        char = line[at]
        plain = (_IN_QUOTES if inside == '"' else _IN_BRACES).match(line, at)
        if plain:
            self.at = plain.end()
        elif char == "\\":
            self.at += 2
        elif char in "$`":
            self._expansion()
        elif char == '"' == inside or (char == "}" and inside == "${"):
            self.open.pop()
            self.at += 1
        elif char == '"':
            self.open.append('"')
            self.at += 1
        elif char == "'" and '"' not in self.open:
            self.at = self._after("'", at + 1)
        else:
            self.at += 1

    def _command(self) -> None:
        line, at = self.line, self.at
        char, pair = line[at], line[at : at + 2]
        if pair == "\\\n":
            self.at += 2
        elif char in " \t\r":
            self.in_word = False
            self.at += 1
        elif char == "\n":
            self._newline()
        elif char == "#" and not self.in_word:
            end = line.find("\n", at)
            self.at = len(line) if end < 0 else end
        elif pair in (";;", ";&"):
            raise _UnsureError
        elif char == ";" or (char == "&" and pair not in ("&&", "&>")):
            self._separator(char)
        elif pair in ("&&", "||", "|&") or char == "|":
            self._operator(pair if pair in ("&&", "||", "|&") else char)
        elif char in "<>&":
            self._redirection()
        elif char == "(":
            self._begin_token()
            self._enter("(", 1)
        elif char == ")":
            if not self.open or self.open[-1] == "{":
                raise _UnsureError
            self._leave(fresh=self.open[-1] == "(")  # after f() comes a command
        else:
            self._word()

    def _newline(self) -> None:
        self.at += 1
        for word, tabs in self.here:
            self._skip_body(word, tabs)
        self.here.clear()
        self._next_command()
        if not self.open and not self.wanting:
            self.start, self.compound = -1, False

    def _separator(self, char: str) -> None:
        self.at += 1
        self._next_command()
        if self.open:
            return
        if self.wanting or (char == "&" and self.start < 0):
            raise _UnsureError
        if char == "&" and self.compound:
            self.found.append((self.start, "{ "))
            following = _NEXT.match(self.line, self.at)
            if following and following[1] in (";", "&", "|"):
                raise _UnsureError
            ends = " };" if following and following[1] not in "\n#" else " }"
            self.found.append((self.at, ends + " " * self.line.startswith("#", self.at)))
        self.start, self.compound = -1, False

    def _operator(self, operator: str) -> None:
        self.at += len(operator)
        self._next_command()
        if self.open:
            return
        if self.start < 0 or self.wanting:
            raise _UnsureError
        self.wanting = True
        if operator in ("&&", "||"):
            self.start, self.compound = -1, True

    def _redirection(self) -> None:
        line, at = self.line, self.at
        self._begin_token()
        self.in_word = False
        if line[at] == "&":
            self.at += 2  # &> and &>>
        elif line.startswith("<<", at) and line[at + 2 : at + 3] != "<":
            here = _HERE.match(line, at)
            if self.open or here is None:
                raise _UnsureError
            self.here.append((re.sub(r"['\"\\]", "", here[2]), here[1] == "-"))
            self.at = here.end()
        elif line[at + 1 : at + 2] == "(":
            self._enter("$(", 2)
        else:
            redirection = _REDIRECTION.match(line, at)
            self.at = redirection.end() if redirection else at + 1

    def _word(self) -> None:
        line, at = self.line, self.at
        whole = _WHOLE_WORD.match(line, at) if self.fresh and not self.in_word else None
        self._begin_token()
        self.in_word = True
        if whole and self._reserved(whole[0]):
            return
        self.fresh = False
        char = line[at]
        if char == "\\":
            self.at += 2
        elif char == "'":
            self.at = self._after("'", at + 1)
        elif char == '"':
            self.open.append('"')
            self.at += 1
        elif char in "$`":
            self._expansion()
        else:
            bare = _BARE.match(line, at)
            self.at = bare.end() if bare else at + 1

    def _reserved(self, word: str) -> bool:
        """Take a word that has a meaning where a command begins; False if it has none."""
        if word in _COMPOUND and (not self.open or word == "case"):
            raise _UnsureError
        if word == "{":
            self._enter("{", 1)
            return True
        if word == "}":
            if self.open[-1:] != ["{"]:
                raise _UnsureError
            self._leave(fresh=False)
            return True
        self.at += len(word) if word in _STILL_FRESH else 0
        return word in _STILL_FRESH

    def _expansion(self) -> None:
        line, at = self.line, self.at
        following = line[at + 1 : at + 2]
        if line[at] == "`":
            self.at = at + 1
            while self.at < len(line) and line[self.at] != "`":
                self.at += 1 + (line[self.at] == "\\")
            if self.at >= len(line):
                raise _UnsureError
            self.at += 1
        elif following == "(":
            self._enter("$(", 2)
        elif following == "{":
            self.open.append("${")
            self.at += 2
        elif following == "'" and '"' not in self.open:
            self.at = self._after("'", at + 2)
            if line[self.at - 2] == "\\":
                raise _UnsureError  # an escaped quote to bash, the closing one to dash
        else:
            self.at += 2 if following and following in "#?!$@*-0123456789" else 1

    def _enter(self, what: str, length: int) -> None:
        self.open.append(what)
        self.at += length
        self.fresh, self.in_word = True, False

    def _leave(self, fresh: bool) -> None:
        self.open.pop()
        self.at += 1
        self.fresh, self.in_word = fresh, not fresh

    def _next_command(self) -> None:
        self.fresh, self.in_word = True, False

    def _begin_token(self) -> None:
        if not self.open:
            self.wanting = False
            if self.start < 0:
                self.start = self.at

    def _after(self, quote: str, at: int) -> int:
        end = self.line.find(quote, at)
        if end < 0:
            raise _UnsureError
        return end + 1

    def _skip_body(self, word: str, tabs: bool) -> None:
        while self.at < len(self.line):
            end = self.line.find("\n", self.at)
            end = len(self.line) if end < 0 else end
            text = self.line[self.at : end]
            self.at = min(end + 1, len(self.line))
            if (text.lstrip("\t") if tabs else text) == word:
                return
        raise _UnsureError
