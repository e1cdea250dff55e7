# SPDX-License-Identifier: Apache-2.0
"""A filter of a packet socket: the kernel hands over what it lets through, and nothing else."""

import ctypes
import socket
import struct
from collections.abc import Sequence
from typing import Final

SO_ATTACH_FILTER: Final = 26
ETH_P_IPV6: Final = 0x86DD

Line = tuple[int, int, int, int]  # code, where to if true, if not, number (bpf_common.h)


def attach(sock: socket.socket, lines: Sequence[Line]) -> None:
    """Have a socket take what these lines of the classic filter return (packet(7), socket(7))."""
    kept = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    program = struct.pack("@HP", len(lines), ctypes.addressof(kept))  # the kernel copies it
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)


def opened(protocol: int, lines: Sequence[Line], device: str) -> socket.socket:
    """Make a packet socket of a device's frames of a protocol that takes what the lines return."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    made.bind((device, protocol))
    attach(made, lines)
    return made
