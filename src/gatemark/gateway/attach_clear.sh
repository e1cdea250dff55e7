# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Undoes what stands around a classifier that was attached, where all that watched over it was killed.
# Fails where one is attached. Before attach.sh; behind shared.sh. Set before: $name of its folder.
for place in /dev/shm /tmp /run; do
	ours "$place/$name" || continue
	old=$(cd "$place/$name" && pwd -P) || continue
	# A zombie has no exe.
	if [ "$(readlink "/proc/$(cat "$old/pid" 2>/dev/null)/exe")" = "$old/gm-classifier" ]; then
		echo "a classifier is attached already: detach it first" >&2
		exit 1
	fi
	sh "$old/undo"
	rm -rf "$old"
done
