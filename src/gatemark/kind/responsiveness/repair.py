# SPDX-License-Identifier: Apache-2.0
"""The lost segments that a socket's TCP knows: until one is repaired all behind it waits.

`struct tcp_info` of linux/tcp.h. An end sees what it lost of its own sending as segments that it
sent again, and what it misses of the other's as segments that came before their turn.
"""

import socket
import struct
from typing import Final, NamedTuple, Self

# tcpi_ca_state, tcpi_total_retrans, tcpi_rcv_ooopack (Linux 5.4; 0 before).
INFO: Final = struct.Struct("=xB98xI120xI")
RECOVERING: Final = 3  # TCP_CA_Recovery, and TCP_CA_Loss behind it (linux/tcp.h)


class Repair(NamedTuple):
    """The state of a connection: segments so far, and whether some of its own are missing now."""

    segments: int
    is_going_on: bool

    @classmethod
    def of(cls, sock: socket.socket) -> Self:
        """Return the state of a connected socket."""
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, INFO.size)
        state, again, early = INFO.unpack(info.ljust(INFO.size, b"\0"))
        return cls(again + early, state >= RECOVERING)

    def until(self, later: "Repair") -> int:
        """Segments that were repaired from now to then; 1 where a repair was going on already."""
        return max(later.segments - self.segments, int(self.is_going_on))
