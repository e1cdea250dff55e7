#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program on the gateway while a trial does, and ends it whatever happens.
#
# Its stdin tells it what to do: running, look, ask COMMAND, end. Each answer ends in a line
# of @@. When stdin ends, because the laboratory or its connection died, the program is ended too.
# For any POSIX shell, with busybox's tools; behind shared.sh.

patience=6 # seconds; whole ones, as OpenWrt's sleep knows no others

# A folder of its own for the program, and for what it says. /var/tmp is a disk where there is one.
for place in /var/tmp /tmp; do
	folder=$(fresh $place gatemark-program-$$ 2>/dev/null) && cd "$folder" && break
	folder=
done
[ "$folder" ] || {
	echo "neither /var/tmp nor /tmp can be written on it: free some of it" >&2
	exit 1
}
# What the program makes inherits this, so all of it is found from outside (node/leftover.py).
export GATEMARK_PROGRAM="$folder"

# The fields of a process from its state on (proc_pid_stat(5)), in $fields; fails if it is gone.
fields_of() {
	{ read -r fields <"/proc/$1/stat"; } 2>/dev/null && fields=${fields##*) }
}

# Whether a process, by PID:START, is still there: another may have got its number since.
there() {
	fields_of "${1%:*}" || return 1
	# shellcheck disable=SC2086
	set -- "$1" $fields
	[ "$2" != Z ] && [ "${21}" = "${1#*:}" ]
}

# The program and all that it has made, as PID:START each, in $family.
find_family() {
	family='' known=" $pid " more=1
	while [ "$more" ]; do
		more=''
		for stat in /proc/[0-9]*/stat; do
			one=${stat#/proc/} one=${one%/stat}
			fields_of "$one" || continue
			# shellcheck disable=SC2086
			set -- $fields
			case " $family" in *" $one:"*) continue ;; esac
			case $known in *" $one "* | *" $2 "*) ;; *) continue ;; esac
			family="$family$one:${20} " known="$known$one " more=1
		done
	done
}

# Whether the program itself runs, and not merely waits to be buried.
runs() {
	fields_of "$pid" && [ "${fields%% *}" != Z ]
}

# What the program said. Its last line may have no end, and the mark stands on a line of its own.
words() {
	tail -c 4000 said
	[ -z "$(tail -c 1 said)" ] || echo
}

running() {
	if runs; then echo yes; else echo no; fi
	words
}

# What each of the family has used: CPU in ticks and ns, the most memory that it held.
look() {
	find_family
	for one in $family; do
		fields_of "${one%:*}" && echo "stat $fields"
		grep VmHWM "/proc/${one%:*}/status"
		cat /proc/"${one%:*}"/task/[0-9]*/schedstat
	done 2>/dev/null
}

# Do something in so many seconds, unless told that there is no need. The nap ignores TERM, as we
# do; one that goes on would keep our stdout open, and whoever reads that would wait for it.
later() {
	sleep "$1" &
	nap=$!
	trap 'kill -KILL $nap; exit' TERM
	shift
	wait $nap && "$@"
}

# Whether what ends them by force still waits.
waits() {
	fields_of $dog && [ "${fields%% *}" != Z ]
}

# There is no need any more. What waits ignores TERM until its own trap is set, which comes late
# where we have the CPU before it; so it is told again, and gets the CPU meanwhile.
call_off() {
	while waits; do
		kill $dog
		sleep 0
	done
	wait $dog
}

# End the program and what it made; $ended is: what ended it, its exit code, how many are left.
finish() {
	trap '' HUP INT TERM PIPE
	find_family
	by='itself'
	if runs; then
		by='term'
		for one in $family; do kill -TERM "${one%:*}"; done
	fi
	later $patience slay &
	dog=$!
	wait "$pid"
	code=$?
	# What it made was told to end too, and has as long for that.
	pause=0
	while [ $by = term ] && waits && [ "$(count)" != 0 ]; do
		sleep $pause
		pause=1
	done
	call_off
	waited=0
	while left=$(count) && [ "$left" != 0 ] && [ $waited -lt $patience ]; do
		slay
		sleep 1
		waited=$((waited + 1))
	done
	[ $by = term ] && { [ $code = 137 ] || [ -e slain ]; } && by='kill'
	ended="$by $code $left"
} 2>/dev/null

# What waits for a CPU that another of the family has, ends when that one does: all at once.
slay() {
	for one in $family; do
		there "$one" || continue
		: >slain
		kill -KILL "${one%:*}"
	done
}

count() {
	left=0
	for one in $family; do there "$one" && left=$((left + 1)); done
	echo $left
}

leave() {
	cd / && rm -rf "$folder"
}

"$@" </dev/null >said 2>&1 &
pid=$!
trap 'finish; leave; exit 1' HUP INT TERM
trap : PIPE

while read -r word rest; do
	case $word in
	running) running ;;
	look) look ;;
	ask) eval "$rest" >>said 2>&1 ;;
	end) break ;;
	esac
	echo @@
done
finish
echo "$ended"
words
echo @@
leave
