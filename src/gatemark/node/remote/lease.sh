#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The lease on a host (lease.py): who has it may change the host, for as long as it is not silent.
# Behind shared.sh.
#
#	hold	take it, keep it while lines come by stdin, undo and give it back when none did for too long
#	free	have it given back if its owner is silent; force: in any case
#
# Of the shell it needs `read -t`, as busybox has it; of other programs busybox's.
# While nothing happens it makes no process: the host is being measured.

verb=$1 lease_s=$2 owner=$3 who=$4
read -r boot </proc/sys/kernel/random/boot_id
folder=/tmp/gatemark-lease-$boot
connection=$SSH_CONNECTION
trap '' HUP INT TERM PIPE
{ echo -999 >/proc/$$/oom_score_adj; } 2>/dev/null

# A process as PID:START in $id, since another may get its number; fails if it is gone.
# The fields are counted from its state on (proc_pid_stat(5)).
identify() {
	{ read -r fields <"/proc/$1/stat"; } 2>/dev/null || return 1
	# shellcheck disable=SC2086
	set -- "$1" ${fields##*) }
	[ "$2" != Z ] || return 1
	parent=$3 id="$1:${21}"
}

alive() {
	identify "${1%%:*}" && [ "$id" = "$1" ]
}

# The process of the SSH server that has this connection and no other, in $server.
find_server() {
	server='' above=$$
	[ "$connection" ] || return
	while identify "$above" && [ "$parent" -gt 1 ]; do
		above=$parent
		read -r name <"/proc/$above/comm"
		case $name in dropbear* | sshd*) identify "$above" && server=$id && return ;; esac
	done
}

# What runs by a connection, by the variable that it inherits; without us and what we start.
find_family() {
	family=''
	[ "$1" ] || return 0
	for file in /proc/[0-9]*/environ; do
		environment=''
		read -r environment <"$file"
		case $environment in *"SSH_CONNECTION=$1"*) ;; *) continue ;; esac
		pid=${file#/proc/} pid=${pid%/environ}
		identify "$pid" && [ "$pid" != $$ ] && [ "$parent" != $$ ] && family="$family $pid"
	done
	return 0
} 2>/dev/null

# End a connection and all that runs by it. Its input ends, so each undoes what it did and ends by
# itself; who may not end the server, or does not listen, is told by signals.
cut() {
	end_server TERM "$2"
	wait_for_family "$1" 0 8
	end_server KILL "$2"
	wait_for_family "$1" TERM 8
	wait_for_family "$1" KILL 2
} 2>/dev/null

end_server() {
	[ ! "$2" ] || ! alive "$2" || kill "-$1" "${2%%:*}"
}

# Send a signal to what is left of a connection, 0 for none, until nothing is or $3 s are over.
wait_for_family() {
	left_s=$3
	while find_family "$1" && [ "$family" ] && [ "$left_s" -gt 0 ]; do
		# shellcheck disable=SC2086
		kill "-$2" $family
		sleep 1
		left_s=$((left_s - 1))
	done
}

# Run what the gateway's journal kept (gateway/journal.py), and write into its place that this was
# done: the laboratory has a copy, which must not be run on what others set since. What fails stays
# as it is, and is tried and told at the next contact.
undo() {
	for script in /tmp/gatemark-*-"$boot".sh; do
		ours "$script" && sh "$script" </dev/null >/dev/null 2>&1 && mark_undone "$script"
	done
	return 0
}

mark_undone() {
	printf '%s\n' '# Gatemark gave this device back: nothing is left to undo.' 'exit 4' |
		put "$1" || rm -f "$1"
}

# What a kill left there of ours: files that were put there (push.py), a program's folder.
remove_left() {
	sweep /tmp /var/tmp /dev/shm "$HOME"
}

# Who holds the lease, in $holder. Each takes it from the one before, who is dead, by a link: only
# one can make that, and what it says is there with it. It leads nowhere, for `ln` makes a link to a
# folder within that. $chain: all links.
find_holder() {
	holder=nobody chain=''
	while next=$(readlink "$folder/after-$holder"); do
		chain="$chain $folder/after-$holder"
		holder=$next
	done
}

# What the holder wrote of itself; $silent: for so many seconds, until now.
read_holder() {
	silent=0 its_owner='' its_connection='' its_server='' its_lease_s=0 its_who=''
	{
		read -r its_owner
		read -r its_connection
		read -r its_server
		read -r its_lease_s its_who
	} <"$folder/of-$holder/who"
	read -r silent <"$folder/of-$holder/silent"
} 2>/dev/null

refuse() {
	if ours "$folder"; then
		[ ! "$me" ] || rm -rf "${folder:?}/of-$me"
		rmdir "$folder" 2>/dev/null
	fi
	echo "$*"
	exit
}

# Nothing of another user's folder is read, for what it says is done.
require_own() {
	! taken "$folder" || refuse "refused $folder is another user's: remove it"
}

# The folder is looked at again behind: what is ours and not empty stays ours.
write_own() {
	ours "$folder" || return
	mkdir "$folder/of-$me" || [ -d "$folder/of-$me" ] || return
	printf '%s\n' "$owner" "$connection" "$server" "$lease_s $who" >"$folder/of-$me/who" || return
	echo 0 >"$folder/of-$me/silent"
	[ -s "$folder/of-$me/silent" ] && ours "$folder"
} 2>/dev/null

# Take it, or share it with another connection of the same laboratory; says how, or by whom it is
# held. Who is giving it back is waited for.
take() {
	find_server
	shared='' tries=0 silent=0 its_lease_s=0 its_owner=nobody its_who=''
	identify $$
	me=$id
	while [ "$tries" -lt 40 ]; do
		tries=$((tries + 1))
		(umask 077 && mkdir "$folder") 2>/dev/null
		require_own
		if ! write_own; then
			[ "$tries" -ge 3 ] || continue
			refuse "refused /tmp cannot be written: free some of it"
		fi
		find_holder
		if [ "$holder" != nobody ] && alive "$holder"; then
			read_holder
			[ "$its_owner" != "$owner" ] || { shared=1 && echo held && return; }
			[ -e "$folder/of-$holder/ending" ] || refuse "busy $silent $its_lease_s $its_owner $its_who"
			sleep 1
			continue
		fi
		before=$holder
		ln -s "$me" "$folder/after-$before" 2>/dev/null || continue
		find_holder
		[ "$holder" = "$me" ] && clear_before && return
		rm -f "$folder/after-$before" # the one before was given back meanwhile
	done
	refuse "busy $silent $its_lease_s $its_owner $its_who"
}

# What others left who died.
clear_before() {
	if [ "$before" != nobody ]; then
		holder=$before
		read_holder
		cut "$its_connection" "$its_server"
		holder=$me
	fi
	for place in "$folder"/of-*; do
		alive "${place##*/of-}" || rm -rf "$place"
	done
	[ "$before" != nobody ] || rm -f "$folder"/after-[0-9]* # nobody comes to them any more
	for place in /tmp/gatemark-lease-*; do
		[ "$place" = "$folder" ] || ! ours "$place" || rm -rf "$place" # of another boot
	done
	undo
	remove_left
	if [ "$before" = nobody ]; then
		echo held
	else
		echo "over $silent $its_lease_s $its_owner $its_who"
	fi
}

# Keep it until nothing was heard for the lease. The turns of `read` are counted: a clock that is
# set ends no lease, nor does a host that got no CPU, for what came meanwhile is read first. At the
# end of the input `read` returns at once, so the turns are over at once. Where our folder is gone
# (who cleans /tmp took it), others find the host free, so it is given back as well.
keep() {
	silent=0 freed='' turn_s=$((lease_s / 24))
	[ "$turn_s" -ge 1 ] || turn_s=1
	[ "$turn_s" -le 5 ] || turn_s=5
	while [ "$silent" -lt "$lease_s" ] && [ ! -e "$folder/of-$me/over" ] && stands; do
		# shellcheck disable=SC3045
		if read -r -t "$turn_s" word; then
			silent=0
			[ "$word" = free ] && give_back && freed=1 && echo freed
		else
			silent=$((silent + turn_s))
		fi
		[ "$freed" ] || echo "$silent" >"$folder/of-$me/silent"
	done 2>/dev/null
	[ ! "$freed" ] || exit 0
	word=expired
	stands || word=gone
	echo >"$folder/of-$me/ending" # not `:`, which ends the shell where the folder is gone
	[ ! -e "$folder/of-$me/over" ] || word=taken
	echo "$word"
	sleep 1 # until that is sent
	cut "$connection" "$server"
	find_holder
	if [ ! "$shared" ] && { [ "$holder" = nobody ] || [ "$holder" = "$me" ]; }; then
		undo
		remove_left
	fi
	give_back
} 2>/dev/null

# Whether what says that we have it is where others look; once it is given back, nothing does.
stands() {
	[ "$freed" ] || [ -d "$folder/of-$me" ]
}

give_back() {
	# shellcheck disable=SC2086
	[ "$shared" ] || rm -f $chain # the first link first: what follows it is nobody's then
	rm -rf "${folder:?}/of-$me"
	rmdir "$folder"
	return 0
} 2>/dev/null

# Have the holder give it back, and wait for that; one that does not do so is killed.
evict() {
	require_own
	find_holder
	[ "$holder" != nobody ] || return 0
	read_holder
	if alive "$holder"; then
		[ "$verb" = force ] || [ $((2 * silent)) -ge "$its_lease_s" ] ||
			[ -e "$folder/of-$holder/ending" ] || refuse "busy $silent $its_lease_s $its_owner $its_who"
		echo >"$folder/of-$holder/over"
		left_s=60
		while alive "$holder" && [ "$left_s" -gt 0 ]; do
			sleep 1
			left_s=$((left_s - 1))
		done
		alive "$holder" && kill -KILL "${holder%%:*}"
	fi
	echo "was $silent $its_lease_s $its_owner $its_who"
}

case $verb in
hold) take && keep ;;
free | force) evict && take && give_back ;;
esac
