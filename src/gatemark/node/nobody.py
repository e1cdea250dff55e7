# SPDX-License-Identifier: Apache-2.0
"""Programs of others on this machine: they run as nobody, without a capability, and end with us.

What a server of others reads comes over the network, and what QEMU runs is a guest's. A fault in it
then reaches what every user reaches, and no more. `nobody` is on each system and owns nothing; a
user of our own would first have to be made there.
"""

from pathlib import Path
from typing import Final

NOBODY: Final = 65534  # also its group's number; the kernel's overflow user (user_namespaces(7))
UID_MAP: Final = Path("/proc/self/uid_map")
BARE: Final = ("--no-new-privs", "--inh-caps=-all", "--bounding-set=-all")
BOUND: Final = ("setpriv", "--pdeathsig", "KILL", *BARE)


def words(*groups: int) -> tuple[str, ...]:
    """Return the words before a command line (setpriv(1)); `groups` are the only others it gets.

    In a user namespace of our own there is no second user: there it has no capability, and is the
    ordinary user whom it belongs to.
    """
    if not is_there():
        return BOUND
    kept = f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups"
    return (*BOUND, f"--reuid={NOBODY}", f"--regid={NOBODY}", kept)


def is_there() -> bool:
    """Return whether there is a nobody here whom we can become."""
    spans = [tuple(map(int, line.split())) for line in UID_MAP.read_text().splitlines()]
    return any(first <= NOBODY < first + count for first, _, count in spans)
