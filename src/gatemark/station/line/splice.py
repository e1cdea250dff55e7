# SPDX-License-Identifier: Apache-2.0
"""The line's namespace spliced into the cable of a port of a host, and taken out again.

At any moment the device that was moved is in one of both namespaces, and another of its name is in
the host's only while it is away: so who gives NICs back finds it (station/ssh/loan.py).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from pyroute2 import IPRoute, NetlinkError, netns

from gatemark.error import StationError, UnavailableError
from gatemark.node.inside.netlink import inside
from gatemark.node.quoted import literal
from gatemark.node.shell import Namespace
from gatemark.station import space
from gatemark.station.wiring import Port

LINE: Final = "-line"  # what our namespace ends with
NEXT: Final = {"wan0": "gw1", "wan9": "lan9", "lan0": "gw0"}  # role -> what it is connected to
VETH: Final = "line1"  # our end of the pair to the host
DEAF: Final = literal("echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6")
ELSEWHERE: Final = "a line stands before a host on this machine, and this one is elsewhere"


def beside(host: str) -> str:
    """The line's namespace, by the host's: gm-0a1b2c-line."""
    return host.rpartition("-")[0] + LINE


class Splice:
    """The line's namespace at one port, by its role. Raises UnavailableError if it cannot be."""

    def __init__(self, ports: Mapping[str, Port], role: str) -> None:
        host = ports[role].node if role in ports else None
        if not isinstance(host, Namespace):
            raise UnavailableError(ELSEWHERE)
        self.role = role
        self.port = ports[role]
        self.next = ports[NEXT[role]]
        self.host = host
        self.node = Namespace(space.NAMES["line"], beside(host.netns))

    @property
    def ports(self) -> tuple[Port, Port]:
        """Ours: at the gateway's cable, at the host's."""
        gate = replace(self.port, node=self.node, role="line0", named=self.port.device)
        return gate, Port(self.node, "line1", self.port.mac, VETH)

    @property
    def _is_made(self) -> bool:
        """A NIC keeps its address: it takes in what bears that, and goes home with it."""
        return not self.port.shared

    def put_in(self) -> None:
        """Move the host's device away and give it another. Raises StationError."""
        space.create({"line": self.node})
        space.write_sysctls(self.node.netns, DEAF)
        device = self.port.device
        with self._ends() as (host, line):
            mtu = _link(host, device).get("mtu")
            _move(host, device, self.node.netns)
            peer = {"ifname": device, "net_ns_fd": self.host.netns, "mtu": mtu}
            line.link("add", ifname=VETH, kind="veth", mtu=mtu, peer=peer)
            if self._is_made:
                # Frames to the host are another's here, so the stack drops them at once.
                _set(line, device, address=_link(line, VETH).get("address"))
            _set(host, device, address=self.port.mac)
            for own in (device, VETH):
                _set(line, own, state="up")
            self._introduce(host)

    def take_out(self) -> None:
        """Bring the device home and remove the namespace; also after a part of `put_in`.

        Raises StationError; the namespace is gone then, too.
        """
        if self.node.netns not in netns.listnetns():
            return
        try:
            with self._ends() as (host, line):
                for index in line.link_lookup(ifname=VETH):
                    line.link("del", index=index)
                if line.link_lookup(ifname=self.port.device):
                    self._home(host, line)
        finally:
            space.remove({"line": self.node})

    def _home(self, host: IPRoute, line: IPRoute) -> None:
        device = self.port.device
        _set(line, device, state="down")
        if self._is_made:
            _set(line, device, address=self.port.mac)
        _move(line, device, self.host.netns)
        self._introduce(host)

    def _introduce(self, host: IPRoute) -> None:
        """The host's device with its addresses, who is next to it, and the way to all others."""
        space.address(host, self.port)
        space.neighbours(host, self.port, self.next)
        if self.role in ("wan0", "lan0"):
            space.default_routes(host, self.next)

    @contextmanager
    def _ends(self) -> Iterator[tuple[IPRoute, IPRoute]]:
        """Netlink sockets in both namespaces. What the kernel refuses is a StationError."""
        try:
            with inside(self.host.netns) as host, inside(self.node.netns) as line:
                yield host, line
        except (NetlinkError, OSError) as error:
            raise StationError(f"line at {self.port.device}: {error}") from None


def _link(end: IPRoute, device: str) -> Any:
    return end.get_links(end.link_lookup(ifname=device)[0])[0]


def _set(end: IPRoute, device: str, **what: Any) -> None:
    end.link("set", index=end.link_lookup(ifname=device)[0], **what)


def _move(end: IPRoute, device: str, to: str) -> None:
    """Closed there, so its addresses, routes and neighbours are gone (net/core/dev.c)."""
    end.link("set", index=end.link_lookup(ifname=device)[0], ifname=device, net_ns_fd=to)
