"""What the far side says of itself, in the stream of the job's output, and how it is told from that.

A mark is an application program command, ``ESC _ jobdeck;KEY;WHAT … ESC \\``. The first one (`begin`) carries a token
that anybody may see who lists processes over there; at that time the job doesn't run yet. The others carry a secret
that is sent over there only then, on the standard input of the process that starts the job, and that no command line,
no environment and no file ever held. So a job that prints its own command line, or all it can find, ends nothing.
"""

from collections.abc import Callable

_INTRO = b"\x1b_jobdeck;"
_OUTRO = b"\x1b\\"
_LONGEST = 1_024
_NEXT = {"begin": "run", "run": "end", "end": "", "shut": ""}


class Marks:
    """Takes marks out of a stream. ``on_mark`` is told of each by its fields, in the order in which they come.

    What comes between `begin` and `run` is the echo of the secret, what comes after `end` is the link's farewell:
    neither is the job's.
    """

    def __init__(self, token: str, secret: str, on_mark: Callable[[str, list[str]], None]) -> None:
        self._token = token.encode()
        self._secret = secret.encode()
        self._on_mark = on_mark
        self._waiting = "begin"
        self._held = b""

    def strip(self, data: bytes) -> bytes:
        """What of this is output. The beginning of a mark is held back until the rest of it comes."""
        if not self._waiting:
            return b""
        data, self._held = self._held + data, b""
        out: list[bytes] = []
        at = 0
        while (begin := data.find(_INTRO, at)) >= 0:
            end = data.find(_OUTRO, begin, begin + _LONGEST)
            if end < 0 and len(data) - begin < _LONGEST:
                break
            after = begin + len(_INTRO) if end < 0 else end + len(_OUTRO)
            fields = [] if end < 0 else data[begin + len(_INTRO) : end].split(b";")
            taken = self._known(fields)
            self._keep(out, data[at : begin if taken else after])
            at = after
            if taken:
                self._passed(fields)
                if not self._waiting:
                    return b"".join(out)
        rest = data[at:]
        cut = begin - at if begin >= 0 else len(rest) - _unfinished(rest)
        self._held = rest[cut:]
        self._keep(out, rest[:cut])
        return b"".join(out)

    def flush(self) -> bytes:
        """The stream has ended: what was held back, but for what may be an echo of what was told over there."""
        rest, self._held = self._held, b""
        return rest if self._waiting not in ("", "run") else b""

    def _known(self, fields: list[bytes]) -> bool:
        if self._waiting == "run" and fields[:2] == [self._token, b"shut"]:
            return True
        key = self._token if self._waiting == "begin" else self._secret
        return len(fields) >= 2 and fields[0] == key and fields[1] == self._waiting.encode()

    def _passed(self, fields: list[bytes]) -> None:
        passed = fields[1].decode()
        self._waiting = _NEXT[passed]
        self._on_mark(passed, [field.decode("utf-8", "replace") for field in fields[2:]])

    def _keep(self, out: list[bytes], data: bytes) -> None:
        if self._waiting != "run":
            out.append(data)


def _unfinished(data: bytes) -> int:
    """How many bytes at the end may be the beginning of a mark."""
    at = data.rfind(b"\x1b", max(0, len(data) - len(_INTRO)))
    return len(data) - at if at >= 0 and _INTRO.startswith(data[at:]) else 0
