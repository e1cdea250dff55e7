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
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute

from gatemark.error import StationError
from gatemark.node.inside.netlink import inside
from gatemark.node.quoted import sh, shell
from gatemark.node.shell import door
from gatemark.node.shield import whole
from gatemark.plan.model import Arm
from gatemark.plan.toml import refuse_unknown_keys
from gatemark.station import blocking, counting, doctor, lock, own, space
from gatemark.station.ability import ability
from gatemark.station.cable import MADE, Cable
from gatemark.station.check import check_ports
from gatemark.station.cpu import Placement, place
from gatemark.station.demand import PLAIN, Demand
from gatemark.station.napi import NapiThread, thread
from gatemark.station.station import Again, nothing
from gatemark.station.wiring import GATEWAY_PORTS, Gateway, Port
from gatemark.store.run import StationInfo

LINKS = (("lan0", "gw0"), ("gw1", "wan0"), ("gw2", "lan2"))
HOST = {"lan0": "lan", "wan0": "wan", "lan2": "lan2"} | dict.fromkeys(GATEWAY_PORTS, "gw")
SWITCHED = ("lan0", "lan2")  # two hosts in one network, by way of the gateway's bridge


def from_file(data: Mapping[str, Any], path: Path) -> "Lab":
    """The lab of a station file, which has nothing to say but its kind. Raises UsageError."""
    refuse_unknown_keys(data, ["schema", "gateway"], path, "")
    refuse_unknown_keys(data["gateway"], ["kind"], path, "gateway")
    return Lab(path.stem)


class Lab:
    """A station of kind `netns`. `up` builds it, `down` removes it; its lock is held between."""

    kind = "netns"

    def __init__(
        self, name: str = "lab", placement: Placement | None = None, purpose: str = "run"
    ) -> None:
        self.name = name
        self.purpose = purpose
        self.lab = secrets.token_hex(3)
        self.placement = placement or place()
        self.able = ability()
        self.hosts = space.spaces(self.lab, ("lan", "gw", "wan", "lan2"))
        self.gateway = Gateway(self.hosts["gw"], {role: role for role in GATEWAY_PORTS})
        self.demand: Demand | None = PLAIN  # what the station is set to
        self.ports: dict[str, Port] = {}
        self.threads: dict[str, NapiThread] = {}  # of the gateway's ports
        self.cable = Cable(self.hosts, self.cpu)
        self._nodes = {role: self.hosts[host] for role, host in HOST.items()}
        self.after_restart: Again = nothing
        self.counting: counting.Counting | None = None
        self._held = ExitStack()

    @property
    def info(self) -> StationInfo:
        """Return the station's facts for a run."""
        return StationInfo(
            name=self.name,
            kind=self.kind,
            virtual=True,
            placement=self.words,
            missing=self.able.missing,
            sees_cpu=self.able.cpu_time,
        )

    def enter(self) -> None:
        """Namespaces of his own for an ordinary user. Raises UnavailableError with the fix."""
        own.enter()
        doctor.require()

    async def up(self) -> None:
        """Build it. Raises UnavailableError without rights or CPUs, StationError if it fails."""
        self.placement.require()
        self._held.enter_context(lock.named(self.lab, self.purpose))
        self.demand = PLAIN
        try:
            await blocking.run(self._build)
            await asyncio.gather(*(self._aggregate_not(role) for role in HOST))
            await self.cable.meet(MADE, PLAIN)
            await self.pin()
        except BaseException:
            await whole(self.down())
            raise

    async def down(self) -> None:
        """Remove it whole; also half-built ones."""
        await space.clear(self.hosts)
        self._held.close()

    def boot_each(self) -> None:
        """Do nothing: a namespace is made anew each time."""

    def another(self) -> "Lab":
        """One like it, of namespaces of its own, on the same CPUs."""
        return Lab(self.name, self.placement, self.purpose)

    def count(self, caches: Sequence[str] = (), *, programs: bool = False) -> None:
        """Nobody counts here."""
        del caches, programs
        counting.refuse()

    def lacks(self, arm: Arm) -> str:
        """Nothing: what this machine's kernel lacks is in `able`."""
        del arm
        return ""

    async def flush(self) -> None:
        """Remove every entry of this gateway's connection tracking table, and of no other."""
        gateway = self.hosts["gw"]
        near = door(gateway)
        assert near  # a host of a lab has one
        await asyncio.to_thread(near.forget)

    async def restart(self) -> str:
        """Take the gateway's links down and up: routes, neighbours and threads come anew."""
        await blocking.run(self._replug)
        await self.pin()
        await self.after_restart()
        return "the gateway's links down and up"

    async def require_alive(self) -> None:
        """Raise StationError if somebody removed the lab: nothing more can be measured on it."""
        space.require(self.hosts)

    async def meet(self, demand: Demand) -> None:
        """Before a trial: the ports as it needs them, threads sound. Raises StationError."""
        was, self.demand = self.demand, None  # not known until all is changed
        await self.cable.meet(was, demand)
        if was is None or demand.mtu != was.mtu:
            await space.widths(self._nodes, demand.mtu)
        if self.able.steering and (was is None or demand.steered != was.steered):
            await self._steer(steered=demand.steered)
        if was is None or (demand.caught, demand.finished) != (was.caught, was.finished):
            await self._catch(caught=demand.caught, finished=demand.finished)
        self.demand = demand
        await self._sound(shared=demand.shared)
        await check_ports(self._nodes if demand.offload else self._nodes | self.cable.nodes)

    def rewired(self) -> None:
        """The WAN host's ports are new devices, of which nothing is known."""
        self.demand = None

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
        """Give the gateway's ports their threads on the gateway's CPU, where these can be seen."""
        for device in GATEWAY_PORTS:
            if made := await thread(self.gateway.node, device, self.cpu):
                self.threads[device] = made

    async def _steer(self, *, steered: bool) -> None:
        """Let what a host of ours receives be worked on by that host's CPU, or by the sender's."""
        for device in ("lan0", "lan2", "wan0"):
            cpu = self.placement.sender if device == "lan0" else self.placement.sink
            path = f"/sys/class/net/{device}/queues/rx-0/rps_cpus"
            mask = f"{1 << cpu:x}" if steered else "0"
            await self._nodes[device].run(*sh(shell("echo {mask} > {path}", mask=mask, path=path)))

    async def _catch(self, *, caught: bool, finished: bool) -> None:
        """Let the hosts' ports take what XDP hands to a veth, and give it whole packets.

        A veth takes a frame only where its end has NAPI, which GRO brings; and a frame has no word
        for a checksum that is yet to be made (`veth_xdp_xmit`, drivers/net/veth.c). A line has
        none either, for what the gateway itself sends, too.
        """
        gro, checksum = "on" if caught else "off", "off" if caught or finished else "on"
        for device in ("lan0", "wan0"):
            node = self._nodes[device]
            await node.run("ip", "link", "set", "dev", device, "gro_max_size", "1")
            await node.run("ethtool", "-K", device, "gro", gro, "tx", checksum)
        await self._nodes["gw1"].run("ethtool", "-K", "gw1", "tx", "off" if finished else "on")

    async def _aggregate_not(self, role: str) -> None:
        """At a gateway's port GRO stays on: without it the port has no NAPI."""
        gro = "on" if role in GATEWAY_PORTS else "off"
        await space.offloads(self._nodes[role], role, "off", gro)

    def _build(self) -> None:
        space.create(self.hosts)
        with ExitStack() as stack:
            ends = {
                host: stack.enter_context(inside(node.netns)) for host, node in self.hosts.items()
            }
            space.write_sysctls(self.hosts["gw"].netns, space.ROUTER)
            self.cable.build(ends)
            self._link(ends)

    def _link(self, ends: dict[str, IPRoute]) -> None:
        for near, far in LINKS:
            peer = {"ifname": far, "net_ns_fd": self._nodes[far].netns}
            ends[HOST[near]].link("add", ifname=near, kind="veth", peer=peer)
        for role, host in HOST.items():
            self.ports[role] = Port(self._nodes[role], role, space.mac(ends[host], role))
            space.address(ends[host], self.ports[role])
        for near, far in (*LINKS[:2], SWITCHED):
            space.neighbours(ends[HOST[near]], self.ports[near], self.ports[far])
            space.neighbours(ends[HOST[far]], self.ports[far], self.ports[near])
        for host, port in (("lan", "gw0"), ("wan", "gw1")):
            space.default_routes(ends[host], self.ports[port])
        space.second_host(ends["lan2"], self.ports)
        self._crowd()
        self.ports |= self.cable.ports

    def _replug(self) -> None:
        """IPv4 addresses outlive a link; IPv6 addresses, routes and neighbours do not."""
        with inside(self.hosts["gw"].netns) as end:
            for role in GATEWAY_PORTS[:2]:
                end.link("set", index=end.link_lookup(ifname=role)[0], state="down")
            for role, far in (("gw0", "lan0"), ("gw1", "wan0")):
                space.address(end, self.ports[role], again=True)
                space.neighbours(end, self.ports[role], self.ports[far])
        self._crowd()

    def _crowd(self) -> None:
        """Tell the gateway where the addresses are that no host owns."""
        command = self.hosts["gw"].argv("ip", "-batch", "-")
        text = space.crowd(self.gateway, self.ports)
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, start_new_session=True
        )
        if done.returncode:
            raise StationError(f"{self.gateway.name}: neighbours: {done.stderr.strip()}")
