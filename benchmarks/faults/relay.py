# SPDX-License-Identifier: Apache-2.0
"""A relay on the gateway: packets wait, and a bit of a share of them is turned."""

import fcntl
import os
import random
import struct
import sys
import time

TUNSETIFF, TUN_WITHOUT_HEAD = 0x400454CA, 0x1001
HEADER = 20  # of IP: what it says stays as it is


def main() -> None:
    """Relay until ended: SHARE of packets with a bit turned, each after SECONDS."""
    share, seconds = map(float, sys.argv[1:3])
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"relay", TUN_WITHOUT_HEAD))
    while True:
        packet = bytearray(os.read(tun, 2048))
        if random.random() < share:
            packet[random.randrange(HEADER, len(packet))] ^= 1 << random.randrange(8)
        if seconds:
            time.sleep(seconds)
        os.write(tun, packet)


if __name__ == "__main__":
    main()
