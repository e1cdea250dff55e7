# SPDX-License-Identifier: Apache-2.0
# Completion for bash, from 4.4 on: gatemark is asked; where it has no answer, files are offered.
# shellcheck shell=bash

_gatemark() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		printf -v line %q "${line%%$'\t'*}"
		COMPREPLY+=("$line")
	done < <(GATEMARK_COMPLETE=bash "$1" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} -eq 0 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

complete -o default -o nosort -F _gatemark gatemark
