"""What the far side's ``sh`` is asked to run to end a job, or to send it a signal; and the end of a job of Slurm's."""

from engine.hosts.quoting import for_sh
from engine.hosts.script import BEGAN, filled

_SLURM_SECONDS = 6.0
"""What Slurm takes to tell that a job is over."""

_END = (
    BEGAN
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
    [ "$jd_p" != "$jd_leader" ] || continue
    if [ @PARENT_FIRST@ = 1 ]; then jd_order="$jd_order $jd_p"; else jd_order="$jd_p $jd_order"; fi
  done
}
jd_to() { for jd_p in $jd_order; do kill -"$1" "$jd_p" 2>/dev/null; done; }
jd_leader_to() { [ -z "$jd_leader" ] || kill -"$1" "$jd_leader" 2>/dev/null; }
jd_pause() { if sleep 0.1 2>/dev/null; then jd_i=$((jd_i + 1)); else sleep 1; jd_i=$((jd_i + 10)); fi; }
jd_wait() { jd_i=0; while jd_look; [ -n "$jd_order" ]; do [ "$jd_i" -lt "$1" ] || return 1; jd_pause; done; }
jd_print() { printf 'jobdeck;%s;%s\n' @TOKEN@ "$1"; }
jd_say() { jd_print "$1"; exit 0; }
jd_look
"""
)
"""Of a job there are the *leader*, which waits for it, and all else, in ``jd_order``."""

_KILL = r"""
[ "$jd_found" != ' ' ] || jd_say gone
trap 'jd_to CONT; jd_leader_to CONT' EXIT
trap 'exit 1' HUP INT TERM PIPE
jd_finish() {
  [ @EARLY@ != 1 ] || jd_print gone
  jd_leader_to CONT
  jd_i=0
  while jd_look; [ -n "$jd_leader" ]; do
    [ "$jd_i" -lt 20 ] || jd_leader_to KILL
    [ "$jd_i" -lt 40 ] || jd_say "left $jd_leader"
    jd_pause
  done
  [ -z "$jd_order" ] || jd_say "left$jd_found"
  jd_say gone
}
jd_leader_to STOP
if [ @GRACE@ -ge 0 ]; then
  jd_to STOP; jd_to TERM; jd_to CONT
  jd_wait @GRACE@ && jd_finish
fi
[ @GRACE@ -ne 0 ] || { jd_wait 10 && jd_finish; jd_say "left$jd_found"; }
jd_to STOP; jd_to KILL
jd_proof=0
while ! jd_wait 1; do
  jd_to KILL
  jd_proof=$((jd_proof + 1)); [ "$jd_proof" -lt @PROOF@ ] || jd_say "left$jd_found"
done
jd_finish
"""
"""The leader stands still until all else is dead: it tells the job's end, and takes the link and what may hang on that
(an allocation of Slurm's, a terminal) with it."""

_SIGNAL = r"""
[ "$jd_found" != ' ' ] || jd_say gone
jd_sent=
for jd_p in $jd_order; do kill -@SIGNAL@ "$jd_p" 2>/dev/null && jd_sent=1; done
[ -z "$jd_sent" ] || jd_say sent
jd_say gone
"""

_SLURM_KILL = r"""
jd_say() { printf 'jobdeck;%s;%s\n' @TOKEN@ "$1"; exit 0; }
jd_gone() {
  jd_l=$(squeue -h @STEPS@ -o %i 2>&1) || return 1
  for jd_p in $jd_l; do [ "$jd_p" != @OVER@ ] || return 1; done
}
jd_wait() { jd_i=0; while ! jd_gone; do [ "$jd_i" -lt "$1" ] || return 1; sleep 0.1; jd_i=$((jd_i + 1)); done; }
jd_to() { jd_e=$(scancel "$@" 2>&1); }
if [ @GRACE@ -ge 0 ]; then
  jd_to --signal=TERM @STEP@
  jd_wait @GRACE@ && jd_say gone
fi
[ @GRACE@ -ne 0 ] || jd_say left
jd_to --signal=KILL @STEP@
jd_wait 10 && jd_say gone
jd_to @OVER@
jd_wait @PROOF@ && jd_say gone
printf '%s\n' "$jd_e"
jd_say left
"""
"""A signal goes to a step: to a job, Slurm sends TERM whatever it was asked for, and KILL half a minute later."""


def kill_script(
    token: str,
    session_id: str,
    pid: int,
    start: str,
    grace: float | None,
    proof: float,
    *,
    parent_first: bool,
    early: bool = False,
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
        early: Say that it is gone before the process that waits for it goes, which may take us with it.
    """
    return filled(
        _END + _KILL,
        **_whom(token, session_id, pid, start, parent_first),
        GRACE=_tenths(grace),
        PROOF=_tenths(proof),
        EARLY=str(int(early)),
    )


def signal_script(token: str, session_id: str, pid: int, start: str, signal: str) -> str:
    """What sends one signal (``USR1``) to all of a job over there but the process that waits for it."""
    return filled(_END + _SIGNAL, **_whom(token, session_id, pid, start, False), SIGNAL=signal)


def slurm_kill_script(token: str, job: str, step: str, grace: float | None, proof: float, *, whole_job: bool) -> str:
    """What ends a step of Slurm, and its job if that was made for it (``whole_job``); run where ``scancel`` is."""
    return filled(
        _SLURM_KILL,
        TOKEN=token,
        STEP=for_sh(f"{job}.{step}"),
        OVER=for_sh(job if whole_job else f"{job}.{step}"),
        STEPS="" if whole_job else "-s",
        GRACE=_tenths(grace),
        PROOF=_tenths(max(proof, _SLURM_SECONDS)),
    )


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
