# SPDX-License-Identifier: Apache-2.0
"""The shell script that undoes changes: run at once, at the next contact, or by hand."""

from collections.abc import Sequence


def undo_script(undos: Sequence[str]) -> str:
    """One script for all, the last change first; each is tried, and it fails if one of them did.

    It must not stand left of `&&` or `||`: a shell ignores `set -e` there.
    """
    each = "".join(f'(\nset -e\n{undo}\n)\n[ "$?" = 0 ] || failed=1\n' for undo in reversed(undos))
    return f'failed=\n{each}[ -z "$failed" ]\n'
