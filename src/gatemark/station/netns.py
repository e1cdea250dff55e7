# SPDX-License-Identifier: Apache-2.0
"""The built-in lab: namespaces of this machine, a gateway between hosts.

     LAN host            gateway             WAN host
    +--------+        +-----------+        +--------+
    |   lan0 |--------| gw0   gw1 |--------| wan0   |     the test ports
    |   lan9 |--------|-----------|--------| wan9   |     the tester alone (path `direct`)
    +--------+        |    gw2    |        +--------+
     tester's CPU     +-----|-----+         tester's CPU
                      | lan2      |
                      +-----------+  second LAN host (path `switch`), tester's CPU

Links are made inside the namespaces, so the host's own interfaces are never touched.

A veth port hands a packet on by the CPU that sends it, so the sink's ring is filled by the
gateway's thread: copying a packet into the ring is the tester's work in the gateway's time.
Steering it to the tester's CPU would cost the gateway an interrupt to that CPU for each packet
instead, 12 us of it in a virtual machine (docs/measured.md). TCP is the exception: there the host
would run its whole protocol on the gateway's CPU, so its ports are steered.
"""

import asyncio
import secrets
import subprocess
from contextlib import ExitStack

from pyroute2 import IPRoute, NFCTSocket, netns

from gatemark.error import StationError, UnavailableError
from gatemark.node.shell import Namespace
from gatemark.plan.model import Arm
from gatemark.station import lock
from gatemark.station.ability import ability
from gatemark.station.check import check_ports
from gatemark.station.cpu import Placement, place
from gatemark.station.demand import PLAIN, Demand
from gatemark.station.napi import Thread, thread
from gatemark.station.recover import end_processes
from gatemark.station.wiring import (
    ADDRESS,
    FAR_HOST,
    FIRST_CLIENT,
    GATEWAY_PORTS,
    LAST_CLIENT,
    Gateway,
    Port,
)
from gatemark.store.run import StationInfo

LINKS = (("lan0", "gw0"), ("gw1", "wan0"), ("lan9", "wan9"), ("gw2", "lan2"))
HOST = {"lan0": "lan", "lan9": "lan", "wan0": "wan", "wan9": "wan", "lan2": "lan2"}
HOST |= dict.fromkeys(GATEWAY_PORTS, "gw")
ALONE = ("lan9", "wan9")  # the tester's own cable
SWITCHED = ("lan0", "lan2")  # two hosts in one network, by way of the gateway's bridge
NAMES = {"lan": "LAN host", "gw": "gateway", "wan": "WAN host", "lan2": "second LAN host"}
GRO_MAX_BYTES = 65536  # GRO_LEGACY_MAX_SIZE, what a device begins with
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
        self.able = ability()
        self.hosts = {
            host: Namespace(name, f"gm-{self.lab}-{host}") for host, name in NAMES.items()
        }
        self.gateway = Gateway(self.hosts["gw"], {role: role for role in GATEWAY_PORTS})
        self.demand: Demand | None = PLAIN  # what the station is set to
        self.ports: dict[str, Port] = {}
        self.threads: dict[str, Thread] = {}  # of the gateway's ports
        self.relief: list[Thread] = []  # of the tester's own cable
        self._held = ExitStack()

    @property
    def info(self) -> StationInfo:
        """What a run says of it."""
        return StationInfo(
            name=self.name,
            kind=self.kind,
            virtual=True,
            placement=self.words,
            missing=self.able.missing,
        )

    async def up(self) -> None:
        """Build it. Raises UnavailableError without the rights, StationError if it fails."""
        self._held.enter_context(lock.named(self.lab, self.purpose))
        try:
            await asyncio.to_thread(self._build)
            await asyncio.gather(*(self._offloads(device, "off") for device in HOST))
            await self.pin()
        except BaseException:
            await self.down()
            raise

    async def down(self) -> None:
        """Remove it whole; also half-built ones."""
        await asyncio.to_thread(self._remove)
        self._held.close()

    def lacks(self, arm: Arm) -> str:
        """Nothing: what this machine's kernel lacks is in `able`."""
        del arm
        return ""

    async def flush(self) -> None:
        """Remove every entry of this gateway's connection tracking table, and of no other."""
        await asyncio.to_thread(_flush, self.hosts["gw"].netns)

    def require_alive(self) -> None:
        """Raise StationError if somebody removed the lab: nothing more can be measured on it."""
        there = netns.listnetns()
        for node in self.hosts.values():
            if node.netns not in there:
                raise StationError(f"{node.name}: its namespace {node.netns} is gone; --resume")

    async def meet(self, demand: Demand) -> None:
        """Before a trial: the ports as it needs them, threads sound. Raises StationError."""
        was, self.demand = self.demand, None  # not known until all is changed
        await self._change(was, demand)
        self.demand = demand
        await self._sound(shared=demand.shared)
        nodes = self._nodes()
        if demand.offload:
            nodes = {device: node for device, node in nodes.items() if device not in ALONE}
        await check_ports(nodes)

    async def _change(self, was: Demand | None, demand: Demand) -> None:
        """From what the last trial needed to what this one does; None: all may be anyhow."""
        if (was is None or was.relieved) and not demand.relieved:
            await self._relieve(relieved=False)
        if was is None or demand.offload != was.offload:
            state = "on" if demand.offload else "off"
            await asyncio.gather(*(self._offloads(device, state) for device in ALONE))
        if self.able.steering and (was is None or demand.steered != was.steered):
            await self._steer(steered=demand.steered)
        if demand.relieved and not (self.relief and all(made.sound() for made in self.relief)):
            await self._relieve(relieved=True)

    async def _sound(self, *, shared: bool) -> None:
        """The gateway's threads there and in their class."""
        if all(made.sound(shared=shared) for made in self.threads.values()):
            return
        if not all(made.sound(shared=not shared) for made in self.threads.values()):
            await self.pin()
        for made in self.threads.values():
            made.classify(shared=shared)

    @property
    def words(self) -> dict[str, str]:
        """The placement as it is now."""
        return self.placement.words(self.able, self.demand or PLAIN)

    @property
    def cpu(self) -> int | None:
        """The CPU that forwarding threads are bound to; None if they cannot be."""
        return self.placement.gateway if self.able.own_cpu else None

    async def pin(self) -> None:
        """Give the gateway's ports their threads on the gateway's CPU."""
        for device in GATEWAY_PORTS:
            self.threads[device] = await thread(self.gateway.node, device, self.cpu)

    async def _relieve(self, *, relieved: bool) -> None:
        """Let threads on the gateway's CPU receive what arrives on the tester's own cable."""
        self.relief = []
        made = []
        for device in ALONE:
            node = self._nodes()[device]
            if relieved:
                await node.run("ethtool", "-K", device, "gro", "on")
                made.append(await thread(node, device, self.cpu))
            else:
                script = (
                    f"echo 0 > /sys/class/net/{device}/threaded; ethtool -K {device} gro off;"
                    f"ip link set dev {device} gro_max_size {GRO_MAX_BYTES}"
                )
                await node.run("sh", "-ec", script)
        self.relief = made

    async def _steer(self, *, steered: bool) -> None:
        """Let what a host of ours receives be worked on by that host's CPU, or by the sender's."""
        place = self.placement
        for device in ("lan0", "lan2", "wan0"):
            cpu = place.sender if device == "lan0" else place.sink
            path = f"/sys/class/net/{device}/queues/rx-0/rps_cpus"
            mask = f"{1 << cpu:x}" if steered else "0"
            await self._nodes()[device].run("sh", "-ec", f"echo {mask} > {path}")

    def _nodes(self) -> dict[str, Namespace]:
        return {device: self.hosts[host] for device, host in HOST.items()}

    def _build(self) -> None:
        try:
            for node in self.hosts.values():
                netns.create(node.netns)
        except PermissionError:
            raise UnavailableError("the built-in lab needs root for namespaces: use sudo") from None
        with ExitStack() as stack:
            ends = {
                host: stack.enter_context(IPRoute(netns=node.netns))
                for host, node in self.hosts.items()
            }
            for node in self.hosts.values():
                _write_sysctls(node.netns, QUIET)
            _write_sysctls(self.hosts["gw"].netns, ROUTER)
            self._link(ends)

    def _link(self, ends: dict[str, IPRoute]) -> None:
        nodes = self._nodes()
        for near, far in LINKS:
            peer = {"ifname": far, "net_ns_fd": nodes[far].netns}
            ends[HOST[near]].link("add", ifname=near, kind="veth", peer=peer)
        for device, host in HOST.items():
            self.ports[device] = Port(nodes[device], device, _address(ends[host], device))
        for near, far in (*LINKS[:3], SWITCHED):
            _neighbours(ends[HOST[near]], self.ports[near], self.ports[far])
            _neighbours(ends[HOST[far]], self.ports[far], self.ports[near])
        for host, port in (("lan", "gw0"), ("wan", "gw1")):
            for family, default in (("ipv4", "0.0.0.0/0"), ("ipv6", "::/0")):
                ends[host].route("add", dst=default, gateway=self.ports[port].address(family))
        self._crowd()

    def _crowd(self) -> None:
        """Tell the gateway where the addresses are that no host owns: clients, and a far host."""
        places = [("gw0", "lan0", range(FIRST_CLIENT, LAST_CLIENT + 1))]
        places += [("gw1", "wan0", range(FAR_HOST, FAR_HOST + 1))]
        lines = [
            f"neigh replace {self.ports[gate].neighbour(family, host)} lladdr "
            f"{self.ports[behind].mac} dev {gate} nud permanent"
            for gate, behind, hosts in places
            for host in hosts
            for family in ("ipv4", "ipv6")
        ]
        command = ["ip", "-n", self.hosts["gw"].netns, "-batch", "-"]
        text = "\n".join(lines)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise StationError(f"{self.gateway.name}: neighbours: {done.stderr.strip()}")

    async def _offloads(self, device: str, state: str) -> None:
        """At a gateway's port GRO stays on: without it the port has no NAPI."""
        gro = "on" if device in GATEWAY_PORTS else state
        await self._nodes()[device].run(
            "ethtool", "-K", device, "tso", state, "gso", state, "gro", gro
        )

    def _remove(self) -> None:
        for node in self.hosts.values():
            if node.netns in netns.listnetns():
                end_processes(node.netns)
                netns.remove(node.netns)


def _flush(space: str) -> None:
    with NFCTSocket(netns=space) as table:
        table.flush()


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
        if device not in ADDRESS:
            continue
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
