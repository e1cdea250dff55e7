# SPDX-License-Identifier: Apache-2.0
# Completion for fish: gatemark is asked; where it has no answer, files are offered.

function __gatemark
    set -l words (commandline -opc)
    set -l word (commandline -ct | string unescape)
    set -l found (GATEMARK_COMPLETE=fish $words[1] $words[2..] "$word" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path "$word"
    end
end

complete --command gatemark --no-files --keep-order --arguments '(__gatemark)'
