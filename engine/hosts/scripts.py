"""What the far side's ``sh`` is asked to run: a job behind its gate, and the end of one. POSIX, and no program but
``sleep``, ``tr`` and ``uname``; ``ps`` where there is no ``/proc``.
"""

import re
from collections.abc import Mapping, Sequence

from engine.hosts.quoting import for_sh

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_BEGAN = r"""
jd_began() {
  jd_l=
  if IFS= read -r jd_l 2>/dev/null <"/proc/$1/stat"; then
    jd_l=${jd_l##*") "}; set -- $jd_l; shift 19; printf %s "$1"
  else
    ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _
  fi
}
"""

_RUN = (
    _BEGAN
    + r"""
trap : HUP INT QUIT TERM USR1 USR2 ALRM
printf '\033_jobdeck;%s;begin;%s;%s;%s;%s;%s\033\\' @TOKEN@ "$$" "$(jd_began $$)" "$(uname -n)" "${SLURM_JOB_ID-}" \
  "${SLURM_STEP_ID-}"
IFS= read -r jd_key || exit 126
printf '\033_jobdeck;%s;run\033\\' "$jd_key"
exec 3>&2 2>/dev/null
(
@COMMAND@
)
jd_code=$?
printf '\033_jobdeck;%s;end;%s\033\\' "$jd_key" "$jd_code"
exit "$jd_code"
"""
)

_END = (
    _BEGAN
    + r"""
jd_table() {
  if [ -r /proc/self/stat ]; then
    for jd_f in /proc/[0-9]*/stat; do
      jd_r=
      IFS= read -r jd_r 2>/dev/null <"$jd_f" || continue
      jd_n=${jd_f#/proc/}
      case $jd_r in *") "*) set -- ${jd_r##*") "}; echo "${jd_n%/stat} $1 $2 $3 $4";; esac
    done
  else
    ps -A -o pid= -o state= -o ppid= -o pgid=
  fi
}
jd_marked() {
  [ -r "/proc/$1/environ" ] || return 1
  case $(tr '\000' '\n' 2>/dev/null <"/proc/$1/environ") in *JOBDECK_SESSION_ID=@ID@*) return 0;; esac
  return 1
}
jd_look() {
  jd_rows=$(jd_table)
  jd_found=' ' jd_leader= jd_session=@PID@
  if [ "$(jd_began @PID@)" = @START@ ]; then jd_leader=@PID@; fi
  jd_more=1
  while [ -n "$jd_more" ]; do
    jd_more=
    IFS='
'
    for jd_row in $jd_rows; do
      unset IFS
      set -- $jd_row
      case $2 in Z*|X*) continue;; esac
      case $jd_found in *" $1 "*) continue;; esac
      [ "$1" != "$$" ] || continue
      jd_is=
      if [ -n "$jd_leader" ]; then
        if [ "$1" = "$jd_leader" ] || [ "$4" = "$jd_leader" ] || [ "${5-}" = "$jd_leader" ]; then jd_is=1; fi
        case $jd_found in *" $3 "*) jd_is=1;; esac
        if [ "$1" = "$jd_leader" ] && [ -n "${5-}" ]; then jd_session=$5; fi
      fi
      if [ -z "$jd_is" ] && { [ "$4" = @PID@ ] || [ "${5-}" = "$jd_session" ]; } && jd_marked "$1"; then jd_is=1; fi
      if [ -n "$jd_is" ]; then jd_found="$jd_found$1 "; jd_more=1; fi
    done
    unset IFS
  done
  jd_order=
  for jd_p in $jd_found; do
    if [ @PARENT_FIRST@ = 1 ]; then jd_order="$jd_order $jd_p"; else jd_order="$jd_p $jd_order"; fi
  done
}
jd_to() { for jd_p in $jd_order; do kill -"$1" "$jd_p" 2>/dev/null; done; }
jd_wait() {
  jd_i=0
  while jd_look; [ "$jd_found" != ' ' ]; do
    [ "$jd_i" -lt "$1" ] || return 1
    if sleep 0.1 2>/dev/null; then jd_i=$((jd_i + 1)); else sleep 1; jd_i=$((jd_i + 10)); fi
  done
}
jd_say() { printf 'jobdeck;%s;%s\n' @TOKEN@ "$1"; exit 0; }
jd_look
"""
)

_KILL = r"""
[ "$jd_found" != ' ' ] || jd_say gone
if [ @GRACE@ -ge 0 ]; then
  jd_to STOP; jd_to TERM; jd_to CONT
  jd_wait @GRACE@ && jd_say gone
fi
[ @GRACE@ -ne 0 ] || { jd_wait 10 && jd_say gone; jd_say "left$jd_found"; }
jd_to STOP; jd_to KILL
jd_i=0
while ! jd_wait 1; do
  jd_to KILL
  jd_i=$((jd_i + 1)); [ "$jd_i" -lt @PROOF@ ] || jd_say "left$jd_found"
done
jd_say gone
"""

_SIGNAL = r"""
[ "$jd_found" != ' ' ] || jd_say gone
jd_sent=
for jd_p in $jd_order; do
  [ "$jd_p" = @PID@ ] || { kill -@SIGNAL@ "$jd_p" 2>/dev/null && jd_sent=1; }
done
[ -z "$jd_sent" ] || jd_say sent
jd_say gone
"""

_SLURM_KILL = r"""
jd_say() { printf 'jobdeck;%s;%s\n' @TOKEN@ "$1"; exit 0; }
jd_gone() { jd_l=$(squeue -h -j "$1" 2>&1) || { case $jd_l in *nvalid*) return 0;; esac; return 1; }; [ -z "$jd_l" ]; }
jd_wait() { jd_i=0; while ! jd_gone "$2"; do [ "$jd_i" -lt "$1" ] || return 1; sleep 0.1; jd_i=$((jd_i + 1)); done; }
if [ @GRACE@ -ge 0 ]; then
  scancel @TARGET@ || exit 1
  jd_wait @GRACE@ @JOB@ && jd_say gone
fi
[ @GRACE@ -ne 0 ] || jd_say left
scancel --signal=KILL @FULL@ @TARGET@ || exit 1
jd_wait @PROOF@ @JOB@ && jd_say gone
jd_say left
"""


def run_script(
    token: str,
    command: str | None,
    argv: Sequence[str],
    cwd: str | None,
    env: Mapping[str, str | None],
    *,
    joined: bool,
) -> str:
    """What runs a job over there: it says who it is, waits for a line, runs the command and says how that ended.

    Args:
        token: Goes before what it says of itself.
        command: A shell line, for the far side's ``$SHELL``, or None.
        argv: Exact arguments, if there is no ``command``.
        cwd: A folder over there; None: where one arrives.
        env: To be set over there; None takes a name away.
        joined: Standard error is to go where standard output goes, in one order.
    """
    lines = [f"exec 2>&{1 if joined else 3} 3>&-"]  # what sh itself says of a signal's victim is no output
    lines += [f"unset {name}" for name, value in env.items() if value is None and _NAME.match(name)]
    lines += [
        f"export {name}={for_sh(value)}" for name, value in env.items() if value is not None and _NAME.match(name)
    ]
    odd = [for_sh(f"{name}={value}") for name, value in env.items() if value is not None and not _NAME.match(name)]
    if cwd:
        lines.append(f"cd -- {_folder(cwd)} || exit 126")
    words = " ".join(map(for_sh, argv)) if command is None else f'"${{SHELL:-/bin/sh}}" -c {for_sh(command)}'
    lines.append(f"exec {' '.join(['env', *odd, words]) if odd else words}")
    return _filled(_RUN, TOKEN=token, COMMAND="\n".join(lines))


def _folder(cwd: str) -> str:
    """``~`` is the home over there."""
    if cwd == "~" or cwd.startswith("~/"):
        return '"$HOME"' + for_sh(cwd[1:]) if cwd[1:] else '"$HOME"'
    return for_sh(cwd)


def kill_script(
    token: str, session_id: str, pid: int, start: str, grace: float | None, proof: float, *, parent_first: bool
) -> str:
    """What ends a job over there, with its tree, and says whether it is gone.

    Args:
        token: Goes before what it says.
        session_id: The job's: its processes carry it.
        pid: The process that waits for the job, and
        start: when that began: another with its number is left alone.
        grace: Seconds from TERM to KILL; 0: TERM only; None: KILL at once.
        proof: Seconds after KILL in which all have to be gone.
        parent_first: Signal parents before their children.
    """
    return _filled(
        _END + _KILL, **_whom(token, session_id, pid, start, parent_first), GRACE=_tenths(grace), PROOF=_tenths(proof)
    )


def signal_script(token: str, session_id: str, pid: int, start: str, signal: str) -> str:
    """What sends one signal (``USR1``) to all of a job over there but the process that waits for it."""
    return _filled(_END + _SIGNAL, **_whom(token, session_id, pid, start, False), SIGNAL=signal)


def slurm_kill_script(token: str, job: str, step: str, grace: float | None, proof: float) -> str:
    """What ends a job of Slurm, or one step of it, run where ``scancel`` is: here."""
    target, full = (f"{job}.{step}", "") if step else (job, "--full")
    filled = _filled(_SLURM_KILL, TOKEN=token, GRACE=_tenths(grace), PROOF=_tenths(proof), FULL=full)
    return _filled(filled, TARGET=for_sh(target), JOB=for_sh(job))


def _whom(token: str, session_id: str, pid: int, start: str, parent_first: bool) -> dict[str, str]:
    return {
        "TOKEN": token,
        "ID": session_id,
        "PID": str(pid),
        "START": for_sh(start),
        "PARENT_FIRST": str(int(parent_first)),
    }


def _tenths(seconds: float | None) -> str:
    return "-1" if seconds is None else str(round(seconds * 10))


def _filled(script: str, **values: str) -> str:
    """The script with its blanks filled in, all at once, so that no value is taken for a blank."""
    return re.sub("@([A-Z_]+)@", lambda blank: values.get(blank[1], blank[0]), script).strip()
