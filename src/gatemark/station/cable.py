# SPDX-License-Identifier: Apache-2.0
"""The tester's own cable, LAN host to WAN host without a gateway: what the tester alone can do."""

from collections.abc import Mapping

from pyroute2 import IPRoute

from gatemark.node.quoted import sh, shell
from gatemark.node.shell import Namespace
from gatemark.station import space
from gatemark.station.demand import Demand
from gatemark.station.napi import NapiThread, thread
from gatemark.station.wiring import Port

ENDS = {"lan9": "lan", "wan9": "wan"}  # role -> host
MADE = Demand(offload=True)  # how the kernel makes a veth
GRO_MAX_BYTES = 65536  # GRO_LEGACY_MAX_SIZE, what a device begins with
# A port without NAPI has no threads to forbid.
UNRELIEVE = """set -e
{{ echo 0 > /sys/class/net/{device}/threaded; }} 2> /dev/null || true
ethtool -K {device} gro off
ip link set dev {device} gro_max_size {most}
"""


class Cable:
    """A veth pair between the hosts' namespaces. `cpu` is the gateway's: idle then, it receives."""

    def __init__(self, hosts: Mapping[str, Namespace], cpu: int | None) -> None:
        self.nodes = {role: hosts[host] for role, host in ENDS.items()}
        self.cpu = cpu
        self.ports: dict[str, Port] = {}
        self.relief: list[NapiThread] = []
        self.is_relieved = False  # also where its threads are not seen

    def build(self, ends: Mapping[str, IPRoute]) -> None:
        """Make it, with `ends` the hosts' netlink sockets by short name."""
        self.relief, self.is_relieved = [], False
        near, far = self.nodes
        peer = {"ifname": far, "net_ns_fd": self.nodes[far].netns}
        ends[ENDS[near]].link("add", ifname=near, kind="veth", peer=peer)
        for role, host in ENDS.items():
            self.ports[role] = Port(self.nodes[role], role, space.mac(ends[host], role))
            space.address(ends[host], self.ports[role])
        for role, other in ((near, far), (far, near)):
            space.neighbours(ends[ENDS[role]], self.ports[role], self.ports[other])

    async def meet(self, was: Demand | None, demand: Demand) -> None:
        """From what the last trial needed to what this one does; None: it may be anyhow."""
        if demand.relieved is False and (was is None or self.is_relieved):
            await self._relieve(relieved=False)
        if was is None or demand.offload != was.offload:
            for role, node in self.nodes.items():
                await space.offloads(node, role, "on" if demand.offload else "off")
        if was is None or demand.finished != was.finished:
            for role, node in self.nodes.items():
                await node.run("ethtool", "-K", role, "tx", "off" if demand.finished else "on")
        if demand.relieved and not (self.relief and all(made.sound() for made in self.relief)):
            await self._relieve(relieved=True)

    async def _relieve(self, *, relieved: bool) -> None:
        """Let threads on the gateway's CPU receive what arrives at either end."""
        self.relief, self.is_relieved = [], relieved
        made: list[NapiThread] = []
        for device, node in self.nodes.items():
            if relieved:
                await node.run("ethtool", "-K", device, "gro", "on")
                made += filter(None, [await thread(node, device, self.cpu)])
            else:
                await node.run(*sh(shell(UNRELIEVE, device=device, most=GRO_MAX_BYTES)))
        self.relief = made
