# SPDX-License-Identifier: Apache-2.0
"""The shell script that undoes changes: run at once, at the next contact, or by hand."""

from collections.abc import Sequence
from typing import Final

from gatemark.node.quoted import Script, joined, shell

EACH: Final = """(
set -e
{undo}
)
[ "$?" = 0 ] || failed=1
"""


def undo_script(undos: Sequence[Script]) -> Script:
    """One script for all, the last change first; each is tried, and it fails if one of them did.

    It must not stand left of `&&` or `||`: a shell ignores `set -e` there.
    """
    each = joined((shell(EACH, undo=undo) for undo in reversed(undos)), by="")
    return shell('failed=\n{each}[ -z "$failed" ]\n', each=each)
