# SPDX-License-Identifier: Apache-2.0
"""Packet sockets on the tester's ports: what is sent and seen is the frame as it is (packet(7))."""

import os
import select
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Final

from pyroute2 import netns

from gatemark.error import UnavailableError
from gatemark.node.shell import Namespace
from gatemark.station.wiring import Port

ETH_P_ALL: Final = 3
LONGEST: Final = 65535  # bytes of a frame
PATIENCE_S: Final = 2.0  # with a gateway: it is still by then, and a packet has come

Make = Callable[[str], socket.socket]  # of a device's name, in the host's network namespace


def opened(port: Port, stack: ExitStack, make: Make | None = None) -> socket.socket:
    """A packet socket on a port of the tester, or what `make` makes there of the port's device.

    Raises UnavailableError where its host is no namespace of this machine.
    """
    if not isinstance(port.node, Namespace):
        raise UnavailableError(
            f"{port.node.name}: another machine, where no packet can be sent by hand"
        )
    make = make or _of_packets
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(_socket, port.node.netns, make, port.device).result()
    return stack.enter_context(made)


def _socket(space: str, make: Make, device: str) -> socket.socket:
    netns.setns(space, flags=os.O_RDONLY)  # of the calling thread alone: setns(2)
    return make(device)


def _of_packets(device: str) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    made.bind((device, ETH_P_ALL))
    return made


def drain(sink: socket.socket) -> None:
    """Let go of what came before."""
    while select.select([sink], [], [], 0)[0]:
        sink.recv(LONGEST)


def arrived(
    sink: socket.socket, is_it: Callable[[bytes], bool], patience_s: float = PATIENCE_S
) -> bytes:
    """Wait for a frame and return it, nothing if it does not come; others are let go."""
    until = time.monotonic() + patience_s
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([sink], [], [], left)
        if ready and is_it(frame := sink.recv(LONGEST)):
            return frame
    return b""
