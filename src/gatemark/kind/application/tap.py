# SPDX-License-Identifier: Apache-2.0
"""The packets of UDP that a host's port sees and an application can number, each with its time."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Final

from gatemark.workload import sieve

ETH_P_ALL: Final = 3
OUTGOING: Final = 4  # packet(7)
SNAP: Final = 96
# What the kernel hands us: IPv4, UDP, by the classic filter of packet(7).
FILTER: Final = (
    (0x28, 0, 0, 12),  # EtherType
    (0x15, 0, 3, 0x0800),
    (0x30, 0, 0, 23),  # protocol
    (0x15, 0, 1, 17),
    (0x06, 0, 0, SNAP),
    (0x06, 0, 0, 0),
)
IPV4_AT, UDP_AT = 14, 34
PLAIN: Final = 0x45  # version and length of a header without options
PAYLOAD_AT: Final = UDP_AT + 8
Number = Callable[[bytes], tuple[int, int] | None]

Seen = dict[str, list[tuple[int, int, int]]]


class Tap(threading.Thread):
    """Collects from its making on. It is made with rights, and runs without."""

    def __init__(self, number: Number) -> None:
        super().__init__(daemon=True)
        self._number = number
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        sieve.attach(self._socket, FILTER)
        self._seen: Seen = {"sent": [], "came": []}

    def run(self) -> None:
        """Note each packet."""
        while True:
            frame, (_, _, kind, *_) = self._socket.recvfrom(SNAP)
            at_ns = time.monotonic_ns()
            if packet := numbered(frame, self._number):
                self._seen["sent" if kind == OUTGOING else "came"].append((*packet, at_ns))

    def packets(self) -> Seen:
        """Return flow, number and time of each packet so far."""
        return {way: list(packets) for way, packets in self._seen.items()}


def numbered(frame: bytes, number: Number) -> tuple[int, int] | None:
    """Return flow and number of a frame of UDP over IPv4 without options; None of any other."""
    is_its = len(frame) > PAYLOAD_AT and frame[IPV4_AT] == PLAIN
    return number(frame[PAYLOAD_AT:]) if is_its else None
