# SPDX-License-Identifier: Apache-2.0
"""A look into a network namespace without a program in it: files of /proc/net, port settings.

A file and a socket belong to the namespace in which they were opened, so a thread enters once and
opens them. They hold the namespace: who removes it closes the door first. Libraries for netlink are
imported by the first question: help and finished answers have none.
"""

import os
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from gatemark.error import NodeError

if TYPE_CHECKING:
    from pyroute2.ethtool.ioctl import IoctlEthtool

NET: Final = "/proc/net/"
OWN: Final = "/proc/thread-self/net/"  # the same by the thread's namespace, not the process's
PIECE_BYTES: Final = 64 << 10
HEAD: Final = struct.Struct("=IHHII")  # netlink(7), nlmsghdr
CODE: Final = struct.Struct("=i")
ERROR, DONE, DUMP, TOLD = 2, 3, 0x301, 5  # TOLD: a request whose end is acknowledged
NETFILTER: Final = 12  # NETLINK_NETFILTER
GET_LINK, GET_QDISC, GET_TABLE, GET_RULE = (
    18,
    38,
    0xA01,
    0xA07,
)  # rtnetlink(7); nf_tables.h, nfnetlink.h
DELETE_FLOWS: Final = 0x102  # nfnetlink_conntrack.h, IPCTNL_MSG_CT_DELETE
TABLE_NAME: Final = 1  # NFTA_TABLE_NAME
COUNTER: Final = b"counter\0"  # the name of an expression
IFF_UP: Final = 1
ROOT: Final = 0xFFFFFFFF  # TC_H_ROOT
ANSWER_BYTES: Final = 1 << 20  # more than the kernel puts into one
PATIENCE_S: Final = 10.0

Made = TypeVar("Made")


class Link(NamedTuple):
    """A port by rtnetlink."""

    number: int  # ifindex
    mtu: int
    gro_most: int  # gro_max_size
    counts: Mapping[str, int]  # as the files of /sys/class/net/PORT/statistics are called
    has_xdp: bool
    # It is up and has a carrier, and the kernel has yet to act on that: within a second. A port
    # without IPv6 sends nothing then.
    settles: bool


class Qdisc(NamedTuple):
    """A queue by rtnetlink."""

    port: int  # ifindex
    kind: str
    handle: int
    parent: int  # ROOT: of the port itself
    drops: int


class Door:
    """A namespace's door, opened at the first question."""

    def __init__(self, name: str, space: str) -> None:
        self._name = name
        self._space = space
        self._files: dict[str, int] = {}
        self._ports: IoctlEthtool | None = None
        self._sockets: dict[int, socket.socket] = {}  # by family of netlink(7)

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
        """Return the offloads of a port, by the long names of ethtool(8). Raises NodeError."""
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
        return {row.get_attr("IFLA_IFNAME"): _link(row) for row in self._rows(GET_LINK, bytes(16))}

    def qdiscs(self) -> list[Qdisc]:
        """The queues of all ports, in the kernel's order. Raises NodeError."""
        return [_qdisc(row) for row in self._rows(GET_QDISC, bytes(20))]

    def nft_tables(self) -> set[tuple[int, str]]:
        """Return family and name of each table of nf_tables. Raises NodeError."""
        rows = self._answers(NETFILTER, GET_TABLE, bytes(4))
        return {(row[HEAD.size], _text(row, TABLE_NAME)) for row in rows}

    def has_counters(self) -> bool:
        """Return whether a rule of nf_tables may count packets. Raises NodeError."""
        # All are read, or the rest would answer the next question.
        rows = list(self._answers(NETFILTER, GET_RULE, bytes(4)))
        return any(COUNTER in row for row in rows)

    def forget(self) -> None:
        """Remove every entry of connection tracking. Raises NodeError."""
        list(self._answers(NETFILTER, DELETE_FLOWS, bytes(4), TOLD))

    def _rows(self, question: int, rest: bytes) -> Iterator[Any]:
        """Rows of rtnetlink."""
        from pyroute2.netlink.rtnl.marshal import MarshalRtnl

        marshal = MarshalRtnl()
        for message in self._answers(socket.NETLINK_ROUTE, question, rest):
            yield from marshal.parse(message)

    def _answers(self, family: int, question: int, rest: bytes, how: int = DUMP) -> Iterator[bytes]:
        """The messages that answer a question, each with its header."""
        try:
            if family not in self._sockets:
                self._sockets[family] = self._within(lambda: _socket(family))
            at = self._sockets[family]
            at.send(HEAD.pack(HEAD.size + len(rest), question, how, 1, 0) + rest)
            while True:
                for kind, message in _messages(at.recv(ANSWER_BYTES)):
                    if kind == DONE:
                        return
                    if kind == ERROR:
                        _require(message)
                        return
                    yield message
        except OSError as error:
            if family in self._sockets:  # what else it would say answers no other question
                self._sockets.pop(family).close()
            raise NodeError(f"{self._name}: netlink: {error.strerror}") from None

    def close(self) -> None:
        """Let the namespace go."""
        files, self._files = self._files, {}
        for file in files.values():
            os.close(file)
        sockets, self._sockets = self._sockets, {}
        for each in filter(None, (self._ports, *sockets.values())):
            each.close()
        self._ports = None

    def _within(self, make: Callable[[], Made]) -> Made:
        """Return the result of `make` in a thread of that namespace. Raises OSError."""
        from pyroute2 import netns

        def enter() -> Made:
            netns.setns(self._space)
            return make()

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(enter).result()


def _link(row: Any) -> Link:
    is_up = row["flags"] & IFF_UP and row.get_attr("IFLA_CARRIER")
    acted = row.get_attr("IFLA_OPERSTATE") in ("UP", "UNKNOWN")
    xdp = row.get_attr("IFLA_XDP")
    return Link(
        number=row["index"],
        mtu=row.get_attr("IFLA_MTU"),
        gro_most=row.get_attr("IFLA_GRO_MAX_SIZE"),
        counts=row.get_attr("IFLA_STATS64"),
        has_xdp=bool(xdp and xdp.get_attr("IFLA_XDP_ATTACHED")),
        settles=bool(is_up) and not acted and _has_ipv6(row),
    )


def _has_ipv6(row: Any) -> bool:
    own = row.get_nested("IFLA_AF_SPEC", "AF_INET6")
    settings = own and own.get_attr("IFLA_INET6_CONF")
    return bool(settings) and not settings["disable_ipv6"]


def _qdisc(row: Any) -> Qdisc:
    counts = row.get_nested("TCA_STATS2", "TCA_STATS_QUEUE")
    drops = counts["drops"] if counts else 0
    return Qdisc(row["index"], row.get_attr("TCA_KIND"), row["handle"], row["parent"], drops)


def _socket(family: int) -> socket.socket:
    """A socket for netlink: pyroute2's own has a loop of its own, and another in each thread."""
    made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, family)
    made.settimeout(PATIENCE_S)
    return made


def _text(message: bytes, wanted: int) -> str:
    """A text among the attributes of nfnetlink; "" without it."""
    at = HEAD.size + 4
    while at + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, at)
        if kind == wanted:
            return message[at + 4 : at + length].rstrip(b"\0").decode(errors="replace")
        at += max(4, length + 3 & ~3)
    return ""


def _require(message: bytes) -> None:
    """Raise OSError where an acknowledgement tells of an error."""
    (code,) = CODE.unpack_from(message, HEAD.size)
    if code:
        raise OSError(-code, os.strerror(-code))


def _messages(answer: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and text of each message; they begin at multiples of four bytes."""
    at = 0
    while at < len(answer):
        length, kind = struct.unpack_from("=IH", answer, at)
        yield kind, answer[at : at + length]
        at += max(HEAD.size, length + 3 & ~3)


def _whole(file: int) -> bytes:
    """All of it: the kernel makes it anew for who reads from the start."""
    read = bytearray()
    while piece := os.pread(file, PIECE_BYTES, len(read)):
        read += piece
    return bytes(read)
