"""What the far side's ``sh`` is asked to run for a job: it waits at a gate, runs the command and tells its end."""

import re
from collections.abc import Mapping, Sequence

from engine.hosts.quoting import for_sh, told
from engine.hosts.script import BEGAN, filled

_LINE_CHARS = 1_000
"""A terminal in line mode drops what is longer than 4,095."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_RUN = (
    BEGAN
    + r"""
trap : HUP INT QUIT TERM USR1 USR2 ALRM
printf '\033_jobdeck;%s;begin;%s;%s;%s;%s;%s\033\\' @TOKEN@ "$$" "$(jd_began $$)" "$(uname -n)" "${SLURM_JOB_ID-}" \
  "${SLURM_STEP_ID-}"
jd_key=
while [ "${#jd_key}" -ne 32 ]; do
  IFS= read -r jd_key || { printf '\033_jobdeck;%s;shut\033\\' @TOKEN@; exit 126; }
  case $jd_key in *[!0-9a-f]*) jd_key=;; esac
done
jd_env=
while IFS= read -r jd_l; do
  case $jd_l in +*) jd_env=$jd_env${jd_l#?};; *) break;; esac
done
printf '\033_jobdeck;%s;run\033\\' "$jd_key"
exec 3>&2 2>/dev/null
@BODY@
exit "$jd_code"
"""
)

_BODY = r"""(
@COMMAND@
)
jd_code=$?
printf '\033_jobdeck;%s;end;%s\033\\' "$jd_key" "$jd_code"
"""

_BODY_BY_PIPE = r"""exec 4>&1
jd_code=$(trap : HUP INT QUIT TERM USR1 USR2 ALRM
{ {
trap : HUP INT QUIT TERM USR1 USR2 ALRM
(
@COMMAND@
) 4>&- 5>&-
jd_code=$?
printf '\033_jobdeck;%s;end;%s\033\\' "$jd_key" "$jd_code"
echo "$jd_code" >&5
} | (trap '' HUP INT QUIT TERM USR1 USR2 ALRM; exec cat >&4 5>&-); } 5>&1)
"""
"""Where standard output is a terminal that nobody has asked for: the job gets a pipe."""


def run_script(
    token: str,
    command: str | None,
    argv: Sequence[str],
    cwd: str | None,
    env: Mapping[str, str | None],
    *,
    joined: bool,
    by_pipe: bool = False,
) -> str:
    """What runs a job over there: it says who it is, waits for a line, runs the command and says how that ended.

    Args:
        token: Goes before what it says of itself.
        command: A shell line, for the far side's ``$SHELL``, or None.
        argv: Exact arguments, if there is no ``command``.
        cwd: A folder over there; None: where one arrives.
        env: What will be told by `environment_lines`.
        by_pipe: Standard output is a terminal there, and the job is to have a pipe.
        joined: Standard error is to go where standard output goes, in one order.
    """
    lines = [f"exec 2>&{1 if joined else 3} 3>&-"]  # what sh itself says of a signal's victim is no output
    lines.append('eval "$(printf %b "$jd_env")"')
    odd = [for_sh(f"{name}={value}") for name, value in env.items() if value is not None and not _NAME.match(name)]
    if cwd:
        lines.append(f"cd -- {_folder(cwd)} || exit 126")
    words = " ".join(map(for_sh, argv)) if command is None else f'"${{SHELL:-/bin/sh}}" -c {for_sh(command)}'
    lines.append(f"exec {' '.join(['env', *odd, words]) if odd else words}")
    body = filled(_BODY_BY_PIPE if by_pipe else _BODY, COMMAND="\n".join(lines))
    return filled(_RUN, TOKEN=token, BODY=body)


def environment_lines(env: Mapping[str, str | None]) -> str:
    """What is told to a job's script over there once it says who it is, and stands in no command line: lines that a
    terminal takes, the last of them a full stop. Names that ``sh`` can't hold are in the command."""
    words = [f"unset {name}" for name, value in env.items() if value is None and _NAME.match(name)]
    words += [
        f"export {name}={for_sh(value)}" for name, value in env.items() if value is not None and _NAME.match(name)
    ]
    text = told("\n".join(words))
    return "".join(f"+{text[at : at + _LINE_CHARS]}\n" for at in range(0, len(text), _LINE_CHARS)) + ".\n"


def _folder(cwd: str) -> str:
    """``~`` is the home over there."""
    if cwd == "~" or cwd.startswith("~/"):
        return '"$HOME"' + for_sh(cwd[1:]) if cwd[1:] else '"$HOME"'
    return for_sh(cwd)
