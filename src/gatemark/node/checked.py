# SPDX-License-Identifier: Apache-2.0
"""Names and addresses of another's origin, checked where they enter.

What a device prints and what a station file says go into commands, also on other hosts. So a value
is taken by its form alone, and an address is printed anew from what was parsed.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address, ip_interface
from typing import Final, TypeVar

from gatemark.error import NodeError
from gatemark.node.reader import reader

IFF_UP: Final = 1  # netdevice(7)

Checked = TypeVar("Checked")

# The kernel takes more (dev_valid_name() in net/core/dev.c); nobody calls a port so.
DEVICE: Final = re.compile(r"(?![-.])[A-Za-z0-9_.:@-]{1,15}")
MAC: Final = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")  # as sysfs and `ip` print it
VLANS: Final = range(1, 4095)  # IEEE 802.1Q: 0 and 4095 are reserved
LONGEST: Final = 60  # characters of a wrong value in a message


def device(text: str) -> str:
    """The name of a network device. Raises ValueError."""
    if not DEVICE.fullmatch(text):
        raise ValueError(
            f"{shown(text)} is no device's name: 1 to 15 letters, digits and _ . : @ -, "
            "the first no . or -"
        )
    return text


def vlan(number: int) -> int:
    """The number of a VLAN. Raises ValueError."""
    if number not in VLANS:
        raise ValueError(f"{shown(str(number))} is no VLAN: {VLANS[0]} to {VLANS[-1]}")
    return number


def mac(text: str) -> str:
    """A MAC address: 02:00:00:00:00:01. Raises ValueError."""
    if not MAC.fullmatch(text):
        raise ValueError(f"{shown(text)} is no MAC address")
    return text


def address(text: str) -> str:
    """An IP address, without its scope (fe80::1%eth0 is fe80::1). Raises ValueError."""
    try:
        return str(ip_address(_scopeless(text)))
    except ValueError:
        raise ValueError(f"{shown(text)} is no IP address") from None


def interface(text: str) -> str:
    """An IP address with its length, without its scope: 192.0.2.1/24. Raises ValueError."""
    try:
        if "/" in text:
            return str(ip_interface(_scopeless(text)))
    except ValueError:
        pass
    raise ValueError(f"{shown(text)} is no address/length")


def by(host: str, check: Callable[[str], Checked], text: str) -> Checked:
    """Return what a host printed, checked. Raises NodeError that names the host."""
    try:
        return check(text)
    except ValueError as error:
        raise NodeError(f"{host}: {error}") from None


def shown(text: str) -> str:
    """A value as a message shows it: on one line, in quotes, not too much of it."""
    return ascii(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


def _scopeless(text: str) -> str:
    return re.sub(r"%[^/]*", "", text, count=1)


@reader("the flags of a device")
def is_up(flags: str) -> bool:
    """Return whether a device is up, by its file `flags` in /sys/class/net."""
    return bool(int(flags, 16) & IFF_UP)
