# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Ends an attached classifier and undoes what stands around it. Behind shared.sh. Set before: $name
# of its folder.
attached=
for place in /dev/shm /tmp /run; do
	ours "$place/$name" || continue
	folder=$(cd "$place/$name" && pwd -P) || continue
	attached=$folder
	counts=$(cat "$folder/counts" 2>/dev/null)
	[ "$(readlink "/proc/$(cat "$folder/pid")/exe")" = "$folder/gm-classifier" ] &&
		kill "$(cat "$folder/pid")"
	waited=0
	while [ -d "$folder" ] && [ $waited -lt 8 ]; do
		sleep 1
		waited=$((waited + 1))
	done
	# Nobody watched over it any more.
	if [ -d "$folder" ]; then
		sh "$folder/undo"
		rm -rf "$folder"
	fi
done 2>/dev/null
[ "$attached" ] || {
	echo "no classifier is attached" >&2
	exit 1
}
echo "$counts"
