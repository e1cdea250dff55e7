# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Folders that every user of a host may write into (/tmp, /var/tmp, /dev/shm). A name there may be
# another user's file, link or pipe, on kernels that follow such links too. `set -C` alone opens pipes
# and devices. So a name that we make is a folder first, since mkdir(2) takes nothing that is there and
# follows no link; and a name that was there is looked at once, by lstat(2), before it is used. These
# functions stand before each script of ours that runs on a host (shared.py).

# Whether a path is a folder or a file of ours alone: our user's, closed to others, of one name.
ours() {
	# shellcheck disable=SC2046
	set -- "$(id -u)" $(ls -ldn "$1")
	[ "$1" = "$4" ] || return 1
	case "$2 $3" in d???------* | -???------" 1" | -???------?" 1") ;; *) return 1 ;; esac
} 2>/dev/null

# Whether another's has a path.
taken() {
	if [ -e "$1" ] || [ -L "$1" ]; then ! ours "$1"; else false; fi
}

# Makes a folder of a new name, below $1 and begun by $2; prints it.
fresh() (
	umask 077
	mktemp -d "$1/$2.XXXXXX" 2>/dev/null && exit
	mkdir "$1/$2.$$" && echo "$1/$2.$$" # a host without mktemp; or what is wrong with the place
)

# Makes what stdin holds a file of a fixed name, for us alone; fails where the name is another's.
# What is ours stays ours there; a new name is made by `ln -n`, which follows no link that came since.
put() {
	taken "$1" && return 1
	aside=$(fresh "${1%/*}" gatemark-once) || return 1
	(umask 077 && set -C && cat >"$aside/new") &&
		if ours "$1"; then mv -f "$aside/new" "$1"; else ln -n "$aside/new" "$1"; fi
	set -- "$1" $?
	rm -rf "$aside"
	[ "$2" = 0 ] && ours "$1"
} 2>/dev/null

# Removes the folders that `fresh` made in these places and a kill left there. A program's stays while
# its supervisor works in it (gateway/supervisor.sh).
sweep() {
	for place; do
		for left in "$place"/gatemark-once.* "$place"/gatemark-program-*; do
			if [ ! -d "$left" ] || ! ours "$left"; then continue; fi
			pid=${left##*/gatemark-program-}
			[ "$(readlink "/proc/${pid%%.*}/cwd")" = "$(cd "$left" && pwd -P)" ] ||
				rm -rf "$left"
		done
	done
	return 0
} 2>/dev/null
