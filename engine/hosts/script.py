"""What the scripts for the far side have in common. They are POSIX, and use no program but ``sleep``, ``tr``, ``cat``
and ``uname``; ``ps`` where there is no ``/proc``.
"""

import re

BEGAN = r"""
jd_began() {
  jd_l=
  if IFS= read -r jd_l 2>/dev/null <"/proc/$1/stat"; then
    jd_l=${jd_l##*") "}; set -- $jd_l; shift 19; printf %s "$1"
  else
    ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _
  fi
}
"""
"""When a process began, as its kernel tells it."""


def filled(script: str, **values: str) -> str:
    """The script with its blanks filled in, all at once, so that no value is taken for a blank."""
    return re.sub("@([A-Z_]+)@", lambda blank: values.get(blank[1], blank[0]), script).strip()
