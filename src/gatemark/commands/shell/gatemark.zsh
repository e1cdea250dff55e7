#compdef gatemark
# SPDX-License-Identifier: Apache-2.0
# Completion for zsh: gatemark is asked; where it has no answer, files are offered.
# To be evaluated after compinit, or kept as `_gatemark` in a folder of $fpath.

_gatemark() {
	local line value
	local -a whole open
	for line in "${(@f)$(GATEMARK_COMPLETE=zsh $words[1] "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
		value=${line%%$'\t'*}
		[[ -n $value ]] || continue
		line=${line#*$'\t'}
		line=${value//:/\\:}${line:+:$line}
		if [[ $value == *= ]]; then open+=("$line"); else whole+=("$line"); fi
	done
	(($#whole + $#open)) || { _files; return }
	_describe -V gatemark whole
	_describe -V gatemark open -S ''
}

if [[ $funcstack[1] == _gatemark ]]; then
	_gatemark "$@"
else
	compdef _gatemark gatemark
fi
