# SPDX-License-Identifier: Apache-2.0
"""Taps: network devices of a namespace whose other end is an open file, for a virtual machine."""

import fcntl
import os
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from pyroute2 import netns

from gatemark.error import UnavailableError

TUN: Final = "/dev/net/tun"
TUNSETIFF: Final = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000  # linux/if_tun.h
REQUEST: Final = "16sH22x"  # struct ifreq: its name and flags


def tap(namespace: str, device: str) -> int:
    """Make a tap in a namespace; it lasts as long as its file is open. Raises UnavailableError.

    Without a header in front of each packet (IFF_VNET_HDR) nothing can be left to the other side:
    no checksum is missing, no packet stands for many.
    """
    with ThreadPoolExecutor(1) as thread:  # setns(2) moves the calling thread alone
        return thread.submit(_open, namespace, device).result()


def _open(namespace: str, device: str) -> int:
    netns.setns(namespace, flags=os.O_RDONLY)
    try:
        file = os.open(TUN, os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(file, TUNSETIFF, struct.pack(REQUEST, device.encode(), IFF_TAP | IFF_NO_PI))
    except OSError as error:
        raise UnavailableError(
            f"no tap for a virtual gateway: {TUN}: {error.strerror}; "
            "load the module tun, or run with sudo"
        ) from None
    return file
