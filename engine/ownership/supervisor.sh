#!/bin/sh
# Ends a dead engine's jobs. Standard input is a pipe whose only write end is the engine's: its end-of-file means that
# the engine is gone, in whatever way. Until then this blocks in read and does nothing.
#
# usage: sh supervisor.sh OWNER_GROUP TENTHS_UNTIL_KILL
# input: "register PGID SESSION_ID" and "unregister PGID", a line each; an unfinished last line is ignored.

trap '' INT HUP
owner_group=$1
tenths=$2
groups=' '

is_group() {
    case $1 in
    '' | *[!0-9]* | 0* | 1 | "$owner_group" | "$$") return 1 ;;
    esac
    [ ${#1} -le 9 ]
}

while IFS=' ' read -r verb group id rest; do
    is_group "$group" && [ -z "$rest" ] || continue
    case $verb in
    register)
        [ -n "$id" ] || continue
        case $groups in *" $group "*) ;; *) groups="$groups$group " ;; esac
        ;;
    unregister)
        [ -z "$id" ] || continue
        case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac
        ;;
    esac
done
[ "$groups" = ' ' ] && exit 0

# Every living process whose group or session is registered, as "PID …", without ourselves.
members() {
    found=
    if [ -r /proc/self/stat ]; then
        for file in /proc/[0-9]*/stat; do
            { IFS= read -r line <"$file"; } 2>/dev/null || continue
            pid=${line%% *}
            set -- ${line##*) }
            case $1 in Z | X) continue ;; esac
            case $groups in *" $3 "* | *" $4 "*) [ "$pid" = "$$" ] || found="$found $pid" ;; esac
        done
    else
        for pair in $(ps -A -o pid= -o pgid= | while read -r pid group; do echo "$pid:$group"; done); do
            case $groups in *" ${pair#*:} "*) found="$found ${pair%%:*}" ;; esac
        done
    fi
    echo "$found"
}

# Is anyone of the groups, or of the processes found before, still there? (Much cheaper than another look at all.)
anyone() {
    for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
    for pid in $alive; do kill -s 0 "$pid" 2>/dev/null && return 0; done
    return 1
}

alive=$(members)
for signal in TERM CONT; do
    for group in $groups; do kill -s "$signal" -- "-$group" 2>/dev/null; done
    for pid in $alive; do kill -s "$signal" "$pid" 2>/dev/null; done
done
while [ "$tenths" -gt 0 ]; do
    anyone || break
    sleep 0.1
    tenths=$((tenths - 1))
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for pid in $(members); do kill -s KILL "$pid" 2>/dev/null; done
exit 0
