# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Puts the classifier on this host, starts it, and returns when it is attached. Prints its folder,
# and what it said by then, a line each.
#
# Behind shared.sh. Set before: $name of its folder, $binary and $model where they are now, $lan;
# $change and $undo of what stands around it; $start, $watch: scripts that stay there. For any POSIX
# shell, with busybox.

is_memory() {
	while read -r _ at kind _; do
		[ "$at $kind" = "$1 tmpfs" ] && return
	done </proc/mounts
	false
}

# A folder in which a program may run. Its name is fixed, so that detach.sh finds it.
make() {
	folder=$1/$name
	(umask 077 && mkdir "$folder") && folder=$(cd "$folder" && pwd -P) || return
	cp "$binary" "$folder/gm-classifier" && chmod 700 "$folder/gm-classifier" &&
		"$folder/gm-classifier" --help >/dev/null && return
	rm -rf "$folder"
	false
} 2>/dev/null

fail() {
	echo "$1" >&2
	sh "$folder/undo"
	rm -rf "$folder"
	exit 1
}

# Memory first: a restart empties it.
folder=
for place in /dev/shm /tmp /run; do
	is_memory $place && make $place && break
	folder=
done
[ "$folder" ] || make /tmp || {
	for place in /dev/shm /tmp /run; do
		taken "$place/$name" && echo "$place/$name is another user's: remove it" >&2
	done
	echo "neither /dev/shm nor /tmp nor /run takes a program: make room in one" >&2
	exit 1
}
cd "$folder" || exit 1
umask 077
cp "$model" model
for part in undo start watch; do
	eval "printf '%s\n' \"\$$part\" >$part"
done
# Of a kernel without links a classifier that is killed leaves the qdisc that it made.
[ "$(tc qdisc show dev "$lan" clsact 2>/dev/null)" ] ||
	echo "tc qdisc del dev $lan clsact 2>/dev/null || :" >>undo
# Not left of ||: a shell ignores `set -e` there.
(
	set -e
	eval "$change"
) 2>said
changed=$?
[ $changed = 0 ] || fail "$(tail -n 1 said)"

sh ./watch keep "$lan" </dev/null >/dev/null 2>&1 &
waited=0
until [ -s counts ]; do
	[ -e ended ] && fail "$(tail -n 1 said)"
	[ $waited -lt 20 ] || fail "it was not attached in 20 s"
	sleep 1
	waited=$((waited + 1))
done
: >ready
sh ./watch guard "$lan" </dev/null >/dev/null 2>&1 &
echo "$folder"
cat said 2>/dev/null || :
