# SPDX-License-Identifier: Apache-2.0
"""The way of a call out of a NAT: STUN (RFC 5389), and ports that are opened from inside."""

import socket
import struct
from collections.abc import Iterable
from typing import Final

PORT: Final = 3478
COOKIE: Final = 0x2112A442


def opened(near: str, far: str, ports: Iterable[int]) -> None:
    """Let the gateway know these ports before the far end sends to them.

    Where its firewall lets strangers in, a packet from outside that comes first takes the port, and
    the caller's own are given another: then nothing is heard.
    """
    for port in ports:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
            ours.bind((near, port))
            ours.sendto(b"\0", (far, port))


def answer(address: str) -> None:
    """Answer who asks which address it has (RFC 5389, section 15.2), as long as this process is."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.bind((address, PORT))
        while True:
            asked, (host, port) = ours.recvfrom(2048)
            if len(asked) >= 20 and asked[:2] == b"\0\1":
                mapped = struct.unpack("!I", socket.inet_aton(host))[0] ^ COOKIE
                words = struct.pack("!HHBBHI", 0x20, 8, 0, 1, port ^ COOKIE >> 16, mapped)
                ours.sendto(
                    struct.pack("!HH", 0x0101, len(words)) + asked[4:20] + words, (host, port)
                )
