# SPDX-License-Identifier: Apache-2.0
"""The built-in lab: three namespaces of this machine, a gateway between two hosts.

     LAN host            gateway             WAN host
    +--------+        +-----------+        +--------+
    |   lan0 |--------| gw0   gw1 |--------| wan0   |     the test ports
    |   lan9 |------------------------------| wan9   |     the tester alone (path `direct`)
    +--------+        +-----------+        +--------+
     tester's CPU      gateway's CPU        tester's CPU

Links are made inside the namespaces, so the host's own interfaces are never touched.

A veth port hands a packet on by the CPU that sends it, so the sink's ring is filled by the
gateway's thread: copying a packet into the ring is the tester's work in the gateway's time.
Steering it to the tester's CPU would cost the gateway an interrupt to that CPU for each packet
instead, 12 us of it in a virtual machine (docs/measured.md).
"""

import asyncio
import secrets
import subprocess
from contextlib import ExitStack

from pyroute2 import IPRoute, netns

from gatemark.error import StationError, UnavailableError
from gatemark.node.shell import Namespace
from gatemark.station import lock
from gatemark.station.check import check_ports
from gatemark.station.cpu import Placement, place
from gatemark.station.napi import FIFO_PRIORITY, Thread, thread
from gatemark.station.recover import end_processes
from gatemark.station.wiring import ADDRESS, Port
from gatemark.store.run import StationInfo

LINKS = (("lan0", "gw0"), ("gw1", "wan0"), ("lan9", "wan9"))
HOST = {"lan0": "lan", "lan9": "lan", "gw0": "gw", "gw1": "gw", "wan0": "wan", "wan9": "wan"}
NO_DAD = 2  # IFA_F_NODAD: the address is used at once

# No neighbour, router or multicast chatter: every packet on a test port is a test packet. The
# gateway is a router from the start, since becoming one joins a multicast group and reports it.
QUIET = """
cd /proc/sys/net/ipv6/conf
for name in all default; do
  echo 0 > $name/accept_ra; echo 0 > $name/autoconf; echo 0 > $name/router_solicitations
  echo 0 > $name/accept_dad; echo 1 > $name/addr_gen_mode 2>/dev/null || true
  echo 1 > $name/mldv2_unsolicited_report_interval  # ms: what is reported is over at once
done
"""
ROUTER = "cd /proc/sys/net; echo 1 > ipv4/ip_forward; echo 1 > ipv6/conf/all/forwarding"


class Lab:
    """A station of kind `netns`. `up` builds it, `down` removes it; its lock is held between."""

    kind = "netns"
    virtual = True

    def __init__(
        self, name: str = "lab", placement: Placement | None = None, purpose: str = "run"
    ) -> None:
        self.name = name
        self.purpose = purpose
        self.lab = secrets.token_hex(3)
        self.placement = placement or place()
        self.lan = Namespace("LAN host", f"gm-{self.lab}-lan")
        self.gateway = Namespace("gateway", f"gm-{self.lab}-gw")
        self.wan = Namespace("WAN host", f"gm-{self.lab}-wan")
        self.ports: dict[str, Port] = {}
        self.threads: dict[str, Thread] = {}
        self._held = ExitStack()

    @property
    def info(self) -> StationInfo:
        """What a run says of it."""
        words = self.placement.words()
        words["gateway"] += f", napi threads, fifo {FIFO_PRIORITY}"
        return StationInfo(name=self.name, kind=self.kind, virtual=True, placement=words)

    async def up(self) -> None:
        """Build it. Raises UnavailableError without the rights, StationError if it fails."""
        self._held.enter_context(lock.named(self.lab, self.purpose))
        try:
            await asyncio.to_thread(self._build)
            await asyncio.gather(*(self._offloads(device) for device in ADDRESS))
            await self.pin()
        except BaseException:
            await self.down()
            raise

    async def down(self) -> None:
        """Remove it whole; also half-built ones."""
        await asyncio.to_thread(self._remove)
        self._held.close()

    def require_alive(self) -> None:
        """Raise StationError if somebody removed the lab: nothing more can be measured on it."""
        there = netns.listnetns()
        for node in (self.lan, self.gateway, self.wan):
            if node.netns not in there:
                raise StationError(f"{node.name}: its namespace {node.netns} is gone; --resume")

    async def check(self) -> None:
        """Before a trial: threads pinned, or made anew; aggregation off. Raises StationError."""
        if not all(made.sound for made in self.threads.values()):
            await self.pin()
        await check_ports(self._nodes())

    async def pin(self) -> None:
        """Give the gateway's ports their threads on the gateway's CPU."""
        for device in ("gw0", "gw1"):
            self.threads[device] = await thread(self.gateway, device, self.placement.gateway)

    def _nodes(self) -> dict[str, Namespace]:
        nodes = {"lan": self.lan, "gw": self.gateway, "wan": self.wan}
        return {device: nodes[host] for device, host in HOST.items()}

    def _build(self) -> None:
        try:
            for node in (self.lan, self.gateway, self.wan):
                netns.create(node.netns)
        except PermissionError:
            raise UnavailableError("the built-in lab needs root for namespaces: use sudo") from None
        with ExitStack() as stack:
            ends = {
                host: stack.enter_context(IPRoute(netns=f"gm-{self.lab}-{host}"))
                for host in ("lan", "gw", "wan")
            }
            for node in (self.lan, self.gateway, self.wan):
                _write_sysctls(node.netns, QUIET)
            _write_sysctls(self.gateway.netns, ROUTER)
            self._link(ends)

    def _link(self, ends: dict[str, IPRoute]) -> None:
        nodes = self._nodes()
        for near, far in LINKS:
            peer = {"ifname": far, "net_ns_fd": nodes[far].netns}
            ends[HOST[near]].link("add", ifname=near, kind="veth", peer=peer)
        for device, host in HOST.items():
            self.ports[device] = Port(nodes[device], device, _address(ends[host], device))
        for near, far in LINKS:
            _neighbours(ends[HOST[near]], self.ports[near], self.ports[far])
            _neighbours(ends[HOST[far]], self.ports[far], self.ports[near])
        for host, port in (("lan", "gw0"), ("wan", "gw1")):
            for family, default in (("ipv4", "0.0.0.0/0"), ("ipv6", "::/0")):
                ends[host].route("add", dst=default, gateway=self.ports[port].address(family))

    async def _offloads(self, device: str) -> None:
        gro = "on" if device in ("gw0", "gw1") else "off"
        await self._nodes()[device].run(
            "ethtool", "-K", device, "tso", "off", "gso", "off", "gro", gro
        )

    def _remove(self) -> None:
        for node in (self.lan, self.gateway, self.wan):
            if node.netns in netns.listnetns():
                end_processes(node.netns)
                netns.remove(node.netns)


def _write_sysctls(space: str, script: str) -> None:
    command = ["ip", "netns", "exec", space, "sh", "-ec", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StationError(f"{space}: sysctls: {done.stderr.strip()}")


def _address(end: IPRoute, device: str) -> str:
    """Bring a port up with its addresses; returns its MAC address."""
    index = end.link_lookup(ifname=device)[0]
    end.link("set", index=index, state="up")
    for family, flags in (("ipv4", 0), ("ipv6", NO_DAD)):
        address, _, length = ADDRESS[device][family].partition("/")
        end.addr("add", index=index, address=address, prefixlen=int(length), flags=flags)
    return str(end.get_links(index)[0].get("address"))


def _neighbours(end: IPRoute, near: Port, far: Port) -> None:
    """Permanent neighbour entries: no ARP, no neighbour discovery during a trial."""
    index = end.link_lookup(ifname=near.device)[0]
    for family in ("ipv4", "ipv6"):
        end.neigh(
            "replace", dst=far.address(family), lladdr=far.mac, ifindex=index, state="permanent"
        )
