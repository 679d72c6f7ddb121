#!/bin/sh
# Ends a dead engine's jobs. Standard input is a pipe whose only write end is the engine's: its end-of-file means that
# the engine is gone, in whatever way. Until then this blocks in read and does nothing. Plain POSIX sh.
#
# usage: sh supervisor.sh OWNER_GROUP TENTHS_UNTIL_KILL [OWNER_START [KEEP...]]
#   OWNER_START: when the engine began, as in field 22 of /proc/PID/stat: no job is older, but for adopted ones.
#   KEEP: patterns of programs that are left alone when they have escaped, with all below them.
# input, a line each (what is not of this form, and an unfinished last line, is ignored):
#   register PGID SESSION_ID [START]    end this group and session; START: when its leader began, as above
#   unregister PGID
#   seek SESSION_ID, forget SESSION_ID  end who carries this id though its group is gone; no more

trap '' INT HUP
cd /
owner_group=$1
tenths=$2
owner_start=${3:-0}
if [ $# -gt 3 ]; then shift 3; else shift $#; fi
groups=' ' # words GROUP:ID:START
sought=' '
newline='
'

is_number() {
    case $1 in '' | *[!0-9]* | 0*) return 1 ;; esac
    [ ${#1} -le 18 ]
}

is_group() {
    case $1 in 1 | "$owner_group" | "$$") return 1 ;; esac
    is_number "$1" && [ ${#1} -le 9 ]
}

is_id() {
    case $1 in '' | *[!A-Za-z0-9_-]*) return 1 ;; esac
}

# Read /proc/PID/stat: pid, name, state, parent, group, session, start. Fails for one that is gone or dead. The name is
# anything, line ends and brackets included. A zombie with more than one thread runs.
read_stat() {
    text=
    { while IFS= read -r line || [ -n "$line" ]; do text="$text$line$newline"; done <"/proc/$1/stat"; } 2>/dev/null
    case $text in *') '*) ;; *) return 1 ;; esac
    pid=$1
    name=${text#*\(}
    name=${name%\) *}
    set -- ${text##*\) }
    case $1 in X | Z) [ "${18:-0}" -gt 1 ] || return 1 ;; esac
    state=$1 parent=$2 group=$3 session=$4 start=${20}
}

# The id of the job in whose environment a process was started, if any.
read_id() {
    found=$(tr '\n\0' ' \n' <"/proc/$1/environ") 2>/dev/null
    found=$newline$found$newline
    case $found in *"${newline}JOBDECK_SESSION_ID="*) ;; *) return 1 ;; esac
    found=${found#*"${newline}JOBDECK_SESSION_ID="}
    found=${found%%"$newline"*}
}

# Does any of the patterns after PID and NAME match the name, the program or the command line?
is_kept() {
    command=$(tr '\0' ' ' <"/proc/$1/cmdline") 2>/dev/null
    program=${command%% *}
    program=${program##*/}
    kept_name=$2
    shift 2
    for pattern; do
        case $kept_name in $pattern) return 0 ;; esac
        case $program in $pattern) return 0 ;; esac
        case $command in $pattern) return 0 ;; esac
    done
    return 1
}

drop_group() {
    case $groups in *" $1:"*) ;; *) return ;; esac
    after=${groups#*" $1:"}
    groups="${groups%%" $1:"*} ${after#* }"
}

# Is what read_stat read a member of a registered group, and no stranger that has got its number since?
is_member() {
    case $groups in
    *" $group:"*) after=${groups#*" $group:"} ;;
    *" $session:"*) after=${groups#*" $session:"} ;;
    *) return 1 ;;
    esac
    entry=${after%% *}
    if [ -n "${entry#*:}" ]; then
        [ "$start" -ge "${entry#*:}" ]
    else
        read_id "$pid" && [ "$found" = "${entry%%:*}" ]
    fi
}

if read_stat $$ && [ "$group" = "$owner_group" ]; then
    echo "the supervisor must not run in its owner's process group" >&2
    exit 3
fi

while IFS=' ' read -r verb first second third rest; do
    [ -z "$rest" ] || continue
    case $verb in
    register)
        is_group "$first" && is_id "$second" && { [ -z "$third" ] || is_number "$third"; } || continue
        drop_group "$first"
        groups="$groups$first:$second:$third "
        if [ -n "$third" ] && [ "$third" -lt "$owner_start" ]; then owner_start=$third; fi # adopted, and older
        ;;
    unregister)
        is_group "$first" && [ -z "$second" ] && drop_group "$first"
        ;;
    seek)
        is_id "$first" && [ -z "$second" ] || continue
        case $sought in *" $first "*) ;; *) sought="$sought$first " ;; esac
        ;;
    forget)
        case $sought in
        *" $first "*) [ -z "$second" ] && sought="${sought%%" $first "*} ${sought#*" $first "}" ;;
        esac
        ;;
    esac
done
[ "$groups$sought" = '  ' ] && exit 0

# A group whose number leads somebody else by now is not ours any more. Its job's id is still sought.
for entry in $groups; do
    after=${entry#*:}
    case $sought in *" ${after%%:*} "*) ;; *) sought="$sought${after%%:*} " ;; esac
    if [ -n "${after#*:}" ] && read_stat "${entry%%:*}" && [ "$start" != "${after#*:}" ]; then
        drop_group "${entry%%:*}"
    fi
done

# All processes that are to end, as words: members of the groups, who carries one of the ids, and all below them;
# without those to be kept, and without ourselves.
targets() {
    if [ ! -r /proc/self/stat ]; then
        for pair in $(ps -A -o pid= -o pgid= | while read -r pid group; do echo "$pid:$group"; done); do
            case $groups in *" ${pair#*:}:"*) echo "${pair%%:*}" ;; esac
        done
        return
    fi
    ours=' ' kept=' ' others= marked=
    if printf 'a\0b' | grep -q b; then # a grep that reads on after a NUL: one for all is enough to know who to ask
        marked=" $(grep -lsF JOBDECK_SESSION_ID= /proc/[0-9]*/environ | tr '\n' ' ') "
    fi
    for folder in /proc/[0-9]*; do
        read_stat "${folder#/proc/}" && [ "$start" -ge "$owner_start" ] && [ "$pid" != "$$" ] || continue
        if is_member; then
            ours="$ours$pid "
        elif case ${marked:-" $folder/environ "} in *" $folder/environ "*) read_id "$pid" ;; *) false ;; esac; then
            case $sought in *" $found "*) ;; *) continue ;; esac
            if is_kept "$pid" "$name" "$@"; then kept="$kept$pid "; else others="$others $pid:$parent:ours"; fi
        else
            others="$others $pid:$parent:"
        fi
    done
    grown=yes
    while [ -n "$grown" ]; do # who is below one that is kept, is kept
        grown=
        rest=
        for entry in $others; do
            parent=${entry#*:}
            case $kept in
            *" ${parent%%:*} "*) kept="$kept${entry%%:*} " grown=yes ;;
            *) rest="$rest $entry" ;;
            esac
        done
        others=$rest
    done
    grown=yes
    while [ -n "$grown" ]; do # who carries an id, or is below one of ours, is ours
        grown=
        rest=
        for entry in $others; do
            parent=${entry#*:}
            case $entry:$ours in
            *:ours:* | *" ${parent%%:*} "*) ours="$ours${entry%%:*} " grown=yes ;;
            *) rest="$rest $entry" ;;
            esac
        done
        others=$rest
    done
    echo "$ours"
}

send() {
    signal=$1
    shift
    for pid; do kill -s "$signal" "$pid" 2>/dev/null; done
}

any_of() {
    for pid; do kill -s 0 "$pid" 2>/dev/null && return 0; done
    return 1
}

alive=$(targets "$@")
told=' '
while [ "$tenths" -gt 0 ]; do
    new=
    for pid in $alive; do
        case $told in *" $pid "*) ;; *) new="$new $pid" told="$told$pid " ;; esac
    done
    send TERM $new
    send CONT $new # a stopped process takes its TERM when it goes on
    while any_of $alive && [ "$tenths" -gt 0 ]; do
        sleep 0.1 || sleep 1
        tenths=$((tenths - 1))
    done
    alive=$(targets "$@")
    if [ -z "${alive# }" ]; then # who forked or was in the middle of an exec may have been overlooked
        sleep 0.1 || sleep 1
        alive=$(targets "$@")
        [ -n "${alive# }" ] || exit 0
    fi
    any_of $alive || tenths=$((tenths - 1))
done
rounds=20
while [ -n "${alive# }" ] && [ "$rounds" -gt 0 ]; do
    send STOP $alive # so that nobody forks meanwhile
    send KILL $alive
    sleep 0.05 || sleep 1
    alive=$(targets "$@")
    rounds=$((rounds - 1))
done
[ -z "${alive# }" ]
