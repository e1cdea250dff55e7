# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Watches over an attached classifier, in its folder. Two of these do: `keep`, which starts it and
# keeps its last counters, and `guard`. If it ends, or is killed, or its device goes, or the other
# one of the two is killed, what stands around it is undone, and the folder removed.

trap '' HUP INT
folder=$(pwd -P)

runs() {
	[ "$(readlink "/proc/$(cat pid)/exe")" = "$folder/gm-classifier" ]
} 2>/dev/null

# Only one of the two makes the folder that says so.
finish() {
	runs && kill "$(cat pid)"
	waited=0
	while runs; do
		[ $waited -lt 5 ] || kill -9 "$(cat pid)"
		sleep 1
		waited=$((waited + 1))
	done
	mkdir undone 2>/dev/null || exit
	sh ./undo
	cd / && rm -rf "$folder"
	exit
}

if [ "$1" = keep ]; then
	sh ./start 2>said | while read -r line; do
		echo "$line" >counts
	done
	: >ended
	[ -e ready ] && finish
	exit
fi
while runs && [ -e "/sys/class/net/$2" ]; do
	sleep 1
done
finish
