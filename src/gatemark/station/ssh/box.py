# SPDX-License-Identifier: Apache-2.0
"""Stations of kind `ssh`: a box on a desk, reached over SSH, with the tester's NICs at its ports.

    LAN host             gateway             WAN host
   +---------+         +-----------+         +---------+
   | lan nic |---------| lan   wan |---------| wan nic |      the test ports
   +---------+         |    ssh    |         +---------+
                       +-----|-----+
                             |  control path: any other port, the laboratory at its end

A gateway with one port has no WAN side: it is measured as an end of the traffic alone.
"""

import asyncio
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from ipaddress import ip_interface
from pathlib import Path
from typing import Any, Final

from gatemark.error import NOT_HERE, NodeError, StationError, UnavailableError
from gatemark.node import checked
from gatemark.node.quoted import sh, shell
from gatemark.node.remote.look import Look
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Local as Here
from gatemark.node.shell import Node
from gatemark.node.shield import whole
from gatemark.plan.model import Arm
from gatemark.station import counting, doctor, own, space
from gatemark.station.ability import MISSING, Ability, ability
from gatemark.station.cable import MADE
from gatemark.station.check import check_ports
from gatemark.station.cpu import ANY_CPU, Placement
from gatemark.station.demand import PLAIN, Demand
from gatemark.station.lent.borrowed import Borrowed
from gatemark.station.mode import Mode
from gatemark.station.ssh import control, file
from gatemark.station.ssh.introduce import Behind, introduce
from gatemark.station.ssh.link import link_bps
from gatemark.station.ssh.side import Far, Local, Sides
from gatemark.station.station import Again, nothing
from gatemark.station.thread import Thread
from gatemark.station.wiring import (
    ADDRESS,
    CLIENTS,
    FAR,
    FAR_HOSTS,
    Gateway,
    Port,
)
from gatemark.store.run import StationInfo

ROLES: Final = {"lan": ("lan0", "gw0"), "wan": ("wan0", "gw1")}  # side -> its role, the gateway's
NAMES: Final = {"gw0": "LAN port", "wan0": "WAN port", "lan2": "second LAN port"}

NO_CEILING = (
    "No ceiling of the tester: its hosts are two machines, with nothing between them but the "
    "gateway."
)
INNER_CEILING = (
    "The tester's ceiling is that of a cable inside this machine: its NICs, their drivers and the "
    "real cables are not in it."
)
BOOT: Final = "/proc/sys/kernel/random/boot_id"
REBOOT_S = 240.0
UNFLUSHED = "not emptied: no conntrack on it, and its kernel takes no word"
GLOBAL = re.compile(r" inet6? (\S+/\d+) .*scope global")
FLUSH: Final = shell("({flush}) 2> /dev/null || echo no", flush=space.FLUSH)


def from_file(data: Mapping[str, Any], path: Path) -> "Box":
    """The station of a file. Raises UsageError; nothing is looked at yet."""
    return Box(file.box(data, path))


class Box:
    """A station of kind `ssh`. `up` takes NICs and sets addresses, `down` gives all of it back."""

    kind = "ssh"

    def __init__(self, asked: file.Box, purpose: str = "run") -> None:
        self.name = asked.name
        self.asked = asked
        self.lab = secrets.token_hex(3)
        self.sides: Sides = (
            Far(asked.sides)
            if any(side.login for side in asked.sides.values())
            else Local(self.lab, asked.sides, purpose)
        )
        self.able: Ability = replace(ability(), own_cpu=False, slowdown=False, steering=False)
        self.placement = _placement(far=isinstance(self.sides, Far))
        self.box = Ssh("gateway", asked.login)
        self.box.looks = asked.agent
        self.gateway = _gateway(self.box, asked)
        self.after_restart: Again = nothing
        self.counting: counting.Counting | None = None
        self.ports: dict[str, Port] = {}
        self.threads: dict[str, Thread] = {}
        self.control = ""  # the gateway's device that we reach it by
        self._demand: Demand | None = PLAIN
        self._flushes = True
        self._speeds: dict[tuple[Node, str], str] = {}  # where each end of a cable tells its own
        self._told: Borrowed | None = None

    @property
    def info(self) -> StationInfo:
        """Return the station's facts for a run."""
        return StationInfo(
            name=self.name,
            kind=self.kind,
            virtual=False,
            placement=self.words,
            missing=self._missing,
            made_of=self.asked.made_of,
            by_path=self.asked.set is Mode.OPENWRT,
        )

    @property
    def _missing(self) -> tuple[str, ...]:
        if isinstance(self.sides, Far):
            return (NO_CEILING,)
        lacking = [MISSING[name] for name in ("awake", "priority") if not getattr(self.able, name)]
        return (*((INNER_CEILING,) if self.asked.local else ()), *lacking)

    @property
    def words(self) -> dict[str, str]:
        """The placement as it is now."""
        nice = ", nice -20" if self.able.priority else ""
        own = {"sender": self.placement.sender, "sink": self.placement.sink}
        words = {
            end: "any cpu of its host" if cpu == ANY_CPU else f"cpu {cpu}{nice}"
            for end, cpu in own.items()
        }
        conntrack = {} if self._flushes else {"conntrack": UNFLUSHED}
        return {"gateway": "its own cpus", **words, **conntrack}

    def enter(self) -> None:
        """NICs of this machine are root's to give; another host's need nothing here."""
        if isinstance(self.sides, Far):
            return
        if own.needed():
            raise UnavailableError("NICs of this machine are taken by root alone: use sudo")
        doctor.require(without=doctor.OF_THE_LAB)

    def count(self, caches: Sequence[str] = (), *, programs: bool = False) -> None:
        """Nobody counts here."""
        del caches, programs
        counting.refuse()

    def another(self) -> None:
        """There is but this one."""

    def boot_each(self) -> None:
        """Do nothing: a rig restarts it for each boot."""

    def lacks(self, arm: Arm) -> str:
        """Why an arm cannot be measured on it, or nothing."""
        if arm.path == "direct":
            return "" if self.asked.local else NO_CEILING
        far = FAR[arm.path]
        if far == "lan2":
            return f"{NOT_HERE}the path switch needs a second LAN port and host"
        if far == "wan0" and "wan" not in self.asked.sides:
            return f"{NOT_HERE}one port, so the gateway can only be an endpoint"
        if self.asked.path and arm.path not in (self.asked.path, "endpoint"):
            return f"{NOT_HERE}the station file says that it is on path {self.asked.path}"
        return ""

    async def up(self) -> None:
        """Reach the box, take the sides. Raises GatemarkError; what was done is undone."""
        self._demand = PLAIN
        self._speeds.clear()
        try:
            await self.box.connect()
            await self._require_apart()
            await self.sides.up()
            if isinstance(self.sides, Far):
                for end, side in self.asked.sides.items():
                    await control.require_apart(self.sides.node(end), (side.nic,))
            await self._wire()
        except BaseException:
            await whole(self.down())
            raise

    async def down(self) -> None:
        """Give all back, each even if another fails."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.box.close)
            stack.push_async_callback(self.sides.down)
            if self._told:
                stack.push_async_callback(self._told.give_back)
                self._told = None

    async def meet(self, demand: Demand) -> None:
        """Before a trial: nothing merges or cuts packets on the test ports. Raises StationError."""
        was, self._demand = self._demand, None
        if self.sides.cable:
            await self.sides.cable.meet(was, demand)
        self._demand = demand
        for end, side in self.asked.sides.items():
            ports = {side.nic: self.sides.ground(end), side.device: self.sides.node(end)}
            await check_ports(ports)
        if self.sides.cable and not demand.offload:
            await check_ports(self.sides.cable.nodes)
        await self._look_at_links()

    async def _look_at_links(self) -> None:
        """A cable's ends agree some seconds after they came up, and anew when it was pulled."""
        cables = {ROLES[end]: (end, side.nic) for end, side in self.asked.sides.items()}
        asked = (
            link_bps(
                ((self.sides.ground(end), nic), (self.box, self.ports[its].device)), self._speeds
            )
            for (_, its), (end, nic) in cables.items()
        )
        for (role, _), bps in zip(cables, await asyncio.gather(*asked), strict=True):
            self.ports[role] = replace(self.ports[role], link_bps=bps)

    def rewired(self) -> None:
        """The WAN host's ports are new devices, of which nothing is known."""
        self._demand = None

    async def flush(self) -> None:
        """Empty the gateway's connection tracking table, where it can be."""
        if await Look.at(self.box, forget=True):
            self._flushes = True
            return
        text = await self.box.run(*sh(FLUSH))
        self._flushes = text.strip() != "no"

    async def restart(self) -> str:
        """Let it boot anew, and wait until it is reached again, with the setup that it had."""
        before = await self.box.run("cat", BOOT)
        with suppress(NodeError):  # it may go before it answers
            await self.box.run("reboot")
        loop = asyncio.get_running_loop()
        until = loop.time() + REBOOT_S
        while await self._boot() in ("", before):
            if loop.time() > until:
                raise StationError(f"{self.box.name}: it did not boot within {REBOOT_S:g} s")
            await asyncio.sleep(1)
        self._told = None  # went with the boot
        if self.asked.set is not Mode.OBSERVE:
            await self._introduce()
        await self.after_restart()
        return "the gateway rebooted"

    async def _boot(self) -> str:
        """Which boot it is in; empty while it cannot be reached."""
        try:
            if self.box.lost:
                await self.box.reconnect(2.0)
            return await self.box.run("cat", BOOT)
        except NodeError:
            return ""

    async def require_alive(self) -> None:
        """Raise StationError if nothing more can be measured on it."""
        if self.box.lost:
            raise StationError(f"{self.box.name}: lost ({self.box.lost})")
        self.sides.require_alive()

    async def _require_apart(self) -> None:
        """The control path is none of the test ports, at either end."""
        if isinstance(self.sides, Local):
            way = self.asked.login.jump or self.asked.login.address
            await control.require_free(Here(), (s.nic for s in self.asked.sides.values()), way.host)
        self.control = await control.require_apart(self.box, self.asked.devices.values())

    async def _wire(self) -> None:
        """Ports with their addresses, and who is next to whom."""
        for end in self.asked.sides:
            text, its = ROLES[end]
            self.ports[its] = await self._gateway_port(its)
            self.ports[text] = await self._side_port(end, text)
        for end in self.asked.sides:
            text, its = ROLES[end]
            beyond = [] if len(self.asked.sides) == 1 else self._beyond(end)
            await self.sides.connect(end, self.ports[text], self.ports[its], beyond)
        self.ports |= await self.sides.lay()
        if self.sides.cable:
            await self.sides.cable.meet(MADE, PLAIN)
        if self.asked.set is not Mode.OBSERVE:
            await self._introduce()

    async def _gateway_port(self, role: str) -> Port:
        device, own = self.asked.devices[role], dict(self.asked.own[role])
        mac = await _mac(self.box, device)
        if not own and self.asked.set is Mode.OBSERVE:
            own = await self._addresses(device)
        return Port(self.box, role, mac, device, own, silent=False, shared=True)

    async def _side_port(self, end: str, role: str) -> Port:
        side, node = self.asked.sides[end], self.sides.node(end)
        # On another host a VLAN is made later; it has its NIC's address.
        mac = await _mac(node, side.device if isinstance(self.sides, Local) else side.nic)
        tap = await _is_tap(node, side.device)
        own = dict(side.own)
        return Port(node, role, mac, side.device, own, raw=tap, silent=False, shared=True)

    async def _addresses(self, device: str) -> dict[str, str]:
        """A gateway's own. Raises StationError if there are none."""
        text = GLOBAL.findall(await self.box.run("ip", "-o", "addr", "show", "dev", device))
        known = [checked.by(self.box.name, checked.interface, item) for item in reversed(text)]
        results = {f"ipv{ip_interface(item).version}": item for item in known}
        if not results:
            raise StationError(
                f"{self.box.name}: {device} has no address, so nothing can be sent by it: give it "
                'one, or let us: set = "apply" in [gateway]'
            )
        return results

    def _beyond(self, end: str) -> list[str]:
        """The networks behind the gateway, as seen from a side."""
        (other,) = self.asked.sides.keys() - {end}
        port = self.ports[ROLES[other][0]]
        return [str(port.interface(family).network) for family in ADDRESS["lan0"]]

    async def _introduce(self) -> None:
        """Tell a gateway that we set where the hosts are, and the addresses that none owns."""
        numbers = {"lan": CLIENTS, "wan": FAR_HOSTS}
        known, unknown = introduce(
            Behind(self.ports[ROLES[end][1]], self.ports[ROLES[end][0]], numbers[end])
            for end in self.asked.sides
        )
        self._told = await Borrowed.take(self.box, (known,), (unknown,))


def _gateway(node: Ssh, asked: file.Box) -> Gateway:
    """It outlives the run, so how it is set is undone by its journal."""
    ours = {
        role: [asked.own[role].get(family) or default for family, default in ADDRESS[role].items()]
        for role in asked.devices
    }
    return Gateway(
        node,
        dict(asked.devices),
        mode=asked.set,
        journal=str(asked.login.address),
        addresses={} if asked.set is Mode.OBSERVE else ours,
        agent=asked.agent,
        stated=asked.stated,
        power=asked.power,
        bench=asked.bench,
    )


def _placement(*, far: bool) -> Placement:
    """Sender and sink part where both are here and there are two CPUs; others choose their own."""
    if far:
        return Placement(gateway=ANY_CPU, sender=ANY_CPU, sink=ANY_CPU)
    free = sorted(os.sched_getaffinity(0))
    line = free[1] if len(free) > 2 else free[-1]
    return Placement(gateway=ANY_CPU, sender=free[0], sink=free[-1], line=line)


async def _is_tap(node: Node, device: str) -> bool:
    """Return whether its other end is a program: a virtual machine on this host."""
    flags = f"/sys/class/net/{device}/tun_flags"
    read = shell("cat {flags} 2> /dev/null || true", flags=flags)
    return bool((await node.run(*sh(read))).strip())


async def _mac(node: Node, device: str) -> str:
    path = f"/sys/class/net/{device}/address"
    text = await node.run(*sh(shell("cat {path} 2> /dev/null || echo none", path=path)))
    if text.strip() == "none":
        have = (await node.run("ls", "/sys/class/net")).split()
        raise StationError(f"{node.name}: no port {device}; it has {', '.join(have)}")
    return checked.by(node.name, checked.mac, text.strip())
