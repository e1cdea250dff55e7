# SPDX-License-Identifier: Apache-2.0
"""What is read of a network namespace without a program in it: files of /proc/net, port settings.

A file and a socket belong to the namespace in which they were opened, so a thread enters once and
opens them. They hold the namespace: who removes it closes the door first. Libraries for netlink are
imported by the first question: help and finished answers have none.
"""

import os
import socket
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from gatemark.error import NodeError

if TYPE_CHECKING:
    from pyroute2.ethtool.ioctl import IoctlEthtool

NET: Final = "/proc/net/"
OWN: Final = "/proc/thread-self/net/"  # the same by the thread's namespace, not the process's
PIECE_BYTES: Final = 64 << 10
LINK, GET_LINK, DUMP = 16, 18, 0x301  # rtnetlink(7), netlink(7)
IFF_UP: Final = 1
ALL_LINKS: Final = struct.pack("=IHHII16x", 32, GET_LINK, DUMP, 1, 0)
ANSWER_BYTES: Final = 1 << 20  # more than the kernel puts into one
PATIENCE_S: Final = 10.0

Made = TypeVar("Made")


class Link(NamedTuple):
    """A port by rtnetlink."""

    gro_most: int  # gro_max_size
    settles: (
        bool  # it is up and has a carrier, and the kernel has yet to act on that: within a second
    )


class Door:
    """A namespace's door, opened at the first question."""

    def __init__(self, name: str, space: str) -> None:
        self._name = name
        self._space = space
        self._files: dict[str, int] = {}
        self._ports: IoctlEthtool | None = None
        self._links: socket.socket | None = None

    def read(self, path: str) -> str:
        """The whole of a file below /proc/net, as it is now. Raises NodeError."""
        try:
            if path not in self._files:
                own = OWN + path.removeprefix(NET)
                self._files[path] = self._within(lambda: os.open(own, os.O_RDONLY | os.O_CLOEXEC))
            return _whole(self._files[path]).decode(errors="replace")
        except OSError as error:
            raise NodeError(f"{self._name}: {path}: {error.strerror}") from None

    def offloads(self, device: str) -> dict[str, bool]:
        """What a port has on, by the long names of ethtool(8). Raises NodeError."""
        from pyroute2.ethtool.ioctl import IoctlEthtool, NoSuchDevice, NotSupportedError

        try:
            self._ports = self._ports or self._within(IoctlEthtool)
            self._ports.change_ifname(device)
            flags: dict[str, bool] = self._ports.get_offload_flags()
        except (OSError, NoSuchDevice, NotSupportedError) as error:
            raise NodeError(f"{self._name}: settings of {device}: {error}") from None
        return flags

    def links(self) -> dict[str, Link]:
        """Each port as the kernel has it. Raises NodeError."""
        from pyroute2.netlink.rtnl.marshal import MarshalRtnl

        try:
            self._links = self._links or self._within(_links)
            self._links.send(ALL_LINKS)
            rows: list[Any] = []
            while not rows or rows[-1]["header"]["type"] == LINK:
                rows += MarshalRtnl().parse(self._links.recv(ANSWER_BYTES))
        except OSError as error:
            raise NodeError(f"{self._name}: its ports: {error.strerror}") from None
        return {row.get_attr("IFLA_IFNAME"): _link(row) for row in rows[:-1]}

    def close(self) -> None:
        """Let the namespace go."""
        files, self._files = self._files, {}
        for file in files.values():
            os.close(file)
        for each in filter(None, (self._ports, self._links)):
            each.close()
        self._ports = self._links = None

    def _within(self, make: Callable[[], Made]) -> Made:
        """What is made by a thread that has gone in, and then ends. Raises OSError."""
        from pyroute2 import netns

        def enter() -> Made:
            netns.setns(self._space)
            return make()

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(enter).result()


def _link(row: Any) -> Link:
    is_up = row["flags"] & IFF_UP and row.get_attr("IFLA_CARRIER")
    acted = row.get_attr("IFLA_OPERSTATE") in ("UP", "UNKNOWN")
    return Link(row.get_attr("IFLA_GRO_MAX_SIZE"), bool(is_up) and not acted)


def _links() -> socket.socket:
    """A socket for rtnetlink: pyroute2's own has a loop of its own, and another in each thread."""
    links = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    links.settimeout(PATIENCE_S)
    return links


def _whole(file: int) -> bytes:
    """All of it: the kernel makes it anew for who reads from the start."""
    read = bytearray()
    while piece := os.pread(file, PIECE_BYTES, len(read)):
        read += piece
    return bytes(read)
