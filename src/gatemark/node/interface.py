# SPDX-License-Identifier: Apache-2.0
"""What a kernel says of a device in /sys/class/net."""

from typing import Final

from gatemark.node.reader import reader

IFF_UP: Final = 1  # netdevice(7)


@reader("the flags of a device")
def is_up(flags: str) -> bool:
    """Whether a device is up, by its file `flags`."""
    return bool(int(flags, 16) & IFF_UP)
