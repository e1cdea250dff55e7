# SPDX-License-Identifier: Apache-2.0
"""A virtual machine that plays a box on a desk: its ports are NICs of a played host.

 the host (lab/played.py)        the box
+----------------+           +---------------+
|           nic0 |-----------| eth1          |   test ports
|           nic1 |-----------| eth2          |
|           ctl0 |-----------| eth0          |   control path
+----------------+           +---------------+
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from lab.station import played
from lab.station.played import Played

from gatemark.node.quoted import as_written
from gatemark.node.remote.dial import dial
from gatemark.node.remote.login import SSH_PORT, Login
from gatemark.node.remote.ssh import Ssh
from gatemark.node.script import script
from gatemark.node.shell import Namespace
from gatemark.station.load import load
from gatemark.station.qemu.lab import OURS, VirtualLab, beside, bootable
from gatemark.station.qemu.machine import Card, Machine
from gatemark.station.qemu.tap import tap
from vm.cpu import placement, quick

OPENWRT = "openwrt-x86"
NICS = ("ctl0", "nic0", "nic1")
BOOT_S = 600.0  # OpenWrt, emulated on a busy machine
MEMORY_MIB = 192  # a box that is its own tester has three leases, and four agents at once
STATION = f"""
schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@{OURS.host}"
key = "key"
known_hosts = "known"
set = "apply"
lan = "eth1"
wan = "eth2"
[lan]
nic = "nic0"
[wan]
nic = "nic1"
"""
PLAN = """
schema = "gatemark.plan/1"
title = "A box"
why = "It is there."
reading = "As it is."
[[arm]]
path = "route"
[[arm]]
path = "nat"
features = ["conntrack", "filter:10"]
[workload]
rate_pps = 500
flows = 4
duration_s = 0.5
[repeat]
times = {times}
"""
# Sysctls that count, draw or keep the time by themselves.
WANDERS = (
    *("random.", "dentry-state", "inode-", "file-nr", "nf_conntrack_count", "ns_last_pid"),
    *("kernel.pty.nr", "netfilter.nf_log", "sched_domain", "fs.quota", "next_id"),
)
# The same of OpenWrt, in the box's own words, with all sysctls.
OPENWRT_SETTINGS = f"""
uci export; uci changes; nft -s list ruleset; ip -o link show; tc qdisc show
(ip -o addr show; ip route show | sort; ip -6 route show | sort) |
sed -e 's/[ \\\\]*valid_lft.*//' -e 's/ expires [0-9]*sec//' -e 's/ tentative//'
sysctl -a 2> /dev/null | grep -vE '{"|".join(WANDERS)}'
"""
OPENWRT_STATION = STATION.replace('"apply"', '"openwrt"').replace('lan = "eth1"', 'lan = "br-lan"')
# Its last service has begun, and no network that came up reloads the firewall any more.
UP = """
if [ -e /tmp/gatemark.booted ] && ! ps w | grep -q '[h]otplug-call'; then printf up; fi
"""
# An address is tentative for a second after the boot.
SETTINGS = """
for i in 1 2 3 4 5; do ip -o addr | grep -q tentative || break; sleep 1; done
ip -o addr; ip route; ip -6 route; ip neigh show nud permanent; nft list ruleset
cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding
"""


@dataclass(frozen=True, slots=True)
class Box:
    """The box, the host that it stands beside, and a folder with what is needed to get in."""

    host: Played
    folder: Path
    machine: Machine
    runner: asyncio.Runner
    is_openwrt: bool = False

    def __post_init__(self) -> None:
        """Every address of the box is known by its one key."""
        known = (self.folder / "known_hosts").read_text().partition(" ")[2]
        (self.folder / "known").write_text(f"* {known}")

    @property
    def settings(self) -> str:
        """The script that prints how it is set."""
        return OPENWRT_SETTINGS if self.is_openwrt else SETTINGS

    @property
    def station(self) -> str:
        """Its station file."""
        return OPENWRT_STATION if self.is_openwrt else STATION

    def wait(self) -> None:
        """Wait until its SSH server takes a connection, and its services are up."""
        self.listens(OURS.host)
        if self.is_openwrt:
            while self.said(UP) != "up":
                time.sleep(1)

    def listens(self, address: str) -> None:
        """Wait until an SSH server takes a connection at an address of it."""
        self.runner.run(_listens(self.host.names["lan"], address))

    def reset(self) -> None:
        """Press its reset button."""
        self.runner.run(self.machine.reset())

    def said(self, text: str) -> str:
        """What its shell prints."""
        return self.runner.run(self._said(text))

    async def _said(self, text: str) -> str:
        login = Login(OURS, key=self.folder / "key", known_hosts=self.folder / "known")
        ssh = Ssh("box", login, namespace=self.host.names["lan"])
        await ssh.connect()
        try:
            return await script(ssh, as_written(text))
        finally:
            await ssh.close()


@contextmanager
def box(folder: Path, station: str = "qemu-x86") -> Iterator[Box]:
    """Switched on; gone at the end with its host. It boots what a virtual gateway's station has."""
    with played.host() as host, asyncio.Runner() as runner:
        machine = runner.run(_start(folder, host.names["lan"], station))
        try:
            for words in (f"addr add {beside(OURS.host)}/24 dev ctl0", "link set ctl0 up"):
                host.run("ip", *words.split())
            made = Box(host, folder, machine, runner, is_openwrt=station == OPENWRT)
            made.wait()
            yield made
        finally:
            runner.run(machine.stop())


async def _start(folder: Path, name: str, station: str) -> Machine:
    model = bootable(quick(cast(VirtualLab, load(station)).model), folder)
    cards = [Card(f"02:00:00:00:01:{at:02x}", tap(name, nic)) for at, nic in enumerate(NICS)]
    cpus = placement()
    return await Machine.start(
        replace(model, memory_mib=MEMORY_MIB),
        "tcg",
        cards,
        Namespace("the host", name),
        (cpus.gateway, cpus.sink),
    )


async def _listens(name: str, address: str) -> None:
    until = time.monotonic() + BOOT_S
    while time.monotonic() < until:
        try:
            async with asyncio.timeout(1):
                return (await dial(name, address, SSH_PORT)).close()
        except OSError:
            await asyncio.sleep(0.5)
    raise TimeoutError(f"the box does not listen at {address}")
